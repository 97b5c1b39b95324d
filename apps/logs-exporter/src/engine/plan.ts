import type { Window } from '../segments/segment.ts'

/** Times of reads, in ms; the names are those of the configuration. */
export interface ExportPlan {
  /** Length of a window; divides a day. */
  readonly window: number
  /** Allowed lateness: a window closes this long after its end. */
  readonly lateness: number
  /** Ages, counted from the end of a window, at which the exporter rechecks it; ascending. */
  readonly rechecks: readonly number[]
  /** How long before the end of the retention a window must be read: its deadline. */
  readonly margin: number
  /** How long the platform keeps logs (§8). */
  readonly retention: number
}

/** Pause before a recheck is repeated, in ms: after a failure, after lost races with another writer, or after version 1. */
export const postponement = 10 * 60_000

/** End of the last closed window, by the platform's clock. */
export function closedUntil(now: number, { window, lateness }: ExportPlan): number {
  return Math.floor((now - lateness) / window) * window
}

/** When the window that begins at `position` closes. */
export function closesAt(position: number, { window, lateness }: ExportPlan): number {
  return nextBoundary(position, window) + lateness
}

/** Start of a new zone: the oldest window that can still be read in time. */
export function firstPosition(now: number, { window, retention, margin }: ExportPlan): number {
  return Math.ceil((now - retention + margin) / window) * window
}

/** Deadline for reading the window that begins at `position`. */
export function deadlineOf(position: number, { retention, margin }: ExportPlan): number {
  return position + retention - margin
}

/**
 * Time of the next recheck: the first configured age that the window had not reached at `checkedAt`.
 *
 * @returns undefined after the last recheck
 */
export function nextRecheck({ to }: Window, checkedAt: number, { rechecks }: ExportPlan): number | undefined {
  const age = rechecks.find((recheck) => to + recheck > checkedAt)
  return age === undefined ? undefined : to + age
}

/**
 * The windows of a range that are not covered yet, in order. They end at multiples of the length, so a changed length applies
 * from its next boundary on; covered windows stay as they are.
 *
 * @param covered windows or gaps, in order
 */
export function openWindows({ zone, from, to }: Window, covered: readonly Window[], length: number): Window[] {
  const open: Window[] = []
  let at = from
  for (const next of [...covered, { from: to, to }]) {
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
