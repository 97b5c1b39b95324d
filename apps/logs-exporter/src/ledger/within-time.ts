import type { WindowReader } from '../reader/reader.ts'
import type { Ledger } from './ledger.ts'

/** Means that a change concerns a time that the platform has not shown yet. No data is lost; the exporter retries. */
export class BeyondTimeError extends Error {
  override readonly name = 'BeyondTimeError'
}

/**
 * Wraps a ledger so that it rejects entries in the platform's future, whatever the local clock says. These are windows and gaps
 * that end after the latest `Date` of a response, and positions after it.
 */
export function withinTime(ledger: Ledger, reader: Pick<WindowReader, 'shownTime'>): Ledger {
  const insist = (zone: string, to: number) => {
    const shown = reader.shownTime()
    if (to <= shown) return
    const latest = Number.isFinite(shown) ? new Date(shown).toISOString() : 'none'
    throw new BeyondTimeError(
      `Zone ${zone}: ${new Date(to).toISOString()} lies beyond the latest time that the platform has shown (${latest}), so the ledger does not record it yet.`,
    )
  }
  return {
    ...ledger,
    async begin(zone, from) {
      insist(zone, from)
      return ledger.begin(zone, from)
    },
    async record(state) {
      insist(state.zone, state.to)
      return ledger.record(state)
    },
    async recordGap(gap) {
      insist(gap.zone, gap.to)
      return ledger.recordGap(gap)
    },
  }
}
