import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createEmulator } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exporterExitCodes } from '../../src/cli/context.ts'
import { runExporter } from '../../src/cli/main.ts'
import { parseConfig } from '../../src/config/read-config.ts'
import schema from '../../src/config/schema.json' with { type: 'json' }
import { createMetrics } from '../../src/health/metrics.ts'
import { read } from './repository.ts'

const pages = {
  exporter: read('docs/exporter.md'),
  scaling: read('docs/scaling.md'),
  deliveries: read('docs/exporter-deliveries.md'),
}

/** Finds the code blocks that have a comment `<!-- kind: name -->` above them. */
function blocks(kind: string): { page: string; name: string; text: string }[] {
  const pattern = new RegExp(`<!-- ${kind}: (\\w+) -->\\n\`\`\`\\w+\\n(.*?)\`\`\``, 'gs')
  return Object.entries(pages).flatMap(([page, markdown]) =>
    [...markdown.matchAll(pattern)].map(([, name = '', text = '']) => ({ page, name, text })),
  )
}

/** The cells of the first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const [, table = ''] = pages.exporter.split(new RegExp(`\\n\\| ${heading} .*\\n\\|[- |]+\\|\\n`))
  return (
    table
      .split('\n\n')[0]
      ?.split('\n')
      .map((row) => row.split('|')[1]?.trim() ?? '') ?? []
  )
}

test.each(blocks('config'))('the configuration "$name" in docs/$page.md is valid', ({ text }) => {
  const { zones, zonesFrom } = parseConfig(text, 'config.yaml', {})
  expect(zonesFrom ?? zones).not.toEqual([])
})

test('the pages describe every setting and every exit code', () => {
  const settings = firstColumn('setting').flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name))
  expect(new Set(settings)).toEqual(new Set(Object.keys(schema.properties)))
  expect(firstColumn('exit').map(Number)).toEqual(Object.values(exporterExitCodes))
})

test('the table of metrics matches the code', () => {
  const { registry } = createMetrics({
    now: () => 0,
    positions: async () => [],
    deliveries: async () => [],
    held: () => 0,
    paused: () => 2,
    isHealthy: async () => true,
    clockOffset: () => 0,
  })
  const metrics = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('cdn_logs_exporter_'))
  const expected = metrics.map((metric) => {
    // Safe: every metric of prom-client has its labels here; its types hide them.
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

describe('the output of the exporter', () => {
  let folder: string
  const rows = { ndjson: 0, parquet: 0 }
  const formats = ['ndjson', 'parquet'] as const
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exporter-docs-'))
    const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.05 }, clock: 'real' })
    const { loggingUrl } = await emulator.listen()
    const to = Math.floor(Date.now() / hourMs) * hourMs - hourMs
    for (const format of formats) {
      const path = join(folder, `${format}.yaml`)
      const sink = { type: 'files', path: join(folder, format, 'logs'), format }
      const ledger = join(folder, format, 'state')
      await writeFile(
        path,
        JSON.stringify({ loggingUrl: loggingUrl.href, zones: ['10001'], window: '1h', ledger, sink }),
      )
      const range = ['--from', new Date(to - 2 * hourMs).toISOString(), '--to', new Date(to).toISOString()]
      const err = new PassThrough()
      const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
      const code = await runExporter(['backfill', '--config', path, ...range], { env, out: { write: () => {} }, err })
      if (code !== exporterExitCodes.done) throw new Error(`backfill ended with ${code}`)
      rows[format] = emulator.state.logs.rows('10001', to - 2 * hourMs, to).filter((row) => !row.originShield).length
    }
    await emulator.close()
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(blocks('query'))('is read by the query of docs/$page.md over $name in DuckDB', async ({ name, text }) => {
    const format = name === 'parquet' ? 'parquet' : 'ndjson'
    const today = new Date().toISOString().slice(0, 10)
    // The pages use a day in the past and some of its hours, which are replaced here.
    const query = text
      .replaceAll("'logs/", `'${join(folder, format)}/logs/`)
      .replace(/date = '[\d-]+'/, `date <= '${today}'`)
      .replace(/hour between '\d+' and '\d+'/, "hour between '00' and '23'")
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const requests = (await connection.runAndReadAll(query)).getRowObjectsJson()
    connection.closeSync()
    expect(requests.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(rows[format])
    expect(rows[format]).toBeGreaterThan(0)
  })
})
