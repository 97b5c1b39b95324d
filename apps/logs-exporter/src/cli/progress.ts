import { hourMs } from '@cdn/kit/time'
import progress, { type Options } from 'cli-progress'
import type { Observe } from '../engine/events.ts'
import { type ExportRange, isoTime } from '../segments/segment.ts'
import type { Cluster } from '../verify/findings.ts'

export type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** Time between two lines about the progress of `verify`, in ms. */
const verifyLineMs = 10_000

/** Creates a function that counts verified segments, and every ten seconds writes a line about them. */
export function createVerifyProgress(stream: Terminal, now = () => performance.now()): (verified: Cluster) => void {
  let lastLine = now()
  let count = 0
  return ({ zone, to, segments }) => {
    count += segments.length
    if (now() - lastLine < verifyLineMs) return
    lastLine = now()
    stream.write(`${count} segments verified, of zone ${zone} up to ${isoTime(to)}\n`)
  }
}

/**
 * Shows the progress of a range on a terminal, as the total hours of logs of all zones. Writes nothing if the stream is not a
 * terminal.
 *
 * @param stream output stream of the bar
 * @param zones number of zones
 */
export function createExportProgress(
  stream: Terminal,
  zones: number,
  range: ExportRange,
): { observe: Observe; close(): void } {
  if (!stream.isTTY) return { observe: () => {}, close: () => {} }
  const reached = new Map<string, number>()
  let rows = 0
  let covered = 0
  const settings: Options = {
    format: '{bar} {percentage} % · {value} of {total} h of logs · {rows} rows · {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    // Until there is an estimate, the bar shows a text instead of a number.
    formatTime: (seconds, ...rest) => (Number.isFinite(seconds) ? progress.Format.TimeFormat(seconds, ...rest) : '?'),
    hideCursor: true,
    stream,
  }
  const bar = new progress.SingleBar(settings)
  bar.start(Math.ceil((zones * (range.to - range.from)) / hourMs), 0, { rows: 0 })
  return {
    observe(event) {
      if (event.type !== 'window' && event.type !== 'revision' && event.type !== 'gap') return
      const { zone, to } = event.type === 'window' ? event.window : event.type === 'gap' ? event.gap : event.segment
      const before = reached.get(zone) ?? range.from
      const now = Math.min(Math.max(before, to), range.to)
      reached.set(zone, now)
      covered += now - before
      if (event.type !== 'gap') rows += event.segment?.rows ?? 0
      bar.update(Math.floor(covered / hourMs), { rows: rows.toLocaleString('en') })
    },
    close: () => bar.stop(),
  }
}
