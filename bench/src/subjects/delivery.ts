import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createHttpReceiver } from '@cdn/logs-exporter/src/deliver/http.ts'
import { runDelivery } from '@cdn/logs-exporter/src/deliver/loop.ts'
import { createFormat } from '@cdn/logs-exporter/src/formats/index.ts'
import { openLedger } from '@cdn/logs-exporter/src/ledger/open-ledger.ts'
import { openRejects } from '@cdn/logs-exporter/src/ledger/rejects.ts'
import { createApiReader } from '@cdn/logs-exporter/src/reader/api-reader.ts'
import { createEncoder } from '@cdn/logs-exporter/src/rows/encoder.ts'
import { openFilesSink } from '@cdn/logs-exporter/src/sinks/files/index.ts'
import type { Ready } from './child.ts'

/** Exports `rows` rows, one per millisecond from `from` on, to segments in files, with or without a delivery of them. */
export interface DeliveryTask {
  readonly url: string
  readonly from: number
  readonly rows: number
  readonly memory: number
  /** URL of the receiver. */
  readonly receiver?: string
}

/** The result of a task. */
export interface Delivered {
  /** Time until all segments were published and recorded. */
  readonly ms: number
  /** Rows that the receiver had by then. */
  readonly delivered: number
}

const windowMs = 10_000
const zone = '1'
const privacy = { authorizationHeader: 'drop', queryTokens: 'keep', addresses: 'keep' } as const
/** A clock that runs so fast that the rate limit of 30 requests in 10 s has no effect. */
const now = () => performance.timeOrigin + performance.now() * 1e5
const shortPauseMs = 5

async function run({ url, from, rows, memory, receiver }: DeliveryTask): Promise<Delivered> {
  const reader = createApiReader({
    clients: { baseUrl: url },
    memory,
    now,
    sleep: async () => {},
  })
  const encode = createEncoder('v2', { privacy })
  const folder = await mkdtemp(join(tmpdir(), 'delivery-'))
  const format = await createFormat({ format: 'ndjson', compression: 'zstd' })
  const sink = openFilesSink({ path: join(folder, 'logs'), format })
  const ledger = openLedger(join(folder, 'state'))
  await ledger.keepDeliveries(receiver ? ['bench'] : [])
  const stop = new AbortController()
  const { signal } = stop
  let delivered = 0
  const form = { format: 'ndjson', compression: 'gzip', key: { header: 'Idempotency-Key' } } as const
  const place = {
    type: 'http',
    name: 'bench',
    url: receiver ?? '',
    headers: {},
    done: [],
    refuse: [],
    ...form,
  } as const
  const delivering =
    receiver &&
    runDelivery({
      name: 'bench',
      receiver: createHttpReceiver(place, {}),
      sink,
      ledger,
      rejects: openRejects(join(folder, 'state')),
      observe: (event) => {
        if (event.type === 'delivered') delivered += event.rows
      },
      sleep: (_, signal) => setTimeout(shortPauseMs, undefined, { signal }).catch(() => {}),
      signal,
    })
  try {
    const begun = performance.now()
    for (let at = from; at < from + rows; at += windowMs) {
      const window = { zone, from: at, to: at + windowMs }
      const writer = await sink.begin({ ...window, revision: 0, source: 'v2' }, signal)
      for await (const batch of reader.readRange(zone, at, window.to, signal))
        await writer.write(encode(batch, 0, batch.times.length))
      await writer.publish()
      const state = {
        rows: windowMs,
        nextRevision: 1,
        source: 'v2',
        checkedAt: window.to,
        recheckDue: undefined,
      } as const
      await ledger.record({ ...window, ...state })
    }
    const result = { ms: performance.now() - begun, delivered }
    while (receiver && delivered < rows) await setTimeout(shortPauseMs)
    return result
  } finally {
    stop.abort()
    await delivering
    await ledger.close()
    await rm(folder, { recursive: true })
  }
}

process.on('message', async (task: DeliveryTask) => {
  process.send?.((await run(task)) satisfies Delivered)
})
process.send?.({ managementUrl: '', loggingUrl: '', accessKey: '' } satisfies Ready)

// If the measurement fails, its servers must stop, too.
process.once('disconnect', () => process.exit())
