/** The model of a report. `report.schema.json` states and explains it, and its types are generated from there. */

import type { CheckSource } from '../core/check.ts'
import type { components } from '../gen/schemas.ts'
import schema from '../schemas/report.schema.json' with { type: 'json' }

type Schemas = components['schemas']

/** The result of a run. Every report is made from this model. */
export type Report = Schemas['Report']
export type ReportSummary = Schemas['Summary']
export type CheckResult = Schemas['CheckResult']
export type RequirementResult = Schemas['RequirementResult']

/**
 * Outcome of a check or a requirement. `skip`: the target or the fixtures lack something that the check needs.
 * `disabled`: the configuration does not allow the check. `error`: an error of the suite, or an unavailable target.
 */
export type Outcome = Schemas['Outcome']

/** Evidence of a check that did not pass. */
export type Evidence = Schemas['Evidence']

/** One request and its response, with secrets redacted and long bodies truncated. */
export type Exchange = Schemas['Exchange']

/** The behaviour of this target at an unspecified point. */
export type Observation = Schemas['Observation']

/** An exchange that breaks the contract, found during any check. */
export type ExchangeBreach = Schemas['ExchangeBreach']

/** Number of cases that broke a constraint of the contract, or met it at its boundary. */
export type ConstraintCoverage = Schemas['ConstraintCoverage']

/** Time until the response of an operation, in ms, over the requests of a live run. */
export type OperationLatency = Schemas['OperationLatency']

/** What the history says about a run. */
export type Changes = Schemas['Changes']

/** A change of a requirement, or the drift of an observation. Times are ISO 8601. */
export type Transition = Schemas['Transition']

/** What changed between two nights. */
export type TransitionKind = Schemas['TransitionKind']

/** What can fail a run: a contradicted source, or a difference from the baseline. */
export type FailOn = CheckSource | 'drift'

/** The value of `Report.schema`: the identifier of the published JSON Schema. */
export const reportSchemaId = schema.$id as Report['schema'] // the generated type has this text
