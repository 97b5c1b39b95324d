/** The model of a report. `src/schemas/report.schema.json` states and explains it, and its types are generated from there. */

import type { Schemas } from '../gen/schemas.ts'
import schema from '../schemas/report.schema.json' with { type: 'json' }

/** The result of a run. Every report is made from this model. */
export type Report = Schemas['Report']
export type ReportSummary = Schemas['Summary']
export type RequirementResult = Schemas['RequirementResult']
export type CheckResult = Schemas['CheckResult']
export type Outcome = Schemas['Outcome']
export type Evidence = Schemas['Evidence']
export type ReportedExchange = Schemas['Exchange']
export type Observation = Schemas['Observation']
export type Changes = Schemas['Changes']
export type Cause = Schemas['Cause']

/** Summary of a run: its end, its causes, and the requirements that hold. */
export type RememberedRun = Schemas['RememberedRun']

/** An exchange, or a read of the state, that breaks the contract: a check `exchange.OPERATION` reports it if no other check does. */
export interface ExchangeBreach {
  readonly id: string
  /** Origin of the broken part of the contract; `robustness` if no part of it is broken. */
  readonly source: 'spec' | 'supplement' | 'robustness'
  readonly requirements: readonly string[]
  /** The id pattern of the broken rule, such as `<operation>.body`. */
  readonly decides?: string | undefined
  readonly expected: Schemas['Expected']
  readonly seen: Schemas['Seen']
  readonly check: string
  /** The exchanges that show it; empty if an earlier breach shows the same mistake. */
  readonly exchanges: readonly ReportedExchange[]
}

/** The value of `Report.schema`: the identifier of the published JSON Schema. */
export const reportSchemaId = schema.$id as Report['schema'] // the generated type has this text
