import { judgeWrites } from '../cases/state/judge-writes.ts'
import { readBeforeWrites } from '../cases/state/read-resources.ts'
import type { Check, CheckContext } from '../exchange/check.ts'
import type { ReceivedResponse, Send } from '../exchange/exchange.ts'
import { errorReason, Failure, NothingToJudge, Skip, TargetUnavailable } from '../exchange/failure.ts'
import type { HistoryEntry } from '../exchange/history.ts'
import { receive } from '../exchange/receive.ts'
import { createRedactor, type Redactor } from '../exchange/redact.ts'
import type { CheckResult, ExchangeBreach, Observation } from '../exchange/report-model.ts'
import { requestedOperation } from '../exchange/requested-operation.ts'
import { seenStatus } from '../exchange/response.ts'
import { type CheckRun, seedOf } from '../exchange/run-types.ts'
import type { Notes } from '../memory/memory.ts'
import { failureText } from '../report/cause-text.ts'
import { isWrite, keyOf } from '../rules/state/registers.ts'
import type { StateViolation } from '../rules/state/suspects.ts'
import { createRecorder, exchangesOf, redactStrings } from './recorder.ts'
import type { Sweeper } from './sweep/sweep.ts'
import type { Session, Shared } from './targets/target.ts'

/** Why a check does not run. */
export interface WithheldReason {
  readonly message: string
  /** Whether a run on another day runs this check. */
  readonly deferred?: true
  /** Whether the run lacks a permission, a fixture or a clock that the check needs. Nothing is wrong then. */
  readonly withheld?: true
}

export interface RunCheckOptions extends Partial<Pick<CheckContext, 'seed' | 'stored' | 'replay'>> {
  /** Ends the check. Afterwards, it cannot send a request. The reason is a `RunEnd`, unless the user interrupted the run. */
  readonly signal: AbortSignal
  /** The notes of earlier runs; none by default. */
  readonly notes?: Notes | undefined
  /** Undoes the writes. Omitted if the target does not outlive the check. */
  readonly sweeper?: Sweeper | undefined
  /** The number of requests that the run may still send; unlimited if omitted. */
  readonly budget?: { left: number } | undefined
}

/** Reason of a signal that ends a run before its checks have ended, other than an interruption by the user. */
export class RunEnd extends Error {
  override readonly name = 'RunEnd'
}

/** Cases and observations of a check while it runs. */
interface Tally {
  cases?: number
  /** Whether the check used a shared value that was made from responses to another check. */
  shared?: true
  readonly observations: Observation[]
}

type Verdict = Pick<CheckResult, 'outcome' | 'message' | 'deferred' | 'withheld' | 'unshown'> & {
  readonly evidence?: Omit<NonNullable<CheckResult['evidence']>, 'exchanges'>
  /** The responses that show a failure. */
  readonly responses?: readonly ReceivedResponse[]
}

/**
 * Runs one check in one session, and then undoes its writes. Each error of the check becomes an outcome. If the check is interrupted, the
 * sweep at the end of the run undoes its writes.
 *
 * @param options by default, the seed is the target's date, such as 20260617
 * @throws an unexpected error of the judge of the state, or of undoing the writes
 */
export async function runCheck(check: Check, session: Session, options: RunCheckOptions): Promise<CheckRun> {
  const { sweeper } = options
  // Each request listens to its signal, and one signal of all checks would soon have many thousands of listeners.
  const signal = AbortSignal.any([options.signal])
  const redactor = createRedactor(session.fixtures.credentials)
  const recorder = createRecorder(session, redactor, check.id)
  const writes = sweeper?.watch()
  // Sends only permitted requests, none after an interruption or beyond the budget, and records each write for the sweeper.
  const send: Send = async (request, sent) => {
    signal.throwIfAborted()
    const requested = requestedOperation(request, session.bases)
    const sendNow = async () => {
      spend(options, request, session)
      return recorder.record(request, requested, sent)
    }
    if (!writes || !requested || requested.operation.effect === 'read') return sendNow()
    sweeper?.permit(requested.operation)
    await readBeforeWrites(context)
    return writes.send(requested, request, sendNow)
  }
  const tally: Tally = { observations: [] }
  const context = contextOf(session, { ...options, signal, send, tally })
  const from = context.history.length
  const own = missingNeed(check, session, options) ?? (await judge(() => check.run(context), redactor, signal))
  const hasWritten = context.history.slice(from).some((entry) => entry.check === check.id && isWrite(entry))
  const isJudged = hasWritten && !session.stateless && !signal.aborted
  if (isJudged) for (const violation of await brokenStates(context, from)) recorder.addState(violation)
  // A sentence is broken if an exchange of the check or a read of the state breaks it, whichever check sent the write.
  const states = await context.once('broken states', async () => new Set<ExchangeBreach>())
  for (const breach of recorder.breaches) if (breach.seen.kind === 'state') states.add(breach)
  const isOfCheck = ({ requirements }: ExchangeBreach) => requirements.some((id) => check.requirements.includes(id))
  const isDecided = own.outcome === 'fail' || session.stateless
  const breach = isDecided ? undefined : [...states, ...recorder.breaches].find(isOfCheck)
  const verdict = breach ? failedBy(breach) : own
  const isWrong = verdict.outcome === 'fail' || verdict.outcome === 'error'
  if (!signal.aborted) await writes?.takeBack(isWrong)
  const { evidence, responses = [], ...shown } = verdict
  const ofResponses = evidence?.seen ? exchangesOf(responses, evidence.seen) : []
  const accused = breach?.exchanges ?? ofResponses
  const { cases, shared } = tally
  return {
    result: {
      ...checkResult(check, shown),
      ...{ durationMs: recorder.durationMs(), requests: recorder.requests() },
      ...(cases !== undefined && { cases }),
      ...(shared && { shared }),
      ...(breach && breach.check !== check.id && { sentBy: breach.check }),
      ...(isWrong && { evidence: { ...evidence, exchanges: accused.length > 0 ? accused : recorder.evidence() } }),
    },
    observations: [...tally.observations, ...recorder.observations],
    breaches: recorder.breaches,
    operations: [...recorder.operations],
  }
}

function failedBy({ expected, seen }: ExchangeBreach): Verdict {
  return { outcome: 'fail', message: failureText({ expected, seen }), evidence: { expected, seen } }
}

/** The registers whose violations have been reported, by the read that shows them. */
const reported = new WeakMap<HistoryEntry, Set<string>>()

/** Reads what the writes of a check may have changed, and returns the violations that no earlier check reported. */
async function brokenStates(context: CheckContext, from: number): Promise<readonly StateViolation[]> {
  try {
    const { violations } = await judgeWrites(context, from)
    return violations.filter(({ at, register }) => {
      const all = reported.get(at) ?? new Set()
      reported.set(at, all)
      const isNew = !all.has(keyOf(register))
      all.add(keyOf(register))
      return isNew
    })
  } catch (error) {
    if (error instanceof TargetUnavailable || error instanceof Skip || context.signal.aborted) return []
    throw error
  }
}

/** Returns the result of a check that does not run: `skip` with the reason. */
export function withheldRun(check: Check, withheld: WithheldReason): CheckRun {
  return {
    result: checkResult(check, { outcome: 'skip', ...withheld }),
    observations: [],
    breaches: [],
    operations: [],
  }
}

function checkResult(
  { id, requirements, source, basis, effect, part, wrongKey }: Check,
  { outcome, message, deferred, withheld, unshown }: Omit<Verdict, 'evidence' | 'responses'>,
): CheckResult {
  // A failed observation through the supplement may also mean that the supplement is wrong.
  const isThroughSupplement = source === 'spec' && basis === 'supplement' && outcome === 'fail'
  const note = isThroughSupplement
    ? ' (observed through the supplement: the spec does not state how to observe it)'
    : ''
  return {
    ...{ id, requirements, source, basis, effect, outcome, durationMs: 0, requests: 0 },
    ...(part !== undefined && { part }),
    ...(deferred && { deferred }),
    ...(withheld && { withheld }),
    ...(unshown && { unshown }),
    ...(wrongKey && { rotates: true as const }),
    ...(message !== undefined && { message: message + note }),
  }
}

const budgetSpent = 'budget spent'

/**
 * Counts a request. A write counts twice, because a second request undoes it, unless the target is disposable.
 *
 * @throws Skip if the budget is spent
 */
function spend({ budget }: RunCheckOptions, { method }: Request, { disposable }: Session): void {
  if (!budget) return
  if (budget.left < 1) throw new Skip(budgetSpent)
  budget.left -= method === 'GET' || disposable ? 1 : 2
}

interface ContextOptions extends RunCheckOptions {
  /** By default, the requests are neither recorded nor counted. */
  readonly send?: Send
  readonly tally?: Tally
  /** Whether the requests may write without a sweeper. */
  readonly isSweep?: boolean
}

/** Returns the context of a check, or of requests that belong to no check. */
export function contextOf(
  session: Session,
  { sweeper, notes, signal, isSweep = false, ...options }: ContextOptions,
): CheckContext {
  const { seed = seedOf(session.now()), stored, replay = false, tally } = options
  const { fetch, shared, disposable, history, ...known } = session
  const { send = async (request) => receive(await fetch(request)) } = options
  // Counts the requests of this context, and its uses of shared values that were made from responses.
  let responses = 0
  const counted: Send = (request, sent) => {
    responses++
    return send(request, sent)
  }
  return {
    alone: (_, work) => work(),
    rest: (_, quietMs) => session.wait(quietMs),
    ...known,
    ...{ send: counted, signal, seed, stored, replay, history: history.entries, since: history.since },
    permit: (operation) => {
      if (operation.effect !== 'read' && !disposable && !sweeper && !isSweep) throw new Skip('the run may not write')
      sweeper?.permit(operation)
    },
    count: () => {
      if (tally) tally.cases = (tally.cases ?? 0) + 1
    },
    once: async <T>(key: string, make: () => Promise<T>) => {
      const known = shared.get(key)
      if (known) {
        // The caller's type parameter must match the value that is stored under the key.
        const value = (await known.value) as T
        if (!known.hasResponses) return value
        responses++
        if (tally) tally.shared = true
        return value
      }
      const before = responses
      const one: Shared = { value: make(), hasResponses: false }
      shared.set(key, one)
      const end = () => {
        one.hasResponses = responses > before
      }
      one.value.then(end, () => shared.delete(key))
      return one.value as Promise<T>
    },
    recall: (key) => notes?.recall(key) ?? [],
    note: (key, value) => notes?.add(key, value),
    // Convert the value to plain JSON, so that it equals the value in a report or in an expectation.
    observe: (id, value) => void tally?.observations.push({ id, value: JSON.parse(JSON.stringify(value ?? null)) }),
  }
}

async function judge(run: () => Promise<void>, redactor: Redactor, signal: AbortSignal): Promise<Verdict> {
  const { text } = redactor
  try {
    await run()
    return { outcome: 'pass' }
  } catch (error) {
    const message = text(errorReason(error))
    if (error instanceof Failure) {
      const { responses = [], ...proof } = error.proof
      const { expected, seen } = error
      const evidence = redactStrings({ expected, seen, ...proof }, redactor)
      return { outcome: 'fail', message: failureText(evidence), evidence, responses }
    }
    if (error instanceof Skip)
      return { outcome: 'skip', message, ...(error instanceof NothingToJudge && { unshown: true as const }) }
    if (signal.aborted) return { outcome: 'skip', message: endReason(signal) }
    if (error instanceof TargetUnavailable) {
      const { response } = error
      const seen = response ? seenStatus(response) : ({ kind: 'silence', reason: errorReason(error) } as const)
      const evidence = { seen: redactStrings(seen, redactor) }
      return { outcome: 'error', message: text(error.message), evidence, responses: [] }
    }
    return { outcome: 'error', message: `fault of the suite: ${message}` }
  }
}

export function endReason({ reason }: AbortSignal): string {
  return reason instanceof RunEnd ? reason.message : 'the run was interrupted'
}

/** Returns why a check cannot run: the fixtures or the target lack something, or the budget is spent. */
function missingNeed(
  { needs }: Check,
  { fixtures, virtualClock }: Session,
  { budget }: RunCheckOptions,
): Verdict | undefined {
  if (needs.includes('virtual-clock') && !virtualClock)
    return {
      outcome: 'skip',
      message: 'takes hours or days, so only the emulator shows it, whose clock can be moved',
      deferred: true,
      withheld: true,
    }
  const known: Readonly<Record<string, unknown>> = { ...fixtures, 'virtual-clock': true }
  const credentials: Readonly<Record<string, unknown>> = { ...fixtures.credentials }
  const missing = needs.find((name) => {
    const [, credential] = name.split('credentials.')
    return credential === undefined ? known[name] === undefined : !credentials[credential]
  })
  if (missing !== undefined) return { outcome: 'skip', message: `the fixtures have no ${missing}`, withheld: true }
  return budget && budget.left < 1 ? { outcome: 'skip', message: budgetSpent } : undefined
}
