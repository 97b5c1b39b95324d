import { plural } from '@cdn/kit/plural'
import { observeWith } from '../engine/events.ts'
import { deadLetterPath } from '../ledger/dead-letters.ts'
import type { OpenGap } from '../ledger/ledger.ts'
import { rangeText } from '../segments/segment.ts'

/** Counts of what an exporter did (docs/exporter.md). `windows` had rows; the metric of this name also counts empty windows. */
const nothing = { windows: 0, empty: 0, revisions: 0, conflicts: 0, lost: 0, rows: 0, bytes: 0 }
export type Counts = Readonly<typeof nothing>

/** Counts events. `take` returns the counts since its last call. */
export function createCounts() {
  let counts = { ...nothing }
  const rejected = new Map<string, number>()
  const reject = (origin: string, rows: number) => rejected.set(origin, (rejected.get(origin) ?? 0) + rows)
  const add = ({ rows, bytes }: Pick<Counts, 'rows' | 'bytes'>) => {
    counts.rows += rows
    counts.bytes += bytes
  }
  return {
    counts: (): Counts => counts,
    take(): Counts {
      const taken = counts
      counts = { ...nothing }
      return taken
    },
    /** The dead letters by their origin: a zone, or `stdout` for segments that standard output left out. */
    rejected: rejected as ReadonlyMap<string, number>,
    observe: observeWith({
      gap: () => counts.lost++,
      conflict: () => counts.conflicts++,
      revision({ segment }) {
        counts.revisions++
        add(segment)
      },
      window({ segment }) {
        counts[segment ? 'windows' : 'empty']++
        if (segment) add(segment)
      },
      rejects: ({ zone, rows }) => reject(`zone=${zone}`, rows),
      'stdout-skipped': () => reject('stdout', 1),
    }),
  }
}

/** The summary of a command. @param begun start of the command by the monotonic clock, in ms */
export function summaryOf({ rows, windows, revisions, bytes }: Counts, begun: number): string {
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  return `${plural(rows, 'row')} in ${plural(windows + revisions, 'segment')}, ${size(bytes)}, ${seconds} s`
}

export function lostText(gap: OpenGap): string {
  return `lost ${rangeText(gap)}: ${gap.reason}`
}

export function openGapText(gap: OpenGap): string {
  return `cannot be read yet: ${rangeText(gap)}: ${gap.reason}`
}

export function recheckText(window: OpenGap): string {
  return `cannot be rechecked yet: ${rangeText(window)}: ${window.reason}`
}

/** Names dead letters and their file: `zone 123: 2 rows rejected, see state/rejects/zone=123.ndjson`. */
export function deadLettersText(folder: string, origin: string, count: number): string {
  const what = origin === 'stdout' ? `${plural(count, 'damaged segment')} left out` : `${plural(count, 'row')} rejected`
  return `${origin.replace('=', ' ')}: ${what}, see ${deadLetterPath(folder, origin)}`
}

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  const n = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${n === 0 ? bytes : (bytes / 1000 ** n).toFixed(1)} ${units[n]}`
}
