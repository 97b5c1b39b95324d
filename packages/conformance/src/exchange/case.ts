import type { Schemas } from '../gen/schemas.ts'

/** One call of a case. It names the kind of its credential, never the credential. */
export type CaseCall = Schemas['CaseCall']

/** The data that reproduces a failed check: its target, its seed and the smallest calls that still fail. It holds no secret. */
export type Case = Schemas['StoredCase']
