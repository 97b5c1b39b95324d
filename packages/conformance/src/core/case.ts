import type { components } from '../gen/report.ts'

type Schemas = components['schemas']

/** One call of a case. It names the kind of its credential, never the credential. */
export type CaseCall = Schemas['CaseCall']

/** What shows a failure again. It holds no secret. */
export interface Case {
  /** The kind of target that failed. */
  readonly target: Schemas['TargetKind']
  /** Id of the check. */
  readonly check: string
  /** Seed of the check's random cases. */
  readonly seed: number
  /** The smallest calls that still fail, in order. Empty if the check always sends the same calls. */
  readonly calls: readonly CaseCall[]
}
