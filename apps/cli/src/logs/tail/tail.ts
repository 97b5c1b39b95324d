import type { CallError, IncompleteLogsError, LogReader, LogRow, TransportError } from '@cdn/api'
import { createSeen, type Seen } from './seen.ts'

/** How a tail looks at the logs. Times are in milliseconds. */
export interface TailPlan {
  /** No look begins from here on; never ends where absent. */
  readonly until?: number | undefined
  /** How late a row may become visible and is still shown. */
  readonly latenessMs: number
  /** Pause between two looks. */
  readonly intervalMs: number
  /** How long logs are kept (§8). */
  readonly retentionMs: number
  /** How many rows are remembered; where more would have to be, `latenessMs` becomes less for a while. */
  readonly mostRows?: number
}

/** What a tail reads from. */
export interface TailSource {
  /** Reads a range of the zone, oldest row first. */
  readonly read: (from: number, to: number) => LogReader
  /** The platform's time in milliseconds since 1970. */
  readonly now: () => number
  /** Waits so many milliseconds; rejects when the tail is to end. */
  readonly sleep: (ms: number) => Promise<void>
}

/** What a tail tells. */
export type TailEvent =
  /** A row, once. `lateMs`: how old it was when it came behind rows that are newer; undefined where it came in order. */
  | { readonly kind: 'row'; readonly row: LogRow; readonly lateMs: number | undefined }
  /** A look has ended, well or not: all before `reached` has been seen at least once. */
  | { readonly kind: 'look'; readonly reached: number }
  /** A look failed; it is made again after a pause. */
  | { readonly kind: 'trouble'; readonly error: Error; readonly pauseMs: number }
  /** Rows of a range cannot be read any more. */
  | { readonly kind: 'lost'; readonly from: number; readonly to: number; readonly why: string }
  /** Too many rows to remember: rows before this point are not looked at again. */
  | { readonly kind: 'narrowed'; readonly from: number }

/** A look goes back over so much of what was read, at least; most late rows come soon. */
const overlapMs = 30_000
/** How often a look goes back over all that may still change, as a share of the lateness; at most so much of all time is spent on it. */
const [wideShare, wideCost] = [0.1, 0.2]
/** What has settled is forgotten in steps of so much time of the rows. */
const settleMs = 1000
/** What is so near to the end of the retention may be gone before a request arrives. */
const edgeMs = 300_000
const longestPauseMs = 60_000
/** How often one gap is tried before it is named as lost. */
const mostTries = 3
const standardMostRows = 500_000

/** How far a tail has come. Another one that is given the same goes on where it ended. Times are in milliseconds. */
export interface TailMemory {
  /** Rows before are done with: nobody looks there again. */
  settled: number
  /** Everything before has been seen at least once. */
  reached: number
  /** The newest row that was shown. */
  newest: number
  /** The rows from `settled` on that were shown. */
  readonly seen: Seen
}

/**
 * Makes the memory of a tail that begins.
 *
 * @param from rows before are not shown
 * @param seen rows from there on that were shown already
 */
export function createMemory(from: number, seen: Seen = createSeen()): TailMemory {
  return { settled: from, reached: from, newest: Number.NEGATIVE_INFINITY, seen }
}

/**
 * Follows the logs of a zone. Each look reads a range that overlaps the ones before, and a row is shown when it occurs more
 * often than it was shown: rows are compared whole, since ids may be null or shared. Most looks go back by half a minute;
 * now and then one goes back over all that has not settled, which is where rows can still arrive, so that every row that
 * becomes visible within `latenessMs` is shown once. Rows are forgotten only when a look has passed over them after their
 * lateness.
 *
 * @param memory is kept up to date: it may be saved whenever the last event was taken
 * @returns events, without end unless the plan has one; looks are made as fast as the events are taken
 * @throws what cannot pass: a LoggingError such as 403, a TransportError where the first look found nobody, or the reason of
 *   the signal that `read` and `sleep` obey
 */
export async function* tail(
  source: TailSource,
  plan: TailPlan,
  memory: TailMemory,
): AsyncGenerator<TailEvent, void, void> {
  const { now, sleep } = source
  const { until = Number.POSITIVE_INFINITY, intervalMs, latenessMs } = plan
  let wideDue = Number.NEGATIVE_INFINITY
  let failures = 0
  let hasAnswered = false

  for (let begun = now(); begun < until; begun = now()) {
    yield* leaveRetention(memory, begun - plan.retentionMs + edgeMs)
    const isWide = begun >= wideDue
    const failure = yield* look(source, plan, memory, begun, isWide)
    // Nobody there from the start: the address is wrong, or there is no network.
    if (failure && !hasAnswered && isUnsent(failure)) throw failure
    hasAnswered = true
    yield { kind: 'look', reached: memory.reached }
    if (!failure) {
      failures = 0
      if (isWide) wideDue = now() + Math.max(latenessMs * wideShare, (now() - begun) * (1 / wideCost - 1))
      await sleep(intervalMs)
    } else if (++failures >= mostTries && 'gap' in failure) {
      failures = 0
      yield* leaveGap(memory, failure as IncompleteLogsError)
    } else {
      const pauseMs = Math.min(intervalMs * 2 ** failures, longestPauseMs)
      yield { kind: 'trouble', error: failure, pauseMs }
      await sleep(pauseMs)
    }
  }
}

/**
 * Looks once, up to now.
 *
 * @param isWide goes back over all that has not settled
 * @returns why it failed, where a later look may do better
 */
async function* look(
  { read, now }: TailSource,
  { latenessMs, mostRows = standardMostRows }: TailPlan,
  memory: TailMemory,
  begun: number,
  isWide: boolean,
): AsyncGenerator<TailEvent, Error | undefined, void> {
  const { seen, settled, reached, newest } = memory
  const from = isWide ? settled : Math.max(settled, reached - overlapMs)
  const to = Math.max(from, begun)
  const reader = read(from, to)
  let failure: Error | undefined
  let forgotten = Number.NEGATIVE_INFINITY
  let due = Number.NEGATIVE_INFINITY
  /** The answer may have put right a clock that was fast: nothing after the platform's time has been seen. */
  const seenUntil = (time: number) => Math.min(time, now())
  /** All before a time has been handed out. */
  const settle = (time: number) => {
    if (isWide) memory.settled = Math.max(memory.settled, Math.min(time, seenUntil(begun) - latenessMs))
    seen.forget(memory.settled)
    forgotten = Math.max(forgotten, seen.shrink(mostRows, time))
    memory.settled = Math.max(memory.settled, forgotten)
  }
  seen.beginLook()
  try {
    for await (const row of reader) {
      const time = Date.parse(row.timestamp)
      // In between, so that a long way to catch up needs no more memory than a short one.
      if (time >= due) {
        settle(time)
        due = time + settleMs
      }
      if (!seen.add(time, row)) continue
      memory.newest = Math.max(memory.newest, time)
      yield { kind: 'row', row, lateMs: time < newest ? begun - time : undefined }
    }
  } catch (error) {
    if (!mayPass(error)) throw error
    failure = error
  }
  const position = failure ? Date.parse(reader.resume) : to
  memory.reached = Math.max(reached, seenUntil(position))
  settle(position)
  if (forgotten === memory.settled) yield { kind: 'narrowed', from: forgotten }
  return failure
}

/** What is older than the retention is gone; asking for it would be refused for ever. */
function* leaveRetention(memory: TailMemory, oldest: number): Generator<TailEvent> {
  if (memory.settled >= oldest) return
  const { reached } = memory
  if (reached < oldest) yield { kind: 'lost', from: reached, to: oldest, why: 'logs are not kept any longer (§8)' }
  memory.settled = oldest
  memory.reached = Math.max(reached, oldest)
}

/** What nobody can read is named and passed. */
function* leaveGap(memory: TailMemory, { gap, message }: IncompleteLogsError): Generator<TailEvent> {
  const to = Date.parse(gap.to)
  yield { kind: 'lost', from: Date.parse(gap.from), to, why: message }
  memory.reached = Math.max(memory.reached, to)
  memory.settled = Math.max(memory.settled, to)
}

function isUnsent(error: Error): boolean {
  return (error as Partial<TransportError>).isUnsent === true
}

/** Whether a later look may do better: the client has repeated the request before it gave up. */
function mayPass(error: unknown): error is Error {
  const { name, status = 0, kind = '' } = error as Partial<CallError> & { kind?: string }
  if (name === 'IncompleteLogsError') return true
  if (name === 'TransportError') return ['network', 'timeout', 'body'].includes(kind)
  return name === 'LoggingError' && (status === 408 || status === 429 || status >= 500)
}
