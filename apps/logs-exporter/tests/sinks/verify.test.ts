import { createEmulator, type Fault } from '@cdn/emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WindowReader } from '../../src/reader/api-reader.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { type Finding, verify } from '../../src/verify/index.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { testEncode, testReader } from '../support/reader.ts'
import { type S3Store, startS3 } from '../support/s3-server.ts'
import { minute, usualPlan } from '../support/simulation.ts'
import { signal } from './lines.ts'

const zone = '10001'
const start = Date.parse('2026-06-17T14:00:00Z')
let [reader, server, store]: [WindowReader, Postgres, S3Store] = [
  undefined as never,
  undefined as never,
  undefined as never,
]

beforeAll(async () => {
  const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.05, hostileShare: 0.3 } })
  const around: Fault['around'] = (call, { rateLimit: _, ...operation }, next) => next(call, operation)
  emulator.faults.add({ name: 'unlimited', text: 'No rate limit.', around })
  const { loggingUrl, fixtures, clock, fetch } = emulator
  const client = { baseUrl: loggingUrl.href, accessKey: fixtures.credentials.accessKey, fetch }
  reader = testReader(client, { now: () => clock.now().getTime(), sleep: async () => {} })
  server = await startPostgres()
  store = await startS3()
})
afterAll(async () => {
  await server.stop()
  await store.stop()
})

/** Exports 14:00 to 14:20 of the emulator's day. The emulator's clock stands at 14:30. */
async function exportWindows(sink: Sink): Promise<void> {
  const encode = testEncode(sink)
  for (let from = start; from < start + 20 * minute; from += 5 * minute) {
    const writer = await sink.begin({ zone, from, to: from + 5 * minute, revision: 0 }, signal)
    for await (const batch of reader.readRange({ zone, from: from, to: from + 5 * minute }, encode.page, signal))
      await writer.write(encode.lines(batch))
    await writer.publish()
  }
}

/** The findings of verify, as their kind and the number of their window (from 0). */
async function kindsOf(sink: Sink): Promise<string[]> {
  const findings: Finding[] = []
  const encode = testEncode(sink)
  await verify({ sink, zones: [zone], reader, encode, plan: usualPlan, signal }, (finding) => findings.push(finding))
  return findings.map(({ kind, from }) => `${kind} ${from === 0 ? 'in the zone' : (from - start) / (5 * minute)}`)
}

test('verify finds damage in a bucket', async () => {
  const { endpoint, bucket, region, credentials } = store
  const secrets = { accessKeyId: { env: 'ID' }, secretAccessKey: { env: 'KEY' } }
  const place = { type: 's3', endpoint, bucket, region, prefix: '', credentials: secrets } as const
  const env = { ID: credentials.accessKeyId, KEY: credentials.secretAccessKey }
  const sink = await openSink({ ...place, format: 'ndjson', compression: 'zstd' }, env)
  await exportWindows(sink)
  expect(await kindsOf(sink)).toEqual([])
  const [first = '', second = '', third = ''] = store.keys(`zone=${zone}/`)
  await store.raw('DELETE', second)
  expect(await kindsOf(sink)).toEqual(['missing 1'])
  const whole = Buffer.from(await (await store.raw('GET', third)).arrayBuffer())
  const { headers } = await store.raw('HEAD', third)
  const label = Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-amz-meta-')))
  await store.raw('PUT', third, whole.subarray(0, -3), label)
  expect(await kindsOf(sink)).toEqual(['missing 1', 'damaged 2']) // only the checksum is missing, no row
  await store.raw('PUT', third, whole)
  expect(await kindsOf(sink)).toEqual(['damaged in the zone', 'missing 1']) // one finding for two windows side by side
  await store.raw('PUT', `${first}.bak`, whole)
  expect(await kindsOf(sink)).toContain('damaged in the zone')
})

test('verify finds damage in a table', async () => {
  const url = await server.database('verify')
  const sink = openPostgresSink({ url: async () => url })
  await exportWindows(sink)
  expect(await kindsOf(sink)).toEqual([])
  const segment = async (n: number) => {
    const [row] = await server.query(url, 'select id from cdn_log_segments order by window_from offset $1 limit 1', [n])
    return row?.['id']
  }
  await server.query(url, 'delete from cdn_logs where line = 0 and segment = $1', [await segment(0)])
  expect(await kindsOf(sink)).toEqual(['damaged 0', 'missing 0'])
  const doubled = 'insert into cdn_logs select * from cdn_logs where line = 1 and segment = $1'
  await server.query(url, doubled, [await segment(1)])
  expect(await kindsOf(sink)).toEqual(['damaged 0', 'missing 0', 'damaged 1', 'surplus 1'])
  await server.query(url, "update cdn_logs set path = 'other' where line = 0 and segment = $1", [await segment(2)])
  const changed = ['damaged 2', 'missing 2', 'surplus 2']
  expect(await kindsOf(sink)).toEqual(['damaged 0', 'missing 0', 'damaged 1', 'surplus 1', ...changed])
  await server.query(url, 'delete from cdn_log_segments where id <> $1', [await segment(3)])
  expect(await kindsOf(sink)).toEqual(['damaged in the zone'])
  await sink.close()
})
