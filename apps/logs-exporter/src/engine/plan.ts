import type { Window } from '../segments/segment.ts'

/** When things are read, in ms; the names are those of the configuration. */
export interface Plan {
  /** Length of a window; divides a day. */
  readonly window: number
  /** The allowed lateness: a window has settled so long after its end. */
  readonly lateness: number
  /** Ages, since the end of a window, at which it is looked at again; ascending. */
  readonly looks: readonly number[]
  /** How long before the end of the retention a window must have been read: its deadline. */
  readonly margin: number
  /** How long the platform keeps logs (§8). */
  readonly retention: number
}

/** When a look is tried again that failed, or whose result others were faster to write, or that version 1 calls for, in ms. */
export const postponement = 10 * 60_000

/** The end of the last window that has settled at a time, by the platform's clock. */
export function settledUntil(now: number, { window, lateness }: Plan): number {
  return Math.floor((now - lateness) / window) * window
}

/** When the window that begins at `position` has settled. */
export function settlesAt(position: number, { window, lateness }: Plan): number {
  return nextBoundary(position, window) + lateness
}

/** Where a zone begins that was never exported: all that is kept, short of what may be gone before it is read. */
export function firstPosition(now: number, { window, retention, margin }: Plan): number {
  return Math.ceil((now - retention + margin) / window) * window
}

/** Until when what begins at `position` must have been read. */
export function deadlineOf(position: number, { retention, margin }: Plan): number {
  return position + retention - margin
}

/**
 * When a window is looked at again: at the first of the ages that it had not reached when it was looked at.
 *
 * @returns undefined where none is left
 */
export function nextLook({ to }: Window, lookedAt: number, { looks }: Plan): number | undefined {
  const age = looks.find((look) => to + look > lookedAt)
  return age === undefined ? undefined : to + age
}

/**
 * The windows of a range that are not taken yet, in order. They end at whole multiples of the length, so a new length takes
 * effect from its next boundary on: what is taken stays as it is.
 *
 * @param taken windows or gaps, in order
 */
export function openWindows(
  zone: string,
  from: number,
  to: number,
  taken: readonly Window[],
  length: number,
): Window[] {
  const open: Window[] = []
  let at = from
  for (const next of [...taken, { from: to, to }]) {
    while (at < Math.min(next.from, to)) {
      const end = Math.min(nextBoundary(at, length), next.from, to)
      open.push({ zone, from: at, to: end })
      at = end
    }
    at = Math.max(at, next.to)
  }
  return open
}

/** The first multiple of `length` after a time. */
export function nextBoundary(at: number, length: number): number {
  return (Math.floor(at / length) + 1) * length
}
