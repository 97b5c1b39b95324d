import type { Schemas } from '../gen/schemas.ts'

/** One call of a case. It names the kind of its credential, never the credential. */
export type CaseCall = Schemas['CaseCall']

/** What shows a failure again. It holds no secret. */
export type Case = Schemas['StoredCase']
