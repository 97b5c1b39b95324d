import type { components, paths } from '../gen/logging.ts'

/** The path of version 2 (§4.3). */
export const queryPath = '/v2/pullzones/{pullZoneId}/logs'

/** One request, as version 2 shows it. Fields and cache statuses that the contract does not know come through as they are. */
export interface LogRow extends Readonly<LogEntry> {
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/** The filters of version 2. `country` and `search` are applied after a page is fetched, which costs more requests. */
export type LogFilters = Readonly<
  Omit<NonNullable<paths[typeof queryPath]['get']['parameters']['query']>, 'from' | 'to' | 'limit' | 'offset' | 'order'>
>

/** Rows in the order of time, with their shown timestamps in milliseconds beside them. */
export interface Rows {
  readonly rows: readonly LogRow[]
  readonly times: readonly number[]
}

/** A part of a walk: whole milliseconds only. */
export interface Batch extends Rows {
  /** Every row before this point has been handed out once the batch has. */
  readonly end: number
}

/**
 * Takes the rows of a range out of ordered rows.
 *
 * @param from in ms, inclusive
 * @param to in ms, exclusive; also the end of the batch
 */
export function cut({ rows, times }: Rows, from: number, to: number): Batch {
  const first = position(times, from)
  const last = position(times, to)
  return { rows: rows.slice(first, last), times: times.slice(first, last), end: to }
}

/** How many rows lie in a range, from inclusive, to exclusive. */
export function countIn({ times }: Pick<Rows, 'times'>, from: number, to: number): number {
  return position(times, to) - position(times, from)
}

/** The index of the first time at or after a point. */
function position(times: readonly number[], at: number): number {
  const found = times.findIndex((time) => time >= at)
  return found === -1 ? times.length : found
}
