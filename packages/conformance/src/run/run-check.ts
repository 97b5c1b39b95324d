import type { Operation } from '@cdn/api/contract'
import type { CaseCall } from '../cases/case.ts'
import type { Notes } from '../memory/notes.ts'
import type { CheckResult, ExchangeBreach, Observation } from '../report/model.ts'
import { deletionInList, deletionOf, writeOf } from '../scenarios/state/undo-steps.ts'
import type { Check, CheckContext, ConstraintCase, Need, UndoStep } from './check.ts'
import { Failure, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import { createRecorder } from './recorder.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { type RequestedOperation, requestedOperation, toRequest } from './requested-operation.ts'
import type { Session } from './targets/target.ts'
import type { UndoJournal } from './undo/journal.ts'
import { performUndo, settleMs } from './undo/undo-runner.ts'

/** The result of one run of a check. */
export interface CheckRun {
  readonly result: CheckResult
  readonly observations: readonly Observation[]
  readonly breaches: readonly ExchangeBreach[]
  /** Labels of the requested operations. */
  readonly operations: readonly string[]
  /** The constraints of the contract that the cases of the check broke or met. */
  readonly constraints?: readonly ConstraintCase[]
}

/** Why a check does not run, and its outcome. */
export interface Withheld {
  readonly outcome: 'skip' | 'disabled'
  readonly message: string
  /** Whether a run on another day runs this check. */
  readonly deferred?: true
}

const budgetSpent = 'budget spent'

export interface RunCheckOptions extends Partial<Pick<CheckContext, 'seed' | 'minutes' | 'stored' | 'replay'>> {
  readonly withheld?: Withheld | undefined
  /** Interrupts the check. Afterwards, it cannot send a request. */
  readonly signal: AbortSignal
  /** The notes of earlier runs; none by default. */
  readonly notes?: Notes | undefined
  /** Stores undo steps in case of a crash. Omitted if the target does not outlive the check. */
  readonly journal?: UndoJournal | undefined
  /** The number of requests that the run may still send; unlimited if omitted. */
  readonly budget?: { left: number } | undefined
}

const noVirtualClock = 'the target has no virtual clock'
/** Attempts to undo a write right after its check, and the first pause in ms. The journal keeps the steps that still fail. */
const [undoAttempts, undoPauseMs] = [3, 50]

/**
 * Runs one check in one session. Never throws, because every error becomes an outcome. After the check, undoes the
 * registered writes, whatever the outcome. An interrupted check leaves them to the journal's undo runner.
 *
 * @param options by default, the seed is the target's date, such as 20260617
 */
export async function runCheck(check: Check, session: Session, options: RunCheckOptions): Promise<CheckRun> {
  const { withheld, signal, journal, notes, budget = { left: Number.POSITIVE_INFINITY } } = options
  const { seed = seedOf(session.now()), minutes = 0, stored, replay = false } = options
  const redactor = createRedactor(session.fixtures.credentials)
  const { bases } = session
  const recording = createRecorder(session.fetch, bases, redactor, check.id)
  const started = performance.now()
  const observations: Observation[] = []
  /** The steps that are not performed yet, with their keys in the journal. */
  const written = new Map<UndoStep, string | undefined>()
  /** Steps of creations without a response. A list may not show yet what they created. */
  const lost = new Set<UndoStep>()
  let cases: number | undefined
  const constraints: ConstraintCase[] = []
  // A check takes one request for each undo when it registers the undo, so that an undo never lacks budget.
  const take = () => {
    if (budget.left < 1) throw new Skip(budgetSpent)
    budget.left--
  }
  const register = async (step: UndoStep) => {
    written.set(step, await journal?.add(check.id, step))
  }
  /** Registers how to delete what a request may create. Its budget is taken at once, before checks that run meanwhile can spend it. */
  const guardCreation = async (requested: RequestedOperation, request: Request) => {
    take()
    const step = await deletionInList(context, requested, await request.clone().text())
    if (step) await register(step)
    if (step) lost.add(step)
    else budget.left++
    return step
  }
  /** Forgets a step. If the journal cannot be written, its step stays, and the undo runner performs it again. */
  const settle = async (step: UndoStep) => {
    const key = written.get(step)
    written.delete(step)
    if (key !== undefined) await journal?.done(key).catch(() => {})
  }
  const { disposable, shared, close: _, ...view } = session
  const context: CheckContext = {
    ...view,
    ...{ signal, seed, minutes, stored, replay },
    fetch: async (input, init) => {
      signal.throwIfAborted()
      const request = toRequest(input, init)
      const requested = requestedOperation(request, bases)
      if (requested) permit(requested.operation, session)
      take()
      const mayCreate = requested?.operation.action?.kind === 'create' ? requested : undefined
      const inList = mayCreate && !disposable && (await guardCreation(mayCreate, request))
      const response = await recording.fetch(request)
      if (mayCreate && response.ok)
        for (const step of await deletionOf(context, mayCreate, await response.clone().text())) await register(step)
      if (inList && response.status < 500) {
        lost.delete(inList)
        // Somebody else may create an item with these values later.
        if (inList.find?.except) await settle(inList)
      }
      return response
    },
    onUndo: async (step) => {
      take()
      await register(step)
    },
    count: (constraint) => {
      cases = (cases ?? 0) + 1
      if (constraint) constraints.push(constraint)
    },
    permit: (operation) => permit(operation, session),
    once: (key, make) => once(shared, key, make),
    recall: (key) => notes?.recall(key) ?? [],
    note: (key, value) => notes?.add(key, value),
    // Plain JSON, so that a value equals what a baseline or a report shows of it.
    observe: (id, value) =>
      void observations.push({ id, value: JSON.parse(JSON.stringify(value ?? null)), drift: false }),
  }
  const missing = missingNeed(check.needs, session) ?? (budget.left < 1 ? budgetSpent : undefined)
  let result: Result
  if (withheld) result = withheld
  else if (missing) result = { outcome: 'skip', message: missing }
  else {
    result = await judge(() => check.run(context), redactor, signal)
    // Taken before the undo, whose exchanges show nothing about the requirement.
    const isWrong = result.outcome === 'fail' || result.outcome === 'error'
    if (isWrong) result = { ...result, evidence: { ...result.evidence, exchanges: recording.evidence() } }
    if (lost.size > 0 && !signal.aborted) await session.wait(settleMs).catch(() => {})
    for (const step of signal.aborted && journal ? [] : [...written.keys()].toReversed()) {
      // The key of the platform is not sent to another operator's server.
      const isOfPlatform = step.url.startsWith(bases.management.href)
      const accessKey = isOfPlatform ? session.fixtures.credentials.accessKey : undefined
      // A target that did not answer the creation may be unavailable.
      const attempts = lost.has(step) && journal ? 1 : undoAttempts
      const failure = await performUndo(step, recording.fetch, accessKey, attempts, undoPauseMs)
      if (failure === undefined) await settle(step)
    }
  }
  const { id, requirements, source, basis, effect, part } = check
  const { outcome, message, evidence } = result
  // A failed observation through the supplement may also mean that the supplement is wrong.
  const isThroughSupplement = source === 'spec' && basis === 'supplement' && outcome === 'fail'
  const note = isThroughSupplement
    ? ' (observed through the supplement: the spec does not state how to observe it)'
    : ''
  return {
    result: {
      ...{ id, requirements, source, basis, effect },
      ...(part !== undefined && { part }),
      outcome,
      durationMs: Math.round(performance.now() - started),
      requests: recording.requests(),
      ...(cases !== undefined && { cases }),
      ...((withheld?.deferred || missing === noVirtualClock) && { deferred: true }),
      ...(message !== undefined && { message: message + note }),
      ...(evidence && { evidence }),
    },
    observations: [...observations, ...recording.observations],
    breaches: recording.breaches,
    operations: [...recording.operations],
    ...(constraints.length > 0 && { constraints }),
  }
}

/**
 * A live target receives no write that the suite cannot undo.
 *
 * @throws Skip with the reason
 */
export function permit(operation: Operation, { disposable }: Pick<Session, 'disposable'>): void {
  if (disposable) return
  if (operation.effect !== 'read') writeOf(operation)
}

/** Returns the seed of a day: its UTC date, such as 20260617. */
export function seedOf(time: Date): number {
  return Number(time.toISOString().slice(0, 10).replaceAll('-', ''))
}

type Result = Pick<CheckResult, 'outcome' | 'message' | 'evidence'>

async function judge(run: () => Promise<void>, { text }: Redactor, signal: AbortSignal): Promise<Result> {
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
      const evidence = { expected, seen, exchanges: [], ...(calls.length > 0 && { calls }) }
      return { outcome: 'fail', message: text(error.message), evidence }
    }
    if (error instanceof Skip || isCausedBySkip(error)) return { outcome: 'skip', message }
    if (signal.aborted) return { outcome: 'skip', message: 'the run was interrupted' }
    if (error instanceof TargetUnavailable) return { outcome: 'error', message: text(error.message) }
    return { outcome: 'error', message: `fault of the suite: ${message}` }
  }
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

function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  const fixtures: Readonly<Record<string, unknown>> = { ...session.fixtures }
  const credentials: Readonly<Record<string, unknown>> = { ...session.fixtures.credentials }
  const missing = needs.find((name) => {
    if (name === 'virtual-clock') return !session.virtualClock
    const [, credential] = name.split('credentials.')
    return credential === undefined ? fixtures[name] === undefined : !credentials[credential]
  })
  if (missing === undefined) return undefined
  return missing === 'virtual-clock' ? noVirtualClock : `the fixtures have no ${missing}`
}
