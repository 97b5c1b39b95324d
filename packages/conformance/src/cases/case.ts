import type { Schemas } from '../gen/schemas.ts'

/** One call of a case. It names the kind of its credential, never the credential. */
export type CaseCall = Schemas['CaseCall']

/** The stored calls that reproduce a failure. They hold no secret. */
export type Case = Schemas['StoredCase']
