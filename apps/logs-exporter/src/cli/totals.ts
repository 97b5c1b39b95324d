import type { Observe } from '../engine/events.ts'
import { rejectPath } from '../ledger/rejects.ts'
import { rangeText } from '../segments/segment.ts'
import { countText } from '../verify/findings.ts'

/**
 * Counts what a command exported, for the lines at its end.
 *
 * @param folder of the ledger, which has the rejects
 */
export function createTotals(folder: string, elapsed = () => performance.now()) {
  const begun = elapsed()
  const total = { rows: 0, segments: 0, bytes: 0 }
  const lost: string[] = []
  const rejected = new Map<string, number>()
  const reject = (origin: string, rows: number) => rejected.set(origin, (rejected.get(origin) ?? 0) + rows)

  const observe: Observe = (event) => {
    if (event.type === 'gap') lost.push(`zone ${event.gap.zone}: lost ${rangeText(event.gap)}: ${event.gap.reason}`)
    if (event.type === 'rejects') reject(`zone=${event.zone}`, event.rows)
    if (event.type === 'delivered' && event.refused > 0) reject(`delivery=${event.delivery}`, event.refused)
    if ((event.type !== 'window' && event.type !== 'revision') || !event.segment) return
    total.rows += event.segment.rows
    total.bytes += event.segment.bytes
    total.segments++
  }
  return {
    observe,
    /** One sentence per lost range. */
    lost: lost as readonly string[],
    /** Whether a receiver refused rows. */
    isRefused: () => [...rejected.keys()].some((origin) => origin.startsWith('delivery=')),
    /** The dead letters by origin, and a summary. */
    lines(): string[] {
      const { rows, segments, bytes } = total
      const seconds = ((elapsed() - begun) / 1000).toFixed(1)
      const letters = [...rejected].map(([origin, count]) => deadLetters(folder, origin, count))
      return [
        ...letters,
        `${countText(rows, 'row')} in ${countText(segments, 'segment')}, ${size(bytes)}, ${seconds} s`,
      ]
    },
  }
}

/** Names dead letters and their file: `delivery search: 2 rows refused, see state/rejects/delivery=search.ndjson`. */
export function deadLetters(folder: string, origin: string, count: number): string {
  return `${origin.replace('=', ' ')}: ${countText(count, 'row')} refused, see ${rejectPath(folder, origin)}`
}

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  const n = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${n === 0 ? bytes : (bytes / 1000 ** n).toFixed(1)} ${units[n]}`
}
