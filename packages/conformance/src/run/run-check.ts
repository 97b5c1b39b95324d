import type { CaseCall } from '../cases/case.ts'
import type { Notes } from '../memory/memory.ts'
import type { CheckResult, ExchangeBreach, Observation } from '../report/model.ts'
import type { Check, CheckContext, Need } from './check.ts'
import { Failure, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import { createRecorder } from './recorder.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { requestedOperation, toRequest } from './requested-operation.ts'
import type { OwnWrites, Sweeper } from './sweep/sweep.ts'
import type { Session } from './targets/target.ts'

/** The result of one run of a check. */
export interface CheckRun {
  readonly result: CheckResult
  readonly observations: readonly Observation[]
  readonly breaches: readonly ExchangeBreach[]
  /** Labels of the requested operations. */
  readonly operations: readonly string[]
}

/** Why a check does not run. */
export interface Withheld {
  readonly message: string
  /** Whether a run on another day runs this check. */
  readonly deferred?: true
}

export interface RunCheckOptions extends Partial<Pick<CheckContext, 'seed' | 'stored' | 'replay'>> {
  /** Ends the check. Afterwards, it cannot send a request. The reason is a `RunEnd`. */
  readonly signal: AbortSignal
  /** The notes of earlier runs; none by default. */
  readonly notes?: Notes | undefined
  /** Takes back the writes. Omitted if the target does not outlive the check. */
  readonly sweeper?: Sweeper | undefined
  /** The number of requests that the run may still send; unlimited if omitted. */
  readonly budget?: Budget | undefined
}

export interface Budget {
  left: number
}

/** Why a run ends before its checks do. */
export class RunEnd extends Error {
  override readonly name = 'RunEnd'
}

/** What a check counts and observes while it runs. */
interface Tally {
  cases?: number
  /** Whether it judged what another check requested. */
  isShared?: true
  readonly observations: Observation[]
}

type Verdict = Pick<CheckResult, 'outcome' | 'message' | 'deferred'> & {
  readonly evidence?: Omit<NonNullable<CheckResult['evidence']>, 'exchanges'>
}

const budgetSpent = 'budget spent'

/**
 * Runs one check in one session, and then takes back what it wrote. Never throws, because every error becomes an outcome. The writes of
 * an interrupted check stay with the sweeper.
 *
 * @param options by default, the seed is the target's date, such as 20260617
 */
export async function runCheck(check: Check, session: Session, options: RunCheckOptions): Promise<CheckRun> {
  const { signal, sweeper } = options
  const redactor = createRedactor(session.fixtures.credentials)
  const recorder = createRecorder({ ...session, fetch: budgeted(session, options.budget) }, redactor, check.id)
  const writes = sweeper?.watch()
  const tally: Tally = { observations: [] }
  const context = createContext(session, {
    ...options,
    tally,
    fetch: watched(recorder.fetch, session, options, writes),
  })
  const verdict =
    missingNeed(check.needs, session, options.budget) ?? (await judge(() => check.run(context), redactor, signal))
  const isWrong = verdict.outcome === 'fail' || verdict.outcome === 'error'
  if (!signal.aborted) await writes?.takeBack(isWrong)
  const evidence = isWrong && { evidence: { ...verdict.evidence, exchanges: recorder.evidence() } }
  const { message } = verdict
  return {
    result: {
      ...resultOf(check, { ...verdict, ...(message !== undefined && { message: message + noteOn(check, verdict) }) }),
      durationMs: recorder.durationMs(),
      requests: recorder.requests(),
      ...(tally.cases !== undefined && { cases: tally.cases }),
      ...(tally.isShared && { shared: true }),
      ...evidence,
    },
    observations: [...tally.observations, ...recorder.observations],
    breaches: recorder.breaches,
    operations: [...recorder.operations],
  }
}

/** Returns the run of a check that sends nothing. */
export function withheldRun(check: Check, withheld: Withheld): CheckRun {
  return { result: resultOf(check, { outcome: 'skip', ...withheld }), observations: [], breaches: [], operations: [] }
}

function resultOf(check: Check, verdict: Verdict): CheckResult {
  const { id, requirements, source, basis, effect, part } = check
  const { outcome, message, deferred } = verdict
  return {
    ...{ id, requirements, source, basis, effect, outcome },
    ...(part !== undefined && { part }),
    ...{ durationMs: 0, requests: 0 },
    ...(deferred && { deferred }),
    ...(message !== undefined && { message }),
  }
}

/** A failed observation through the supplement may also mean that the supplement is wrong. */
function noteOn({ source, basis }: Check, { outcome }: Verdict): string {
  const isThroughSupplement = source === 'spec' && basis === 'supplement' && outcome === 'fail'
  return isThroughSupplement ? ' (observed through the supplement: the spec does not state how to observe it)' : ''
}

/** Counts requests. A write counts twice, because it is taken back. */
function budgeted({ fetch, disposable }: Session, budget: Budget = { left: Number.POSITIVE_INFINITY }): typeof fetch {
  return (input, init) => {
    if (budget.left < 1) throw new Skip(budgetSpent)
    const { method } = toRequest(input, init)
    budget.left -= method === 'GET' || disposable ? 1 : 2
    return fetch(input, init)
  }
}

/** Sends nothing that is not permitted, and nothing after an interruption. Notes what the check writes. */
function watched(
  send: typeof fetch,
  { bases }: Session,
  { signal, sweeper }: RunCheckOptions,
  writes?: OwnWrites,
): typeof fetch {
  return async (input, init) => {
    signal.throwIfAborted()
    const request = toRequest(input, init)
    const requested = requestedOperation(request, bases)
    if (!writes || !requested || requested.operation.effect === 'read') return send(request)
    sweeper?.permit(requested.operation)
    return writes.send(requested, request, () => send(request))
  }
}

interface ContextOptions extends RunCheckOptions {
  readonly fetch: typeof fetch
  readonly tally: Tally
}

function createContext(session: Session, { sweeper, notes, tally, ...options }: ContextOptions): CheckContext {
  const { seed = seedOf(session.now()), stored, replay = false, signal, fetch } = options
  const { shared, disposable } = session
  return {
    ...session,
    ...{ fetch, signal, seed, stored, replay },
    permit: (operation) => {
      if (operation.effect !== 'read' && !disposable && !sweeper) throw new Skip('the run may not write')
      sweeper?.permit(operation)
    },
    count: () => {
      tally.cases = (tally.cases ?? 0) + 1
    },
    once: (key, make) => {
      if (shared.has(key)) tally.isShared = true
      return once(shared, key, make)
    },
    recall: (key) => notes?.recall(key) ?? [],
    note: (key, value) => notes?.add(key, value),
    // Plain JSON, so that a value equals what an expectation or a report shows of it.
    observe: (id, value) => void tally.observations.push({ id, value: JSON.parse(JSON.stringify(value ?? null)) }),
  }
}

/**
 * Returns a context for requests that belong to no check, and that may write.
 *
 * @param signal ends the requests and waits
 */
export function contextOf(session: Session, signal: AbortSignal): CheckContext {
  const context = createContext(session, { signal, fetch: session.fetch, tally: { observations: [] } })
  return { ...context, permit: () => {} }
}

/** Returns the seed of a day: its UTC date, such as 20260617. */
export function seedOf(time: Date): number {
  return Number(time.toISOString().slice(0, 10).replaceAll('-', ''))
}

async function judge(run: () => Promise<void>, { text }: Redactor, signal: AbortSignal): Promise<Verdict> {
  try {
    await run()
    return { outcome: 'pass' }
  } catch (error) {
    const message = text(reasonOf(error))
    if (error instanceof Failure) {
      const [expected, seen] = [text(error.expected), text(error.seen)]
      const calls: readonly CaseCall[] = JSON.parse(JSON.stringify(error.calls), (_, value) =>
        typeof value === 'string' ? text(value) : value,
      )
      const evidence = { expected, seen, ...(calls.length > 0 && { calls }) }
      return { outcome: 'fail', message: text(error.message), evidence }
    }
    if (error instanceof Skip || isCausedBySkip(error)) return { outcome: 'skip', message }
    if (signal.aborted) return { outcome: 'skip', message: endOf(signal) }
    if (error instanceof TargetUnavailable) return { outcome: 'error', message: text(error.message) }
    return { outcome: 'error', message: `fault of the suite: ${message}` }
  }
}

/** Says why a run ended early. */
export function endOf({ reason }: AbortSignal): string {
  return reason instanceof RunEnd ? reason.message : 'the run was interrupted'
}

/** Detects a request that a Skip prevented. The check itself sees such a request as an unavailable target. */
function isCausedBySkip(error: unknown): boolean {
  return error instanceof Error && (error.cause instanceof Skip || isCausedBySkip(error.cause))
}

function once<T>(shared: Map<string, Promise<unknown>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = shared.get(key)
  // The caller's type parameter must match the value that is stored under the key.
  if (known) return known as Promise<T>
  const value = make()
  shared.set(key, value)
  value.catch(() => shared.delete(key))
  return value
}

/** Returns why a check cannot run: the fixtures or the target lack something, or the budget is spent. */
function missingNeed(needs: readonly Need[], session: Session, budget?: Budget): Verdict | undefined {
  const fixtures: Readonly<Record<string, unknown>> = { ...session.fixtures }
  const credentials: Readonly<Record<string, unknown>> = { ...session.fixtures.credentials }
  if (needs.includes('virtual-clock') && !session.virtualClock)
    return { outcome: 'skip', message: 'the target has no virtual clock', deferred: true }
  const missing = needs.find((name) => {
    const [, credential] = name.split('credentials.')
    return (
      name !== 'virtual-clock' && (credential === undefined ? fixtures[name] === undefined : !credentials[credential])
    )
  })
  if (missing !== undefined) return { outcome: 'skip', message: `the fixtures have no ${missing}` }
  return budget && budget.left < 1 ? { outcome: 'skip', message: budgetSpent } : undefined
}
