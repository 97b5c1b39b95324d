import { createEmulator, type StoredLogRow, type TrafficOptions } from '@cdn/emulator'
import type { Ready } from './child.ts'

/** Messages of the measurements. */
export type Question =
  /** Copies the generated rows of one zone into the store of another zone: the last `ms` milliseconds. Replies a `Stored`. */
  | { readonly store: { readonly from: string; readonly to: string; readonly ms: number } }
  /** The reply is the peak resident memory since the last such message, in bytes. */
  | { readonly peak: true }
  /** Advances the virtual clock. The reply is the new time in milliseconds. */
  | { readonly advance: number }

export interface Stored {
  readonly rows: number
  /** Heap and buffers of the rows, in bytes. */
  readonly bytes: number
}

/** Options of the emulator, as JSON. */
export interface EmulatorSubject {
  /** Start of the virtual clock, a date-time. */
  readonly start?: string
  readonly traffic?: TrafficOptions
}

const { start, traffic }: EmulatorSubject = JSON.parse(process.argv[2] ?? '{}')
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
      logs.rows(from, start, Math.min(end, start + stepMs)).map((row): StoredLogRow => ({ ...row, pullZoneId: to })),
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

// If the measurement fails, its servers must stop, too.
process.once('disconnect', () => process.exit())
