import type { Observe } from '../engine/events.ts'
import type { Log } from './log.ts'

const everyMs = 60_000

/** Says once a minute what was done, where anything was. */
export function createSummary(log: Log): { observe: Observe; close(): void } {
  let counts = { windows: 0, rows: 0, bytes: 0 }
  const say = () => {
    if (counts.windows > 0) log.info(counts, 'exported')
    counts = { windows: 0, rows: 0, bytes: 0 }
  }
  const timer = setInterval(say, everyMs)
  return {
    observe(event) {
      if (event.type !== 'window' && event.type !== 'revision') return
      if (event.type === 'window') counts.windows++
      counts.rows += event.segment?.rows ?? 0
      counts.bytes += event.segment?.bytes ?? 0
    },
    close() {
      clearInterval(timer)
      say()
    },
  }
}
