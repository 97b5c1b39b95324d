import type { LogReader, LogRow } from '@cdn/api'
import { backOff } from '@cdn/kit/wait'
import { isNamed } from '../../terminal/command-error.ts'
import { createPrintedRows } from './printed-rows.ts'

/** Settings of a tail. Times are in milliseconds. */
export interface TailPlan {
  /** Rows before this time are not printed. */
  readonly from: number
  /** No read begins at or after this time. By default, the tail never ends. */
  readonly until?: number | undefined
  /** Maximum delay of a row that the tail still prints. */
  readonly latenessMs: number
  readonly intervalMs: number
  readonly retentionMs: number
}

export interface TailSource {
  readonly read: (from: number, to: number) => LogReader
  /** The platform's time in milliseconds since 1970. */
  readonly now: () => number
  /** Waits for a time in ms; rejects if the tail is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  readonly report: (event: TailEvent) => Promise<void>
}

export type TailEvent =
  /** A read has ended, with or without an error. Everything before `reached` has been read at least once, or reported as lost. */
  | { readonly kind: 'read'; readonly reached: number }
  | { readonly kind: 'failure'; readonly error: Error; readonly pauseMs: number }
  /** Rows of a range can no longer be read. */
  | { readonly kind: 'lost'; readonly from: number; readonly to: number; readonly why: string }

/** Closed rows are forgotten when the time of the rows has advanced by this many ms. */
const closeMs = 1000
/** Rows within this many ms of the edge of the retention may be deleted before a request arrives. */
const edgeMs = 300_000
const maxPauseMs = 60_000
const maxTries = 3

interface Memory {
  /** Rows before this time in milliseconds are closed: they are not read again. */
  closedUntil: number
  /** Everything before this time has been read at least once, or reported as lost. */
  reached: number
  /** Ranges that were reported as lost, and are not closed, in order. Reads leave them out, but rows may still arrive before them. */
  gaps: readonly { readonly from: number; readonly to: number }[]
  /** The printed rows since `closedUntil`. */
  readonly seen: ReturnType<typeof createPrintedRows>
  readonly report: TailSource['report']
}

/**
 * Follows the logs of a zone. Each read begins where rows can still arrive: `latenessMs` before the end of the previous read. A row
 * is printed if it occurs more often than it was printed. Ids may be null or shared, so rows are compared as a whole. So every row
 * that becomes visible within `latenessMs` is printed once. A row is forgotten when its lateness has passed and a later read has
 * emitted everything before it. Each read repeats the rows of the last `latenessMs`, which may take many requests on a busy zone (§8
 * limits them).
 *
 * @returns the rows, each once. They never end unless the plan has an end; the consumer sets the pace
 * @throws ApiError or TransportError if it is permanent, such as a 403 or a redirect; TransportError if the first read reached no
 *   server; the reason of the signal of `read` and `sleep`
 */
export async function* tail(source: TailSource, plan: TailPlan): AsyncGenerator<LogRow, void, void> {
  const { now, sleep, report } = source
  const { from, until = Number.POSITIVE_INFINITY, intervalMs } = plan
  const memory: Memory = { closedUntil: from, reached: from, gaps: [], seen: createPrintedRows(), report }
  let failures = 0
  let hasResponded = false
  for (let begun = now(); begun < until; begun = now()) {
    // Rows beyond the retention are deleted, and the platform would refuse every request for them.
    const oldest = begun - plan.retentionMs + edgeMs
    if (memory.reached < oldest) await reportLost(memory, memory.reached, oldest, 'beyond the retention (§8)')
    memory.closedUntil = Math.max(memory.closedUntil, oldest)
    const failure = yield* readOnce(source, plan, memory, begun)
    // If the first read reaches no server, the address is wrong or the network is down.
    if (isNamed(failure, 'TransportError') && failure.isUnsent && !hasResponded) throw failure
    hasResponded = true
    await report({ kind: 'read', reached: memory.reached })
    failures = failure ? failures + 1 : 0
    if (failures >= maxTries && isNamed(failure, 'IncompleteLogsError')) {
      failures = 0
      const [start, end] = [Date.parse(failure.gap.from), Date.parse(failure.gap.to)]
      await reportLost(memory, start, end, failure.message)
      memory.gaps = [...memory.gaps, { from: start, to: end }].sort((a, b) => a.from - b.from)
      continue
    }
    const pauseMs = failures === 0 ? intervalMs : backOff(failures + 1, { firstMs: intervalMs, maxMs: maxPauseMs })
    if (failure) await report({ kind: 'failure', error: failure, pauseMs })
    await sleep(Math.min(pauseMs, until - now()))
  }
}

/** @param begun when the read begins, in milliseconds since 1970. It reads up to this time. */
async function* readOnce(
  { read, now }: TailSource,
  { latenessMs }: TailPlan,
  memory: Memory,
  begun: number,
): AsyncGenerator<LogRow, Error | undefined, void> {
  const { seen, closedUntil: from, reached } = memory
  const to = Math.max(from, begun)
  memory.gaps = memory.gaps.filter((gap) => gap.to > from)
  const within = (time: number) => Math.min(Math.max(time, from), to)
  const starts = [from, ...memory.gaps.map((gap) => within(gap.to))]
  const ends = [...memory.gaps.map((gap) => within(gap.from)), to]
  let position = from
  let failure: Error | undefined
  let due = Number.NEGATIVE_INFINITY
  /** During the read, a response may have corrected a fast clock. Rows after the platform's time have not been read. */
  const seenUntil = (time: number) => Math.min(time, now())
  /** Called when everything before a time has been emitted. */
  const close = (time: number) => {
    memory.closedUntil = Math.max(memory.closedUntil, Math.min(time, seenUntil(begun) - latenessMs))
    seen.forget(memory.closedUntil)
  }
  seen.beginRead()
  for (const [n, start] of starts.entries()) {
    const end = ends[n] ?? to
    const reader = read(start, end)
    try {
      for await (const row of reader) {
        const time = Date.parse(row.timestamp)
        // Forgets rows during the read, so that the memory does not grow with the length of the range.
        if (time >= due) {
          close(time)
          due = time + closeMs
        }
        if (seen.add(time, row)) yield row
      }
    } catch (error) {
      if (!isTransient(error)) throw error
      failure = error
    }
    position = failure ? Date.parse(reader.resume) : end
    if (failure) break
  }
  memory.reached = Math.max(reached, seenUntil(position))
  close(position)
  return failure
}

async function reportLost(memory: Memory, from: number, to: number, why: string): Promise<void> {
  await memory.report({ kind: 'lost', from, to, why })
  memory.reached = Math.max(memory.reached, to)
}

/** Whether an error is transient: a later read may succeed. The client has already repeated the request. */
function isTransient(error: unknown): error is Error {
  if (isNamed(error, 'IncompleteLogsError')) return true
  if (isNamed(error, 'TransportError')) return ['network', 'timeout', 'body'].includes(error.kind)
  return isNamed(error, 'ApiError') && (error.status === 408 || error.status === 429 || error.status >= 500)
}
