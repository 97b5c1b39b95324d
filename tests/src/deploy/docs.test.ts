import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createEmulator } from '@cdn/emulator'
import { exitCodes } from '@cdn/logs-exporter/src/cli/exit-codes.ts'
import { main } from '@cdn/logs-exporter/src/cli/main.ts'
import { parseConfig } from '@cdn/logs-exporter/src/config/read-config.ts'
import schema from '@cdn/logs-exporter/src/config/schema.json' with { type: 'json' }
import { createMetrics } from '@cdn/logs-exporter/src/health/metrics.ts'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { read } from './repository.ts'

const pages = { exporter: read('docs/exporter.md'), scaling: read('docs/scaling.md') }

/** The code blocks that a comment above them names: `<!-- kind: name -->`. */
function blocks(kind: string): { page: string; name: string; text: string }[] {
  const pattern = new RegExp(`<!-- ${kind}: (\\w+) -->\\n\`\`\`\\w+\\n(.*?)\`\`\``, 'gs')
  return Object.entries(pages).flatMap(([page, markdown]) =>
    [...markdown.matchAll(pattern)].map(([, name = '', text = '']) => ({ page, name, text })),
  )
}

/** The cells of the first column of the table that has a heading. */
function firstColumn(heading: string): string[] {
  const [, table = ''] = pages.exporter.split(new RegExp(`\\n\\| ${heading} .*\\n\\|[- |]+\\|\\n`))
  return (
    table
      .split('\n\n')[0]
      ?.split('\n')
      .map((row) => row.split('|')[1]?.trim() ?? '') ?? []
  )
}

test.each(blocks('config'))('the configuration "$name" in docs/$page.md is one', ({ text }) => {
  expect(parseConfig(text, 'config.yaml', {}).zones).not.toEqual([])
})

test('every setting and every exit code is described', () => {
  const settings = firstColumn('setting').flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name))
  expect(new Set(settings)).toEqual(new Set(Object.keys(schema.properties)))
  expect(firstColumn('exit').map(Number)).toEqual(Object.values(exitCodes))
})

test('the table of metrics is that of the code', () => {
  const { registry } = createMetrics({
    now: () => 0,
    positions: async () => [],
    held: () => 0,
    isHealthy: async () => true,
  })
  const own = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('cdn_logs_exporter_'))
  const expected = own.map((metric) => {
    const { labelNames } = metric as unknown as { labelNames: string[] }
    const labels = labelNames.map((label) => label).join(', ')
    return [`\`${metric.name.replace('cdn_logs_exporter_', '')}\``, labels && `\`${labels}\``, metric.help]
  })
  const [, table = ''] = /<!-- metrics -->\n.*?\n.*?\n(.*?)<!-- \/metrics -->/s.exec(pages.exporter) ?? []
  const written = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(written).toEqual(expected)
})

describe('what the exporter wrote', () => {
  let folder: string
  const rows = { ndjson: 0, parquet: 0 }
  const formats = ['ndjson', 'parquet'] as const
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exporter-docs-'))
    const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.05 }, clock: 'real' })
    const { loggingUrl } = await emulator.listen()
    const hour = 3_600_000
    const to = Math.floor(Date.now() / hour) * hour - hour
    for (const format of formats) {
      const path = join(folder, `${format}.yaml`)
      const sink = { type: 'files', path: join(folder, format, 'logs'), format }
      const ledger = join(folder, format, 'state')
      await writeFile(
        path,
        JSON.stringify({ loggingUrl: loggingUrl.href, zones: ['10001'], window: '1h', ledger, sink }),
      )
      const range = ['--from', new Date(to - 2 * hour).toISOString(), '--to', new Date(to).toISOString()]
      const err = new PassThrough()
      const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
      const code = await main(['backfill', '--config', path, ...range], { env, out: { write: () => {} }, err })
      if (code !== exitCodes.done) throw new Error(`backfill ended with ${code}`)
      rows[format] = emulator.state.logs.rows('10001', to - 2 * hour, to).filter((row) => !row.originShield).length
    }
    await emulator.close()
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(blocks('query'))('is read by the query of docs/$page.md over $name in DuckDB', async ({ name, text }) => {
    const format = name === 'parquet' ? 'parquet' : 'ndjson'
    const today = new Date().toISOString().slice(0, 10)
    // The pages name a day in the past, and some of its hours.
    const query = text
      .replaceAll("'logs/", `'${join(folder, format)}/logs/`)
      .replace(/date = '[\d-]+'/, `date <= '${today}'`)
      .replace(/hour between '\d+' and '\d+'/, "hour between '00' and '23'")
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const found = (await connection.runAndReadAll(query)).getRowObjectsJson()
    connection.closeSync()
    expect(found.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(rows[format])
    expect(rows[format]).toBeGreaterThan(0)
  })
})
