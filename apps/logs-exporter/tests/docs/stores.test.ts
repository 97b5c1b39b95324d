/** Runs the examples of docs/exporter-stores.md. */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, describe, expect, test } from 'vitest'
import { ndjson } from '../../src/formats/ndjson.ts'
import { parquet } from '../../src/formats/parquet.ts'
import { openFilesSink } from '../../src/sinks/files/index.ts'
import { openPostgresSink } from '../../src/sinks/postgres/index.ts'
import { read } from '../deploy/repository.ts'
import { duckdb } from '../sinks/duckdb.ts'
import { contents, line, publish, windowAt } from '../sinks/lines.ts'
import { startPostgres } from '../support/postgres.ts'

const page = read('docs/exporter-stores.md')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`<!-- (?:run by|query): .*? -->\n\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  )
const has = (program: string) => spawnSync(program, ['--version']).status === 0

const window = windowAt(0, '10001')
const rows = [line(window, 0, { host: 'a' }), line(window, 1, { path: '/x', url: 'https://a/x' }).replace('200', '503')]
const folder = temporaryFolder()
const server = await startPostgres()
const later = windowAt(1, '10001')
const path = join(folder, 'logs')
await publish(openFilesSink({ path, format: ndjson('zstd') }), window, rows)
await publish(openFilesSink({ path, format: parquet }), later, [line(later, 3)])
afterAll(() => server.stop())

describe('docs/exporter-stores.md', () => {
  test('its queries run in DuckDB', async () => {
    const queries = blocks('sql').filter((text) => text.includes("'logs/"))
    const results = []
    for (const text of queries) results.push(await duckdb(text.replaceAll("'logs/", `'${folder}/logs/`)))
    expect(results).toEqual([
      [{ date: '2026-06-17', hour: '14', requests: '1', bytes: '3' }],
      [{ date: '2026-06-17', hour: '14', requests: '2', errors: '1' }],
    ])
  })

  test.skipIf(!has('jq') || !has('zstdcat'))('its command runs in a shell (needs jq and zstdcat)', async () => {
    const [command = ''] = blocks('sh')
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder })
    expect(stdout).toBe('2026-06-17T14:30:00.001Z\thttps://a/x\n')
  })

  test('its statements run in PostgreSQL', async () => {
    const url = await server.database('docs')
    const sink = openPostgresSink({ url: async () => url })
    await publish(sink, window, [rows[0] ?? '', line(window, 5)])
    const [query = '', removal = ''] = blocks('sql').filter((text) => text.includes('cdn_logs'))
    expect(await server.query(url, query)).toEqual([{ hour: expect.anything(), requests: '2', bytes: '5' }])
    await server.query(url, removal)
    expect(await contents(sink, '10001')).toEqual({})
    await sink.close()
  })
})
