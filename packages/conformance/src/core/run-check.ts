import type { Operation } from '@cdn/api/contract'
import { writeOf } from '../checks/writes.ts'
import { createRecorder } from '../recording/recorder.ts'
import { createRedactor, type Redactor } from '../recording/redact.ts'
import type { CheckResult, Exchange, ExchangeBreach, Observation, Outcome } from '../report/model.ts'
import { BudgetSpent, type RequestBudget } from '../runner/suite/budget.ts'
import type { UndoJournal } from '../runner/undo/journal.ts'
import { performUndo } from '../runner/undo/perform-undo.ts'
import type { Session } from '../targets/target.ts'
import type { Check, CheckContext, Need, UndoStep } from './check.ts'
import { Failure, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import { basesOf, requestedOperation } from './requested-operation.ts'
import { toRequest } from './to-request.ts'

/** The result of one run of a check. */
export interface CheckRun {
  readonly result: CheckResult
  readonly observations: readonly Observation[]
  readonly breaches: readonly ExchangeBreach[]
  /** Labels of the requested operations. */
  readonly operations: readonly string[]
}

/** Why a check does not run, and its outcome. */
export interface Withheld {
  readonly outcome: 'skip' | 'disabled'
  readonly message: string
  /** Whether a run on another day runs this check. */
  readonly deferred?: true
}

export interface RunCheckOptions {
  readonly withheld?: Withheld | undefined
  /** Aborts the requests of an interrupted run. */
  readonly signal: AbortSignal
  /** Stores undo steps in case of a crash. Omitted if the target does not outlive the check. */
  readonly journal?: UndoJournal | undefined
  /** The remaining budget of requests; unlimited if omitted. */
  readonly budget?: RequestBudget | undefined
  /** Seed of the random cases; the target's date by default, such as 20260617. */
  readonly seed?: number | undefined
}

/** Attempts and pauses for undoing a write right after its check. The journal keeps the steps that still fail. */
const patience = { attempts: 3, pauseMs: 50 }

/**
 * Runs one check in one session. Never throws, because every error becomes an outcome. After the check, undoes the
 * registered writes, whatever the outcome.
 */
export async function runCheck(
  check: Check,
  session: Session,
  { withheld, signal, journal, budget, seed = dateOf(session.now()) }: RunCheckOptions,
): Promise<CheckRun> {
  const redactor = createRedactor(session.fixtures.credentials)
  const recording = createRecorder({
    fetch: session.fetch,
    bases: basesOf(session),
    redactor,
    check: check.id,
  })
  const started = performance.now()
  const observations: Observation[] = []
  const written: { readonly step: UndoStep; readonly key?: string | undefined }[] = []
  const missing = withheld ? undefined : missingNeed(check.needs, session)
  let cases: number | undefined
  const count = () => {
    cases = (cases ?? 0) + 1
  }
  let exchanges: readonly Exchange[] = []
  let result: Result
  if (withheld) result = withheld
  else if (missing) result = { outcome: 'skip', message: missing }
  else if (budget?.isSpent()) result = { outcome: 'skip', message: new BudgetSpent().message }
  else {
    const bases = basesOf(session)
    const send: typeof fetch = async (input, init) => {
      const request = toRequest(input, init)
      const operation = requestedOperation(request, bases)?.operation
      if (operation) permit(operation, session)
      budget?.take()
      return recording.fetch(request)
    }
    const onUndo = async (step: UndoStep) => {
      budget?.take()
      written.push({ step, key: await journal?.add(check.id, step) })
    }
    result = await judge(
      () => check.run(contextOf(session, { fetch: send, signal, onUndo, seed, count }, observations)),
      redactor,
      signal,
    )
    // Taken before the undo, whose exchanges show nothing about the requirement.
    if (isWrong(result)) exchanges = recording.evidence()
    for (const { step, key } of written.toReversed()) {
      const failure = await performUndo(step, recording.fetch, session.fixtures.credentials, patience)
      // If the journal cannot be written, its step stays, and the undo runner performs it again.
      if (failure === undefined && key !== undefined) await journal?.done(key).catch(() => {})
    }
  }
  const { outcome, message, expected, seen } = result
  return {
    result: {
      id: check.id,
      requirements: check.requirements,
      source: check.source,
      basis: check.basis,
      effect: check.effect,
      ...(check.part !== undefined && { part: check.part }),
      outcome,
      durationMs: Math.round(performance.now() - started),
      requests: recording.requests(),
      ...(cases !== undefined && { cases }),
      ...(withheld?.deferred && { deferred: true }),
      ...(message !== undefined && { message: explain(message, check, outcome) }),
      ...(isWrong(result) && {
        evidence: { ...(expected !== undefined && { expected }), ...(seen !== undefined && { seen }), exchanges },
      }),
    },
    observations: [...observations, ...recording.observations],
    breaches: recording.breaches,
    operations: [...recording.operations],
  }
}

/** A live target receives no operation with an unreviewed effect, and no write that the suite cannot undo. */
function permit(operation: Operation, { disposable }: Session): void {
  if (disposable) return
  if (operation.assumed) throw new Skip(`the effect of ${operation.name} was assumed by an import and never reviewed`)
  if (operation.effect !== 'read' && !writeOf(operation))
    throw new Skip(`the suite does not know how to undo ${operation.name}`)
}

function dateOf(time: Date): number {
  return Number(time.toISOString().slice(0, 10).replaceAll('-', ''))
}

interface Result {
  readonly outcome: Outcome
  readonly message?: string
  readonly expected?: string
  readonly seen?: string
}

function isWrong({ outcome }: Result): boolean {
  return outcome === 'fail' || outcome === 'error'
}

async function judge(run: () => Promise<void>, redactor: Redactor, signal: AbortSignal): Promise<Result> {
  try {
    await run()
    return { outcome: 'pass' }
  } catch (error) {
    const message = redactor.text(reasonOf(error))
    if (error instanceof Failure) {
      return {
        outcome: 'fail',
        message: redactor.text(error.message),
        expected: redactor.text(error.expected),
        seen: redactor.text(error.seen),
      }
    }
    if (error instanceof Skip || isCausedBySkip(error)) return { outcome: 'skip', message }
    if (signal.aborted) return { outcome: 'skip', message: 'the run was interrupted' }
    if (error instanceof TargetUnavailable) return { outcome: 'error', message: redactor.text(error.message) }
    return { outcome: 'error', message: `fault of the suite: ${message}` }
  }
}

/** Detects a request that a Skip prevented. The check itself sees such a request as an unavailable target. */
function isCausedBySkip(error: unknown): boolean {
  return error instanceof Error && (error.cause instanceof Skip || isCausedBySkip(error.cause))
}

/** Adds to a message that a failed observation through the supplement may also mean that the supplement is wrong. */
function explain(message: string, check: Check, outcome: Outcome): string {
  const specThroughSupplement = check.source === 'spec' && check.basis === 'supplement' && outcome === 'fail'
  return specThroughSupplement
    ? `${message} (observed through the supplement: the spec does not state how to observe it)`
    : message
}

function contextOf(
  session: Session,
  own: Pick<CheckContext, 'fetch' | 'signal' | 'onUndo' | 'seed' | 'count'>,
  observations: Observation[],
): CheckContext {
  const { signal } = own
  return {
    ...own,
    permit: (operation) => permit(operation, session),
    management: session.management,
    logging: session.logging,
    ...(session.imported && { imported: session.imported }),
    fixtures: session.fixtures,
    now: () => session.now(),
    virtualClock: session.virtualClock,
    rest: (zone, quietMs) => unlessAborted(session.rest(zone, quietMs), signal),
    alone: (zones, work) => session.alone(zones, work),
    once: (key, make) => once(session.shared, key, make),
    recall: (key) => session.notes.recall(key),
    note: (key, value) => session.notes.add(key, value),
    wait: (ms) => unlessAborted(session.wait(ms), signal),
    observe: (id, value) => void observations.push({ id, value, drift: false }),
  }
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

/** Waits for the work, at most until the run is interrupted. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    // The race also handles a rejection of the work that loses it.
    await Promise.race([promise, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  const fixtures: Readonly<Record<string, unknown>> = { ...session.fixtures }
  const credentials: Readonly<Record<string, unknown>> = { ...session.fixtures.credentials }
  const missing = needs.find((name) => {
    if (name === 'virtual-clock') return !session.virtualClock
    const [, credential] = name.split('credentials.')
    return credential === undefined ? fixtures[name] === undefined : !credentials[credential]
  })
  if (missing === undefined) return undefined
  return missing === 'virtual-clock' ? 'the target has no virtual clock' : `the fixtures have no ${missing}`
}
