import { plural } from '@cdn/kit/plural'
import { type EngineEvent, observeAll, observeWith } from '../engine/events.ts'
import type { OpenGap } from '../ledger/ledger.ts'
import { rejectPath } from '../ledger/rejects.ts'
import { rangeText } from '../segments/segment.ts'

/** Counts of what an exporter did (docs/exporter.md). */
const nothing = { windows: 0, empty: 0, revisions: 0, conflicts: 0, lost: 0, rows: 0, bytes: 0 }
export type Counts = Readonly<typeof nothing>

/** Counts events. `take` returns the counts since its last call. */
export function createCounts() {
  let counts = { ...nothing }
  return {
    counts: (): Counts => counts,
    take(): Counts {
      const taken = counts
      counts = { ...nothing }
      return taken
    },
    observe(event: EngineEvent): void {
      if (event.type === 'gap') counts.lost++
      if (event.type === 'conflict') counts.conflicts++
      if (event.type === 'revision') counts.revisions++
      if (event.type === 'window') counts[event.segment ? 'windows' : 'empty']++
      if (event.type !== 'window' && event.type !== 'revision') return
      counts.rows += event.segment?.rows ?? 0
      counts.bytes += event.segment?.bytes ?? 0
    },
  }
}

/**
 * Counts what a command exported, for the lines at its end.
 *
 * @param folder of the ledger, which has the rejects
 */
export function createTotals(folder: string) {
  const begun = performance.now()
  const { counts, observe } = createCounts()
  const rejected = new Map<string, number>()
  const reject = (origin: string, rows: number) => rejected.set(origin, (rejected.get(origin) ?? 0) + rows)
  return {
    observe: observeAll([
      observe,
      observeWith({
        rejects: ({ zone, rows }) => reject(`zone=${zone}`, rows),
        'stdout-skipped': () => reject('stdout', 1),
      }),
    ]),
    counts,
    /** Whether standard output left out a damaged segment. */
    isSkipped: () => rejected.has('stdout'),
    /** The dead letters by origin, and a summary. */
    lines(): string[] {
      const { rows, windows, revisions, bytes } = counts()
      const seconds = ((performance.now() - begun) / 1000).toFixed(1)
      const letters = [...rejected].map(([origin, count]) => deadLetters(folder, origin, count))
      const what = `${plural(rows, 'row')} in ${plural(windows + revisions, 'segment')}`
      return [...letters, `${what}, ${size(bytes)}, ${seconds} s`]
    },
  }
}

/** A lost range. */
export function lostText(gap: OpenGap): string {
  return `lost ${rangeText(gap)}: ${gap.reason}`
}

/** A range that cannot be read yet. */
export function unreadText(gap: OpenGap): string {
  return `cannot be read yet: ${rangeText(gap)}: ${gap.reason}`
}

/** Names dead letters and their file: `zone 123: 2 rows refused, see state/rejects/zone=123.ndjson`. */
export function deadLetters(folder: string, origin: string, count: number): string {
  const what = origin === 'stdout' ? `${plural(count, 'damaged segment')} left out` : `${plural(count, 'row')} refused`
  return `${origin.replace('=', ' ')}: ${what}, see ${rejectPath(folder, origin)}`
}

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  const n = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${n === 0 ? bytes : (bytes / 1000 ** n).toFixed(1)} ${units[n]}`
}
