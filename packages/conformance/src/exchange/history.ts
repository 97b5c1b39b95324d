/**
 * The history of a run: every exchange with an operation whose effect or rate limit the contract states, recorded once. The judges decide
 * from it alone.
 */
import type { Operation } from '@cdn/api/contract'
import type { NoEffectReason, ReceivedResponse, RequestParts } from './exchange.ts'

/** One exchange, as the judges read it. */
export interface HistoryEntry {
  /** The operation that the request is for. Its method may be another one. */
  readonly operation: Operation
  readonly method: string
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The JSON value of the request's body; undefined if it is not JSON. */
  readonly body: unknown
  /** Absent for a valid request. */
  readonly noEffect?: NoEffectReason | undefined
  /** The parts from which the request was made, to send it again. */
  readonly request?: RequestParts | undefined
  /** Positions in the order of all starts and ends of the history. A simulated clock may stand still, so times cannot order them. */
  readonly start: number
  readonly end: number
  /** Times in ms at which the request was sent, and at which it ended. */
  readonly startMs: number
  readonly endMs: number
  /** The status of the response; 0 if there was none. */
  readonly status: number
  /** The JSON value of a success, with exact integers; undefined for any other response, and for the logs. */
  readonly shown: unknown
  /** The id that a success of a creation shows, in its body or its `Location`. */
  readonly createdId?: string | undefined
  readonly check: string
  /** Undefined if there was no response, and for a long successful response of the logging interface, which would fill the memory. */
  readonly response?: ReceivedResponse | undefined
}

export interface History {
  readonly entries: readonly HistoryEntry[]
  /** Time in ms, by the target's clock, from which on the history is complete. */
  readonly since: number
  /** Returns the next position in the order of starts and ends. */
  readonly next: () => number
  readonly add: (entry: HistoryEntry) => void
}

/** @param since the target's time in ms */
export function createHistory(since: number): History {
  const entries: HistoryEntry[] = []
  let last = 0
  return { entries, since, next: () => ++last, add: (entry) => void entries.push(entry) }
}
