import { contracts } from '@cdn/api/contract'
import type { Check, CheckContext, Fixtures, Need, UndoStep } from './check.ts'
import { Failure, reasonOf, Skip, TargetUnavailable } from './failure.ts'
import type { CheckResult, Evidence, Observation, Outcome, WireBreach } from './report/model.ts'
import type { Session } from './targets/target.ts'
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

/**
 * Runs one check against one session and never throws: whatever happens becomes an outcome. Writes that the check
 * registered are taken back afterwards, whatever its outcome.
 *
 * @param options.signal ends the requests of an interrupted run
 */
export async function runCheck(
  check: Check,
  session: Session,
  { withheld, signal }: { withheld?: Withheld; signal: AbortSignal },
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
  const undo: UndoStep[] = []
  const missing = withheld ? undefined : missingNeed(check.needs, session)
  let verdict: Verdict
  if (withheld) verdict = withheld
  else if (missing) verdict = { outcome: 'skip', message: missing }
  else {
    const context = contextOf(session, signal, recording, observations, undo)
    verdict = await judge(() => check.run(context), redactor)
    verdict = (await takeBack(undo, session, recording, redactor)) ?? verdict
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

async function judge(run: () => Promise<void>, redactor: Redactor): Promise<Verdict> {
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
    if (error instanceof Skip) return { outcome: 'skip', message }
    if (error instanceof TargetUnavailable) return { outcome: 'error', message: redactor.text(error.message) }
    return { outcome: 'error', message: `fault of the suite: ${message}` }
  }
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
  recording: Recording,
  observations: Observation[],
  undo: UndoStep[],
): CheckContext {
  return {
    fetch: recording.fetch,
    management: session.management,
    logging: session.logging,
    fixtures: session.fixtures,
    now: () => session.now(),
    wait: (ms) => session.wait(ms),
    signal,
    onUndo: async (step) => void undo.push(step),
    observe: (id, value) => void observations.push({ id, value, drift: false }),
  }
}

function withDeadline(send: typeof fetch): typeof fetch {
  return (input, init) => {
    const signals = [AbortSignal.timeout(answerTimeoutMs), ...(init?.signal ? [init.signal] : [])]
    return send(input, { ...init, signal: AbortSignal.any(signals) })
  }
}

/** Takes writes back, the last first. A failed undo outweighs the check's own outcome: the target is not as it was. */
async function takeBack(
  steps: readonly UndoStep[],
  { fixtures }: Session,
  recording: Recording,
  redactor: Redactor,
): Promise<Verdict | undefined> {
  const [scheme] = contracts.management.schemes.filter(({ kind }) => kind === 'key')
  let trouble: Verdict | undefined
  for (const { text, method, url, headers, body } of steps.toReversed()) {
    try {
      const credential = scheme ? { [scheme.header]: fixtures.credentials.accessKey ?? '' } : {}
      const init = { method, headers: { ...headers, ...credential }, redirect: 'manual' as const }
      const response = await recording.fetch(url, body === undefined ? init : { ...init, body })
      await response.body?.cancel()
      // What was never added cannot be removed: a 4xx leaves the target as it was.
      if (response.status >= 500)
        trouble = { outcome: 'error', message: `could not ${text}: status ${response.status}` }
    } catch (error) {
      trouble = { outcome: 'error', message: redactor.text(`could not ${text}: ${reasonOf(error)}`) }
    }
  }
  return trouble
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
