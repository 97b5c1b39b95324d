import { contracts, operations } from '@cdn/api/contract'
import type { Likeness } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Check, CheckedRequirement } from '../exchange/check.ts'
import { errorReason, SetupError, SuiteConfigurationError } from '../exchange/failure.ts'
import { minuteText } from '../exchange/format-text.ts'
import {
  type Cause,
  type CheckResult,
  type ExchangeBreach,
  type Observation,
  type Report,
  type RequirementResult,
  reportSchemaId,
} from '../exchange/report-model.ts'
import { type CheckPlan, type CheckRun, type RunConfig, seedOf } from '../exchange/run-types.ts'
import { causesOf } from './causes.ts'
import { type Expectation, staleExpectations, statedObservations, withExpectedReasons } from './expectations.ts'
import { isByDesign, isDeferred, requirementOutcome } from './outcomes.ts'
import { parityOf } from './parity.ts'
import { countChecks, resultOf } from './result.ts'

/** Facts about a run from which its report is assembled. */
export interface RunFacts extends Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'seed' | 'target'> {
  readonly plan: CheckPlan
  readonly runs: readonly CheckRun[]
  /** Why no check ran, and errors of the suite itself: one sentence each. */
  readonly problems?: readonly string[]
  /** Items that the sweep could not restore or delete, as clauses after `The sweep`. */
  readonly leaks?: readonly string[]
  readonly expectations?: readonly Expectation[]
  /** Sources that fail a live run, in addition to the spec. On other targets, all sources do. */
  readonly failOn?: Report['failOn'] | undefined
  /** By the id of a rotating check: the start of the last run in which it passed. If this run defers the check, it counts as passed. */
  readonly heldBefore?: ReadonlyMap<string, string> | undefined
  /** Ids of the requirements that must be decided. */
  readonly required?: readonly string[] | undefined
  readonly likeness?: Likeness | undefined
}

const everySource = ['spec', 'supplement', 'robustness', 'unspecified'] as const

/** Assembles the report of a run, however it ended. */
export function assembleReport(facts: RunFacts): Report {
  const { plan, runs, startedAt, durationMs, status, seed, target, required, leaks = [] } = facts
  const { expectations = [] } = facts
  const runsById = new Map(runs.map((run) => [run.result.id, run]))
  const sorted = plan.checks.flatMap(({ id }) => runsById.get(id) ?? [])
  // The mock invents codes and texts, and its own checks validate each of its responses. So its breaches are not reported.
  const isMock = target.kind === 'mock'
  const breaches = isMock ? [] : sorted.flatMap((run) => run.breaches)
  const observations = mergeObservations(sorted.flatMap((run) => run.observations))
  const ran = [
    ...plan.checks.map((check) => recalled(runsById.get(check.id)?.result ?? notRun(check, status), facts.heldBefore)),
    ...exchangeChecks(sorted, breaches),
    ...statedObservations(expectations, observations),
  ]
  const ofBreaches = new Map(breaches.map((breach) => [idOfBreach(breach), breach.decides]))
  const decides = ({ id }: CheckResult) => plan.checks.find((check) => check.id === id)?.decides ?? ofBreaches.get(id)
  const judged = ran.map((result) => ({
    ...{ result, decides: decides(result), called: calledBy(runsById.get(result.id)) },
  }))
  const causes = withExpectedReasons(causesOf(judged), ran, expectations)
  const checks = withCauses(ran, causes)
  const problems = [
    ...(facts.problems ?? []),
    ...(status === 'not-started' ? [] : staleExpectations(expectations, checks, knownIds(plan, checks, observations))),
  ]
  const requirements = plan.requirements.map((requirement) => requirementResult(requirement, checks, plan.parts))
  const report: Omit<Report, 'exitCode'> = {
    schema: reportSchemaId,
    ...{ startedAt, durationMs, seed, target },
    status: status === 'complete' && !hasDecided(requirements, checks) ? 'undecided' : status,
    failOn: target.kind === 'live' ? ['spec', ...(facts.failOn ?? [])] : everySource,
    ...(required && { required }),
    ...(facts.likeness && { parity: parityOf(facts.likeness, observations) }),
    contract: Object.fromEntries(
      Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.spec.info.version]),
    ),
    ...(problems.length > 0 && { problems }),
    ...(leaks.length > 0 && { leaks: leaks.map((leak) => `The sweep ${leak}.`) }),
    causes,
    summary: countChecks(checks),
    requirements,
    checks,
    observations,
  }
  return { ...report, exitCode: resultOf(report).exitCode }
}

/** Lets a check that this run defers count as passed, if it passed in one of the last runs. */
function recalled(result: CheckResult, held: RunFacts['heldBefore']): CheckResult {
  const at = result.deferred ? held?.get(result.id) : undefined
  return at === undefined
    ? result
    : { ...result, outcome: 'pass', message: `It passed in the run of ${minuteText(at)}.` }
}

/** Whether a run decided a sentence. A run of checks without a sentence has decided something if one of them passed or failed. */
function hasDecided(requirements: readonly RequirementResult[], checks: readonly CheckResult[]): boolean {
  const isDecided = ({ outcome }: Pick<RequirementResult, 'outcome'>) => outcome === 'pass' || outcome === 'fail'
  const own = checks.filter((one) => !one.deferred && isDecided(one))
  const isAboutSentences = requirements.some(({ unchecked }) => unchecked === undefined)
  return isAboutSentences
    ? requirements.some((one) => isDecided(one) && own.some(({ requirements: ids }) => ids.includes(one.id)))
    : own.length > 0
}

/** Returns the report of a run in which no check ran, for example because the target cannot be reached or refuses the key. */
export function notStartedReport(config: RunConfig, plan: CheckPlan, startedAt: Date, error: unknown): Report {
  const sentence = error instanceof SuiteConfigurationError ? error.message : `Internal error: ${errorReason(error)}`
  const problems = error instanceof SetupError ? error.problems : [sentence]
  return reportWithoutChecks(config, plan, startedAt, { status: 'not-started', problems })
}

/** Returns a report of a run before its checks. */
export function reportWithoutChecks(
  { target: kind, managementUrl, loggingUrl, seed }: RunConfig,
  plan: CheckPlan,
  startedAt: Date,
  facts: Pick<RunFacts, 'status' | 'problems'>,
): Report {
  return assembleReport({
    ...{ ...facts, plan, runs: [], seed: seed ?? seedOf(startedAt) },
    startedAt: startedAt.toISOString(),
    durationMs: Math.max(0, Date.now() - startedAt.getTime()),
    target: { kind, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
  })
}

/** Returns the operations that a check called, as `interface.name`, including operations that did not answer. */
function calledBy(run: CheckRun | undefined): string[] {
  const answered = operations.filter(({ name }) => run?.operations.includes(name))
  const shown = run?.result.evidence?.exchanges.flatMap(({ operation }) => operation ?? []) ?? []
  return [...new Set([...answered.map(({ interface: of, name }) => `${of}.${name}`), ...shown])]
}

/** Adds the cause to each check that shows one. A masked check becomes a skip, because it could not observe its own requirement. */
function withCauses(checks: readonly CheckResult[], causes: readonly Cause[]): CheckResult[] {
  const shown = new Map(causes.flatMap((cause) => cause.checks.map((id) => [id, cause] as const)))
  const masked = new Map(causes.flatMap((cause) => cause.masked.map((id) => [id, cause] as const)))
  return checks.map((check) => {
    const [cause, mask] = [shown.get(check.id), masked.get(check.id)]
    if (cause) return { ...check, cause: cause.id }
    if (!mask) return check
    const { evidence: _, ...rest } = check
    const message = `masked by ${mask.id}`
    return { ...rest, outcome: 'skip', cause: mask.id, message }
  })
}

function knownIds(plan: CheckPlan, checks: readonly CheckResult[], observations: readonly Observation[]): string[] {
  const points = Object.values(contracts).flatMap(({ unspecified }) => unspecified)
  const exchanges = operations.flatMap(({ name }) => [`exchange.${name}`, `exchange.${name}/supplement`])
  return [...plan.ids, ...exchanges, ...[...checks, ...observations, ...points].map(({ id }) => id)]
}

const ends = {
  complete: 'did not reach it',
  undecided: 'did not reach it',
  running: 'has not reached it yet',
  interrupted: 'was interrupted',
  crashed: 'crashed',
  'not-started': 'did not start',
}

/** Returns the result of a check of the plan that did not run: a skip. */
function notRun({ id, requirements, source, basis, effect }: Check, status: Report['status']): CheckResult {
  const message = `not run: the run ${ends[status]}`
  return { id, requirements, source, basis, effect, outcome: 'skip', durationMs: 0, requests: 0, message }
}

function requirementResult(
  { id, section, text, source, interface: name, unchecked }: CheckedRequirement,
  checks: readonly CheckResult[],
  allParts: CheckPlan['parts'],
): RequirementResult {
  const results = checks.filter(({ requirements }) => requirements.includes(id))
  const parts = allParts.get(id) ?? []
  const decided = results.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail')
  const ofParts = parts.length === 0 ? [results] : parts.map((part) => results.filter((check) => check.part === part))
  const isOfSpec = ofParts.every((some) => some.some(({ basis }) => basis === 'spec'))
  // An id that names no operation belongs to the whole interface.
  const operation = operations.find((one) => one.interface === name && one.name === id.split('.')[1])
  return {
    ...{ id, section, text, source, area: operation?.area ?? contracts[name].title },
    ...(results.length > 0 && { basis: isOfSpec ? 'spec' : 'supplement' }),
    ...requirementOutcome(results, parts),
    ...(isDeferred(results, parts) && { deferred: true as const }),
    ...(isByDesign(results) && { byDesign: true as const }),
    checks: results.map((check) => check.id),
    cases: decided.reduce((sum, { cases = 1 }) => sum + cases, 0),
    ...(unchecked !== undefined && { unchecked }),
  }
}

/** Makes one failed check for all exchanges of an operation that break the same requirements, or the same layer of the contract. */
function exchangeChecks(runs: readonly CheckRun[], breaches: readonly ExchangeBreach[]): CheckResult[] {
  // A failed check of a requirement reports the same mistake, which counts once.
  const reported = new Set(runs.flatMap(({ result }) => (result.outcome === 'fail' ? result.requirements : [])))
  const isOpen = ({ requirements: all }: ExchangeBreach) => all.length === 0 || !all.every((one) => reported.has(one))
  return [...Map.groupBy(breaches.filter(isOpen), idOfBreach)].map(([id, some]) => {
    const { source, requirements, id: of } = assertDefined(some[0])
    const { effect } = assertDefined(operations.find(({ name }) => of === `exchange.${name}`))
    const basis = source === 'spec' ? 'spec' : 'supplement'
    return { id, requirements, source, basis, effect, durationMs: 0, requests: 0, ...judgedBy(some) }
  })
}

function idOfBreach({ id, source, requirements }: ExchangeBreach): string {
  if (requirements.length > 0) return `${id}/${requirements.join(' ')}`
  // Exchanges of an operation of the spec are validated against two layers, so the id names the second one.
  return source === 'supplement' && operations.some(({ name, spec }) => spec && id === `exchange.${name}`)
    ? `${id}/supplement`
    : id
}

function judgedBy(
  breaches: readonly ExchangeBreach[],
): Pick<CheckResult, 'outcome' | 'message' | 'sentBy' | 'evidence'> {
  const first = assertDefined(breaches[0])
  const { expected, seen, exchanges } = first
  const message = `${breaches.length} such responses, first in ${first.check}`
  return { outcome: 'fail', message, sentBy: first.check, evidence: { expected, seen, exchanges } }
}

/** Merges observations into one entry per id. If an id has different values, they become a list. */
function mergeObservations(seen: readonly Observation[]): Observation[] {
  return [...Map.groupBy(seen, ({ id }) => id)].map(([id, group]) => {
    const values = [...new Map(group.map(({ value }) => [JSON.stringify(value), value])).values()]
    return { id, value: values.length === 1 ? values[0] : values }
  })
}
