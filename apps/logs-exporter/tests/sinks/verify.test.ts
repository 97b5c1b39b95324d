import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WindowReader } from '../../src/reader/api-reader.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { exportWindows, openReader, start, verifySink, zone } from '../support/export-hour.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { type S3Store, s3Sink, startS3 } from '../support/s3-server.ts'
import { minute } from '../support/simulation.ts'

let reader: WindowReader
let server: Postgres
let store: S3Store
beforeAll(async () => {
  ;[reader, server, store] = await Promise.all([openReader(), startPostgres(), startS3()])
})
afterAll(() => Promise.all([server.stop(), store.stop()]))

/** The findings of verify, as their kind and the number of their window (from 0). */
async function kindsOf(sink: Sink): Promise<string[]> {
  const { findings } = await verifySink(sink, reader)
  return findings.map(({ kind, from }) => `${kind} ${from === 0 ? 'in the zone' : (from - start) / (5 * minute)}`)
}

test('verify finds damage in a bucket', async () => {
  const { config, env } = s3Sink(store)
  const sink = await openSink(config, env)
  await exportWindows(sink, reader)
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
  await exportWindows(sink, reader)
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
