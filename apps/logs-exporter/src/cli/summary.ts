import type { Observe } from '../engine/events.ts'
import type { Log } from './log.ts'

const everyMs = 60_000

const nothing = {
  /** Windows with rows in the sink. */
  windows: 0,
  /** Windows for which the platform has no row. */
  empty: 0,
  /** Windows that another writer published first. The exporter drops its own segment of such a window. */
  skipped: 0,
  /** Ranges beyond the platform's retention. */
  lost: 0,
  rows: 0,
  bytes: 0,
}

/** Logs once a minute what the exporter did. Logs nothing if it did nothing. */
export function createSummary(log: Log): { observe: Observe; close(): void } {
  let counts = { ...nothing }
  const say = () => {
    if (Object.values(counts).some((count) => count > 0)) log.info(counts, 'exported')
    counts = { ...nothing }
  }
  const timer = setInterval(say, everyMs)
  return {
    observe(event) {
      if (event.type === 'gap') counts.lost++
      if (event.type === 'lost') counts.skipped++
      if (event.type !== 'window' && event.type !== 'revision') return
      if (event.type === 'window') counts[event.segment ? 'windows' : 'empty']++
      counts.rows += event.segment?.rows ?? 0
      counts.bytes += event.segment?.bytes ?? 0
    },
    close() {
      clearInterval(timer)
      say()
    },
  }
}
