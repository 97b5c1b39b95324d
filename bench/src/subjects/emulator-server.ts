import { createEmulator, type LogRow, type TrafficOptions } from '@cdn/emulator'
import type { Ready } from './child.ts'

/** What the measurements ask for. */
export type Question =
  /** Copies generated rows of a zone into the store of another, up to now; answers with `Stored`. */
  | { readonly store: { readonly from: string; readonly to: string; readonly ms: number } }
  /** Answers with the largest resident set since the last such question, in bytes. */
  | { readonly peak: true }
  /** Moves the virtual clock; answers with its time in milliseconds. */
  | { readonly advance: number }

export interface Stored {
  readonly rows: number
  /** Heap and buffers that the rows took. */
  readonly bytes: number
}

/** Options of the emulator, as JSON takes them. */
export interface EmulatorSubject {
  /** Start of the virtual clock, a date-time. */
  readonly start?: string
  readonly traffic?: TrafficOptions
}

const { start, traffic } = JSON.parse(process.argv[2] ?? '{}') as EmulatorSubject
const emulator = await createEmulator({ ...(start && { start: new Date(start) }), ...(traffic && { traffic }) })
const { managementUrl, loggingUrl } = await emulator.listen()
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20).unref()

process.on('message', (question: Question) => {
  if ('store' in question) process.send?.(store(question.store))
  else if ('advance' in question) {
    emulator.clock.advance(question.advance)
    process.send?.(emulator.clock.now().getTime())
  } else {
    process.send?.(peak)
    peak = process.memoryUsage.rss()
  }
})

function store({ from, to, ms }: { from: string; to: string; ms: number }): Stored {
  const { zones, logs } = emulator.state
  const model = zones.get(from)
  if (model) zones.set(to, { ...model, id: to })
  const before = used()
  const end = emulator.clock.now().getTime()
  const stepMs = 60_000
  for (let start = end - ms; start < end; start += stepMs)
    logs.append(
      logs.rows(from, start, Math.min(end, start + stepMs)).map((row): LogRow => ({ ...row, pullZoneId: to })),
    )
  return { rows: logs.count(to), bytes: used() - before }
}

function used(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const ready: Ready = {
  managementUrl: managementUrl.href,
  loggingUrl: loggingUrl.href,
  accessKey: emulator.fixtures.credentials.accessKey,
}
process.send?.(ready)

// A measurement that fails must not leave its servers behind.
process.once('disconnect', () => process.exit())
