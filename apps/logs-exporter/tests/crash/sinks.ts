import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FormatConfig } from '../../src/config/config.ts'
import { duckdb } from '../sinks/duckdb.ts'
import type { Exported } from '../support/oracle.ts'
import { parseSegmentPath, readFiles } from '../support/read-files.ts'
import type { SinkUnderTest } from './campaign.ts'

/** Factories, because only the chosen sink may start its server. */
export const sinks: Readonly<Record<string, () => SinkUnderTest | Promise<SinkUnderTest>>> = {
  files: () => files({ format: 'ndjson', compression: 'zstd' }),
  'files-gzip': () => files({ format: 'ndjson', compression: 'gzip' }),
  'files-parquet': () => files({ format: 'parquet', compression: 'zstd' }),
  s3: async () => (await import('./object-stores.ts')).s3(),
  's3-one-writer': async () => (await import('./object-stores.ts')).s3('one writer'),
  azure: async () => (await import('./object-stores.ts')).azure(),
  google: async () => (await import('./object-stores.ts')).google(),
  postgres: async () => (await import('./postgres.ts')).postgres(),
}

function files(format: FormatConfig): SinkUnderTest {
  const read = format.format === 'parquet' ? readParquet : readFiles
  return {
    hasFiles: true,
    open: async (folder) => ({ config: { type: 'files', path: join(folder, 'logs'), ...format } }),
    readBack: async (folder, zone) => (await read(join(folder, 'logs'))).filter((segment) => segment.zone === zone),
  }
}

/** Reads a folder of Parquet segments with DuckDB. */
async function readParquet(folder: string): Promise<Exported[]> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  if (!names.some((name) => name.endsWith('.parquet'))) return []
  const options = 'filename = true, file_row_number = true, hive_partitioning = false'
  const table = `read_parquet('${folder}/**/*.parquet', ${options})`
  const rows = await duckdb(`select *, epoch_ms(timestamp) as ms from ${table} order by filename, file_row_number`)
  return [...Map.groupBy(rows, ({ filename }) => String(filename))].map(([filename, own]) => {
    return { ...parseSegmentPath(filename), lines: own.map(toLine) }
  })
}

/** A row as a line of NDJSON. DuckDB returns 64-bit integers as texts; the integers of the campaign fit into a number. */
function toLine({ filename: _, file_row_number: __, ms, extra, ...row }: Record<string, unknown>): string {
  const integers = ['pullZoneId', 'bytesSent', 'bodyBytesSent', 'asn'].filter((name) => typeof row[name] === 'string')
  const exact = Object.fromEntries(integers.map((name) => [name, Number(row[name])]))
  const others = typeof extra === 'string' ? JSON.parse(extra) : {}
  return JSON.stringify({ ...row, ...exact, ...others, timestamp: new Date(Number(ms)).toISOString() })
}
