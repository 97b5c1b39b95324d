import type { Config } from '../config/config.ts'
import type { Window } from '../segments/segment.ts'

/** The settings of the configuration that say when to read, in ms. */
export interface ExportPlan extends Pick<Config, 'window' | 'lateness' | 'rechecks' | 'margin'> {
  /** How long the platform keeps logs (§8). */
  readonly retention: number
}

/** Pause before a recheck is repeated, in ms: after a failure, or after conflicts with another writer. */
export const postponement = 10 * 60_000

/** End of the newest closed window, by the platform's clock. */
export function closedUntil(now: number, { window, lateness }: ExportPlan): number {
  return Math.floor((now - lateness) / window) * window
}

/** When the window that begins at `position` closes. */
export function closesAt(position: number, { window, lateness }: ExportPlan): number {
  return nextBoundary(position, window) + lateness
}

/**
 * Start of the oldest window that the platform keeps.
 *
 * @param slack how much longer it must keep the window, in ms
 */
export function oldestKept(now: number, { window, retention }: ExportPlan, slack = 0): number {
  return Math.ceil((now - retention + slack) / window) * window
}

/** Start of a new zone: the oldest window that can still be read in time. */
export function firstPosition(now: number, plan: ExportPlan): number {
  return oldestKept(now, plan, plan.margin)
}

/** Deadline for reading the window that begins at `position`. */
export function deadlineOf(position: number, { retention, margin }: ExportPlan): number {
  return position + retention - margin
}

/**
 * Time of the next recheck. This is the first configured age that the window had not reached at `checkedAt`.
 *
 * @returns undefined after the last recheck
 */
export function nextRecheck({ to }: Window, checkedAt: number, { rechecks }: ExportPlan): number | undefined {
  const age = rechecks.find((recheck) => to + recheck > checkedAt)
  return age === undefined ? undefined : to + age
}

/**
 * Time of the next read of a window: its next recheck. If parts of it could not be read, there is one more read at its deadline.
 *
 * @returns undefined after the last read
 */
export function nextRead(window: Window, checkedAt: number, plan: ExportPlan, hasGaps: boolean): number | undefined {
  const deadline = deadlineOf(window.from, plan)
  return nextRecheck(window, checkedAt, plan) ?? (hasGaps && checkedAt < deadline ? deadline : undefined)
}

/**
 * Lists the windows of a range that are not covered yet, in order. They end at multiples of the length, where a covered
 * window begins, or at the end of the range. If the length was changed, the new length applies from its next multiple.
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
