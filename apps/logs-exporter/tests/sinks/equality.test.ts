/**
 * Sends the same rows through every typed sink. Independent programs read them: DuckDB reads Parquet, and PostgreSQL reads its own table.
 */
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { parquet } from '../../src/formats/parquet.ts'
import { columns } from '../../src/rows/columns.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { readBack } from '../crash/postgres.ts'
import { sinks } from '../crash/sinks.ts'
import { collectPage } from '../support/arbitrary-rows.ts'
import { type Exported, toV2Row, violations } from '../support/oracle.ts'
import { startPostgres } from '../support/postgres.ts'
import { testEncode } from '../support/test-settings.ts'
import { duckdb } from './duckdb.ts'
import { signal } from './lines.ts'

const [from, to] = [Date.parse('2026-06-17T13:00:00Z'), Date.parse('2026-06-17T14:00:00Z')]
const { state } = await createEmulator({
  traffic: { zones: 1, rowsPerSecond: 0.2, hostileShare: 0.7, tieShare: 0.2 },
  variants: { requestIds: 'some null' },
})
/** Fields outside the contract: U+0000, a nested value, a decimal and a null. The exporter must keep them. */
const additions = { another: '\0', newField: { a: 'x', b: [1, 2.5, null] } }
const stored = state.logs.rows('10001', from, to).map((row, n) => (n % 5 === 0 ? { ...row, ...additions } : row))
/** A row with an integer beyond the exact range of a number. The oracle cannot hold it. */
const largest = { id: 'f'.repeat(32), bytes: '9223372036854775807' }
const rows = [
  ...stored.map((row) => toV2Row(row, row.timestamp)),
  toV2Row({ ...assertDefined(stored.at(-1)), requestId: largest.id, bytesSent: 0 }, to - 1).replace(
    '"bytesSent":0',
    `"bytesSent":${largest.bytes}`,
  ),
]
expect(rows.length).toBeGreaterThan(500)
const server = await startPostgres()
afterAll(() => server.stop())

async function exportRows(sink: Sink): Promise<void> {
  const encode = testEncode(sink)
  const lines = encode.lines(collectPage(rows, from, encode.page()))
  expect(lines.rejects).toEqual([])
  const writer = await sink.begin({ zone: '10001', from, to, revision: 0 }, signal)
  await writer.write(lines)
  const { segment } = await writer.publish()
  expect((await buffer(sink.read(segment, signal))).equals(lines.bytes)).toBe(true)
}

function expectRows(exported: readonly Exported[], replacesNul = false): void {
  const isExact = (line: string) => !line.includes(largest.id)
  const segments = exported.map((segment) => ({ ...segment, lines: segment.lines.filter(isExact) }))
  expect(violations(segments, { stored, from, to, hasShield: true, replacesNul })).toEqual([])
}

test('DuckDB reads the Parquet file: every value, typed', async () => {
  const folder = temporaryFolder(onTestFinished)
  await exportRows(openFilesSink({ path: join(folder, 'logs'), format: parquet }))
  const sink = await assertDefined(sinks['files-parquet'])()
  expectRows(await sink.readBack(folder, '10001'))
  const file = `'${folder}/logs/*/*/*/*.parquet'`
  const table = `read_parquet(${file}, hive_partitioning = false)`
  const [row] = await duckdb(`select bytesSent::varchar as bytes from ${table} where requestId = '${largest.id}'`)
  expect(row).toEqual({ bytes: largest.bytes })
  const types = await duckdb(`select column_name, column_type from (describe select * from ${table})`)
  const expected = {
    timestamp: 'TIMESTAMP WITH TIME ZONE',
    int32: 'INTEGER',
    int64: 'BIGINT',
    string: 'VARCHAR',
    json: 'VARCHAR',
  }
  expect(types).toEqual(columns.map(({ name, type }) => ({ column_name: name, column_type: expected[type] })))
  const labels = await duckdb(`select decode(key) as key, decode(value) as value from parquet_kv_metadata(${file})`)
  expect(Object.fromEntries(labels.map(({ key, value }) => [key, value]))).toMatchObject({
    'cdn-rows': String(rows.length),
    'cdn-sha256': expect.stringMatching(/^[\da-f]{64}$/),
  })
})

test('PostgreSQL has the same rows, except for U+0000', async () => {
  const url = await server.database('equality')
  const sink = openPostgresSink({ url: async () => url })
  await exportRows(sink)
  await sink.close()
  expectRows(await readBack(server, url, '10001'), true)
  const query = 'select bytes_sent::text as bytes from cdn_logs where request_id = $1'
  expect(await server.query(url, query, [largest.id])).toEqual([{ bytes: largest.bytes }])
})
