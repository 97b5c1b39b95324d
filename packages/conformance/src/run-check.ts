import type { Check, CheckContext, Fixtures, Need, UndoStep } from './check.ts'
import { Failure, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import type { CheckResult, Evidence, Observation, Outcome, WireBreach } from './report/model.ts'
import { type Budget, BudgetSpent } from './suite/budget.ts'
import type { Session } from './targets/target.ts'
import type { UndoJournal } from './undo/journal.ts'
import { takeBack } from './undo/take-back.ts'
import { createRecorder, type Recording } from './wire/recorder.ts'
import { createRedactor, type Redactor } from './wire/redact.ts'

/** What one run of a check leaves behind. */
export interface CheckRun {
  readonly result: CheckResult
  readonly observations: readonly Observation[]
  readonly breaches: readonly WireBreach[]
  /** Names of the operations that were called. */
  readonly operations: readonly string[]
}

/** Why a check is not run at all; its outcome is then this. */
export interface Withheld {
  readonly outcome: 'skip' | 'disabled'
  readonly message: string
}

/** No answer is awaited longer than this; a target that keeps silent is an error of the target. */
const answerTimeoutMs = 30_000
/** So many of the last exchanges are kept as evidence. */
const exchangesKept = 5

export interface RunCheckOptions {
  readonly withheld?: Withheld | undefined
  /** Ends the requests of an interrupted run. */
  readonly signal: AbortSignal
  /** Keeps what is to be taken back, for the time after a crash; none where the target ends with the check. */
  readonly journal?: UndoJournal | undefined
  /** What the run may still send; without bounds where absent. */
  readonly budget?: Budget | undefined
}

/** Right after a check a write is tried to be taken back this often; what is left is the journal's. */
const patience = { attempts: 3, pauseMs: 50 }

/**
 * Runs one check against one session and never throws: whatever happens becomes an outcome. Writes that the check
 * registered are taken back afterwards, whatever its outcome.
 */
export async function runCheck(
  check: Check,
  session: Session,
  { withheld, signal, journal, budget }: RunCheckOptions,
): Promise<CheckRun> {
  const redactor = createRedactor(session.fixtures.credentials)
  const recording = createRecorder({
    fetch: withDeadline(session.fetch),
    bases: { management: session.management, logging: session.logging },
    redactor,
    check: check.id,
  })
  const started = performance.now()
  const observations: Observation[] = []
  const written: { readonly step: UndoStep; readonly key?: string | undefined }[] = []
  const missing = withheld ? undefined : missingNeed(check.needs, session)
  let verdict: Verdict
  if (withheld) verdict = withheld
  else if (missing) verdict = { outcome: 'skip', message: missing }
  else if (budget?.isSpent()) verdict = { outcome: 'skip', message: new BudgetSpent().message }
  else {
    const send: typeof fetch = async (input, init) => {
      budget?.take()
      return recording.fetch(input, init)
    }
    const onUndo = async (step: UndoStep) => {
      budget?.take()
      written.push({ step, key: await journal?.add(check.id, step) })
    }
    verdict = await judge(() => check.run(contextOf(session, signal, send, observations, onUndo)), redactor, signal)
    for (const { step, key } of written.toReversed()) {
      const trouble = await takeBack(step, recording.fetch, session.fixtures.credentials, patience)
      if (trouble === undefined && key !== undefined) await journal?.done(key)
    }
  }
  const { outcome, message, expected, seen } = verdict
  return {
    result: {
      id: check.id,
      requirements: check.requirements,
      ground: check.ground,
      through: check.through,
      effect: check.effect,
      outcome,
      durationMs: Math.round(performance.now() - started),
      requests: recording.exchanges.length,
      ...(message !== undefined && { message: explain(message, check, outcome) }),
      ...((outcome === 'fail' || outcome === 'error') && { evidence: evidenceOf(recording, expected, seen) }),
    },
    observations: [...observations, ...recording.observations],
    breaches: recording.breaches,
    operations: [...recording.operations],
  }
}

interface Verdict {
  readonly outcome: Outcome
  readonly message?: string
  readonly expected?: string
  readonly seen?: string
}

async function judge(run: () => Promise<void>, redactor: Redactor, signal: AbortSignal): Promise<Verdict> {
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

/** A request that was never sent reaches the check as an unavailable target. */
function isCausedBySkip(error: unknown): boolean {
  return error instanceof Error && (error.cause instanceof Skip || isCausedBySkip(error.cause))
}

/** A failure seen through the supplement may also mean that the supplement is wrong about the place to look at. */
function explain(message: string, check: Check, outcome: Outcome): string {
  const documentThroughSupplement = check.ground === 'document' && check.through === 'supplement' && outcome === 'fail'
  return documentThroughSupplement
    ? `${message} (seen through the supplement: the document does not show where to look)`
    : message
}

function evidenceOf(recording: Recording, expected?: string, seen?: string): Evidence {
  return {
    ...(expected !== undefined && { expected }),
    ...(seen !== undefined && { seen }),
    exchanges: recording.exchanges.slice(-exchangesKept),
  }
}

function contextOf(
  session: Session,
  signal: AbortSignal,
  send: typeof fetch,
  observations: Observation[],
  onUndo: CheckContext['onUndo'],
): CheckContext {
  return {
    fetch: send,
    management: session.management,
    logging: session.logging,
    fixtures: session.fixtures,
    now: () => session.now(),
    wait: (ms) => unlessAborted(session.wait(ms), signal),
    signal,
    onUndo,
    observe: (id, value) => void observations.push({ id, value, drift: false }),
  }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function withDeadline(send: typeof fetch): typeof fetch {
  return (input, init) => {
    const signals = [AbortSignal.timeout(answerTimeoutMs), ...(init?.signal ? [init.signal] : [])]
    return send(input, { ...init, signal: AbortSignal.any(signals) })
  }
}

function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  const missing = needs.find((name) => {
    if (name === 'virtual-clock') return !session.virtualClock
    const [group, key] = name.split('.')
    if (group === 'credentials' && key) return !session.fixtures.credentials[key as keyof Fixtures['credentials']]
    return session.fixtures[name as keyof Fixtures] === undefined
  })
  if (missing === undefined) return undefined
  return missing === 'virtual-clock' ? 'the target has no virtual clock' : `the fixtures have no ${missing}`
}
