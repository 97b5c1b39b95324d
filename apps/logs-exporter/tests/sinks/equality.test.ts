/**
 * Sends the same rows through every typed sink. Independent programs read them: DuckDB reads Parquet, PostgreSQL its own table.
 */
import { buffer } from 'node:stream/consumers'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { parquet } from '../../src/formats/parquet.ts'
import { columns } from '../../src/rows/columns.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { pageOf } from '../support/arbitrary-rows.ts'
import { startPostgres } from '../support/postgres.ts'
import { testEncode } from '../support/reader.ts'
import { duckdb } from './duckdb.ts'
import { signal } from './lines.ts'

/** Fields outside the contract: a nested value, a decimal, a null and U+0000. The exporter must keep them. */
const additions = '{"newField":{"b":[1,2.5,null],"a":"x"},"another":"\\u0000"}'
const [from, to] = [Date.parse('2026-06-17T13:00:00Z'), Date.parse('2026-06-17T14:00:00Z')]
const { state } = await createEmulator({
  traffic: { zones: 1, rowsPerSecond: 0.2, hostileShare: 0.7, tieShare: 0.2 },
  variants: { requestIds: 'some null', loneSurrogates: 'raw' },
})
const stored = state.logs.rows('10001', from, to)
const rows = stored.map(({ timestamp, visibleFrom: _, originShield: __, ...row }, n) => {
  const fields = { ...row, timestamp: new Date(timestamp).toISOString(), pullZoneId: 10001, bytesSent: 0 }
  const text = JSON.stringify({ ...fields, ...(n % 5 === 0 ? JSON.parse(additions) : {}) })
  // Some sizes are integers beyond the exact range of a number.
  return text.replace('"bytesSent":0', `"bytesSent":${n % 3 === 0 ? '9223372036854775807' : n}`)
})
expect(rows.length).toBeGreaterThan(500)
expect(rows.join('')).toMatch(/\\ud[89a-f]/)
const server = await startPostgres()
afterAll(() => server.stop())

async function exportRows(sink: Sink): Promise<void> {
  const encode = testEncode(sink)
  const lines = encode.lines(pageOf(rows, from, encode.page()))
  expect(lines.rejects).toEqual([])
  const writer = await sink.begin({ zone: '10001', from, to, revision: 0 }, signal)
  await writer.write(lines)
  const { segment } = await writer.publish()
  expect((await buffer(sink.read(segment, signal))).equals(lines.bytes)).toBe(true)
}

/** The expected rows. Computed with a simple version of the exporter's rules for text and privacy. */
function expectedRows(nul = '\0'): Record<string, unknown>[] {
  const unknown = new Set(Object.keys(JSON.parse(additions)))
  return rows.map((row) => {
    const exact = row.replace(/"bytesSent":(\d+)/, '"bytesSent":"$1"')
    const clean = (value: unknown) => (typeof value === 'string' ? value.toWellFormed().replaceAll('\0', nul) : value)
    const fields = Object.entries(JSON.parse(exact)).map(([name, value]) => [name, clean(value)] as const)
    const extra = Object.fromEntries(fields.filter(([name]) => unknown.has(name)).sort())
    const known = Object.fromEntries(fields.filter(([name]) => !unknown.has(name)))
    const whole: Record<string, unknown> = {
      ...known,
      authorizationHeader: null,
      extra: Object.keys(extra).length > 0 ? extra : null,
      source: 'v2',
    }
    return Object.fromEntries(columns.map(({ name }) => [name, whole[name] ?? null]))
  })
}

const extraOf = (text: unknown) => (typeof text === 'string' ? JSON.parse(text) : text)

/** Converts small 64-bit integers to numbers. Queries return all 64-bit integers as texts. */
const small = ({ pullZoneId, asn, bodyBytesSent }: Record<string, unknown>) => ({
  asn: asn === null ? null : Number(asn),
  pullZoneId: Number(pullZoneId),
  bodyBytesSent: bodyBytesSent === null ? null : Number(bodyBytesSent),
})

/** Finds rows that only one side has, counting duplicates. The order of keys and rows does not matter. */
function differences(actual: readonly object[], expected: readonly object[]) {
  const left = Map.groupBy(expected.map(text), (row) => row)
  const more = actual.map(text).filter((row) => left.get(row)?.pop() === undefined)
  return { more: more.slice(0, 2), less: [...left.values()].flat().slice(0, 2) }
}
const text = (value: object) =>
  JSON.stringify(value, (_name, each) =>
    each?.constructor === Object ? Object.fromEntries(Object.entries(each).sort()) : each,
  )
const none = { more: [], less: [] }

test('DuckDB reads the Parquet file: every value, typed', async () => {
  const path = temporaryFolder(onTestFinished)
  await exportRows(openFilesSink({ path, format: parquet }))
  const file = `'${path}/*/*/*/*.parquet'`
  const selected = columns.map(({ name, type }) =>
    type === 'timestamp'
      ? `epoch_ms(${name})::varchar as ${name}`
      : type === 'int64'
        ? `${name}::varchar as ${name}`
        : name,
  )
  const actual = await duckdb(`select ${selected.join()} from read_parquet(${file}, hive_partitioning = false)`)
  const same = actual.map((row) => ({
    ...row,
    timestamp: new Date(Number(row['timestamp'])).toISOString(),
    ...small(row),
    extra: extraOf(row['extra']),
  }))
  expect(differences(same, expectedRows())).toEqual(none)
  const types = await duckdb(
    `select column_name, column_type from (describe select * from read_parquet(${file}, hive_partitioning = false))`,
  )
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
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const selected = columns.map(({ name, type }) => `${snake(name)}${type === 'int64' ? '::text' : ''} as "${name}"`)
  const actual = await server.query(url, `select ${selected.join()} from cdn_logs`)
  const same = actual.map((row) => ({
    ...row,
    // Safe: the client reads a column of this type as a date.
    timestamp: (row['timestamp'] as Date).toISOString(),
    ...small(row),
  }))
  expect(differences(same, expectedRows('\ufffd'))).toEqual(none)
})
