import type { CallError, IncompleteLogsError, LogReader, LogRow } from '@cdn/api'
import { createSeen, type Seen } from './seen.ts'

/** How a tail looks at the logs. Times are in milliseconds. */
export interface TailPlan {
  /** Rows before are not shown. */
  readonly from: number
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
  /** A look has ended, well or not: all before `reached` has been seen at least once, `settled` is what to resume from. */
  | { readonly kind: 'look'; readonly reached: number; readonly settled: number }
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
/** What is so near to the end of the retention may be gone before a request arrives. */
const edgeMs = 300_000
const longestPauseMs = 60_000
/** How often one gap is tried before it is named as lost. */
const mostTries = 3
const standardMostRows = 500_000

/**
 * Follows the logs of a zone. Each look reads a range that overlaps the ones before, and a row is shown when it occurs more
 * often than it was shown: rows are compared whole, since ids may be null or shared. Most looks go back by half a minute;
 * now and then one goes back over all that has not settled, which is where rows can still arrive, so that
 * every row that becomes visible within `latenessMs` is shown once. Rows are forgotten only when a look has passed over them
 * after their lateness.
 *
 * @returns events, without end unless the plan has one; looks are made as fast as the events are taken
 * @throws what cannot pass: a LoggingError such as 403, or the reason of the signal that `read` and `sleep` obey
 */
export async function* tail(source: TailSource, plan: TailPlan): AsyncGenerator<TailEvent, void, void> {
  const { now, sleep } = source
  const { latenessMs, until = Number.POSITIVE_INFINITY, mostRows = standardMostRows } = plan
  const seen = createSeen()
  let settled = plan.from
  let reached = plan.from
  let newest = Number.NEGATIVE_INFINITY
  let wideDue = Number.NEGATIVE_INFINITY
  let failures = 0

  for (let begun = now(); begun < until; begun = now()) {
    const oldest = begun - plan.retentionMs + edgeMs
    if (settled < oldest) {
      if (reached < oldest) yield { kind: 'lost', from: reached, to: oldest, why: 'logs are not kept any longer (§8)' }
      settled = oldest
      reached = Math.max(reached, oldest)
    }
    const isWide = begun >= wideDue
    const from = isWide ? settled : Math.max(settled, reached - overlapMs)
    const before = newest
    const reader = source.read(from, Math.max(from, begun))
    let failure: Error | undefined
    let forgotten = settled
    seen.beginLook()
    try {
      for await (const { row, time, isNew } of sift(reader, seen)) {
        if (isNew) {
          newest = Math.max(newest, time)
          yield { kind: 'row', row, lateMs: time < before ? begun - time : undefined }
        }
        // A long way to catch up needs no more memory than a short one.
        if (isWide) seen.forget(Math.min(time, begun - latenessMs))
        forgotten = Math.max(forgotten, seen.shrink(mostRows, time))
      }
    } catch (error) {
      if (!mayPass(error)) throw error
      failure = error
    }
    const position = failure ? Date.parse(reader.resume) : Math.max(from, begun)
    reached = Math.max(reached, position)
    if (isWide) {
      settled = Math.max(settled, Math.min(position, begun - latenessMs))
      seen.forget(settled)
    }
    forgotten = Math.max(forgotten, seen.shrink(mostRows, reached))
    if (forgotten > settled) {
      settled = forgotten
      yield { kind: 'narrowed', from: forgotten }
    }
    yield { kind: 'look', reached, settled }
    failures = failure ? failures + 1 : 0
    if (!failure) {
      if (isWide) wideDue = now() + Math.max(latenessMs * wideShare, (now() - begun) * (1 / wideCost - 1))
      await sleep(plan.intervalMs)
      continue
    }
    if ('gap' in failure && failures >= mostTries) {
      const { gap } = failure as IncompleteLogsError
      const to = Date.parse(gap.to)
      yield { kind: 'lost', from: Date.parse(gap.from), to, why: failure.message }
      reached = Math.max(reached, to)
      settled = Math.max(settled, to)
      failures = 0
      continue
    }
    const pauseMs = Math.min(plan.intervalMs * 2 ** failures, longestPauseMs)
    yield { kind: 'trouble', error: failure, pauseMs }
    await sleep(pauseMs)
  }
}

async function* sift(reader: LogReader, seen: Seen) {
  for await (const row of reader) {
    const time = Date.parse(row.timestamp)
    yield { row, time, isNew: seen.add(time, row) }
  }
}

/** Whether a later look may do better: the client has repeated the request before it gave up. */
function mayPass(error: unknown): error is Error {
  const { name, status = 0, kind = '' } = error as Partial<CallError> & { kind?: string }
  if (name === 'IncompleteLogsError') return true
  if (name === 'TransportError') return ['network', 'timeout', 'body'].includes(kind)
  return name === 'LoggingError' && (status === 408 || status === 429 || status >= 500)
}
