import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/health/metrics.ts'
import { read, root } from './repository.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(read('deploy/prometheus/alerts.yaml'))
const rules = groups.flatMap((group) => group.rules)
const { registry } = createMetrics({
  now: () => 0,
  positions: async () => [],
  deliveries: async () => [],
  held: () => 0,
  paused: () => 2,
  isHealthy: async () => true,
  clockOffset: () => 0,
  shard: { index: 1, of: 4 },
})

test.each(rules)('$alert queries metrics that the exporter has', ({ expr, for: duration, labels, annotations }) => {
  const names = new Set<string>()
  parser.parse(expr).iterate({
    enter({ name, from, to }) {
      if (name === '⚠') throw new Error(`Invalid query: ${expr}`)
      if (name === 'Identifier') names.add(expr.slice(from, to))
      // Two groups of exporters must not be mixed.
      if (name === 'GroupingLabels')
        expect(expr.slice(from + 1, to - 1).split(', '), expr).toEqual(expect.arrayContaining(['job', 'namespace']))
    },
  })
  // An aggregation without labels would mix them, too.
  expect(expr).not.toMatch(/\b(sum|min|max|count|group|avg)\s*\(/)
  const known = registry.getMetricsAsArray().map(({ name }) => name)
  expect([...names].filter((name) => !known.includes(name))).toEqual([])
  expect(duration).toMatch(/^\d+[mh]$/)
  expect(['warning', 'critical']).toContain(labels.severity)
  expect(annotations.summary).toMatch(/^[A-Z].*\.$/)
})

test('the metric has the index of this shard and the number of shards', async () => {
  expect(await registry.metrics()).toContain('cdn_logs_exporter_shard{index="1",of="4"} 4')
})

test('no gauge is named like a counter', () => {
  const wrong = registry
    .getMetricsAsArray()
    .filter(({ name, type }) => name.endsWith('_total') !== (String(type) === 'counter'))
  expect(wrong.map(({ name }) => name)).toEqual([])
})

/** What Prometheus scrapes once per minute, and the alerts that fire after some minutes, with their labels `job` and `severity`. */
const situations: readonly { what: string; series: Readonly<Record<string, string>>; at: string; alerts: string[] }[] =
  [
    {
      what: 'all is well',
      series: {
        'build_info{job="a",version="1"}': '1x300',
        'zone_time_left_seconds{job="a",zone="1"}': '240000x300',
        'gaps_total{job="a"}': '2x300',
        'rejects_total{job="a"}': '5x300',
        'clock_offset_seconds{job="a"}': '3x300',
        'healthy{job="a"}': '1x300',
        'shard{job="a",index="0",of="1"}': '1x300',
      },
      at: '240m',
      alerts: [],
    },
    {
      what: 'two groups of exporters, of which one fails',
      series: {
        'build_info{job="a"}': '1x120 _x180',
        'build_info{job="b"}': '1x300',
        'zone_time_left_seconds{job="b",zone="1"}': '20000x300',
        'zone_time_left_seconds{job="b",zone="2"}': '80000x300',
        'gaps_total{job="b"}': '0x230 1x70',
        'rejects_total{job="b"}': '0x230 1x70',
        'refused_total{job="b"}': '0x230 1x70',
        'clock_offset_seconds{job="b"}': '-90x300',
        'healthy{job="b"}': '0x300',
        'shard{job="b",index="0",of="2"}': '2x300',
        'shard{job="c",index="0",of="2"}': '2x300',
        'shard{job="c",index="1",of="3"}': '3x300',
      },
      at: '240m',
      alerts: [
        'LogsExporterAbsent a critical',
        'LogsExporterBehind b warning',
        'LogsExporterBehind b warning',
        'LogsExporterClock b warning',
        'LogsExporterGap b critical',
        'LogsExporterOutOfTime b critical',
        'LogsExporterRefused b warning',
        'LogsExporterRejects b warning',
        'LogsExporterShardMissing b critical',
        'LogsExporterShardMissing c critical',
        'LogsExporterShardsDisagree c warning',
        'LogsExporterUnhealthy b warning',
      ],
    },
    { what: 'no exporter, ever', series: {}, at: '20m', alerts: ['LogsExporterAbsent  critical'] },
    {
      what: 'a range that was lost before the first scrape',
      series: { 'build_info{job="a"}': '_x30 1x100', 'gaps_total{job="a"}': '_x30 1x100' },
      at: '40m',
      alerts: ['LogsExporterGap a critical'],
    },
  ]

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('promtool accepts the metrics and the rules (skipped if it is not installed)', async () => {
  const options = { encoding: 'utf8', input: await registry.metrics() } as const
  expect(spawnSync('promtool', ['check', 'metrics'], options)).toMatchObject({ status: 0, stderr: '' })
  expect(spawnSync('promtool', ['check', 'rules', join(root, 'deploy/prometheus/alerts.yaml')], options).status).toBe(0)
})

test.skipIf(!hasPromtool).each(situations)('Prometheus alerts: $what', async ({ series, at, alerts }) => {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'))
  try {
    // The metric ALERTS has one series for each alert that fires.
    const query = 'count by (alertname, job, severity) (ALERTS{alertstate="firing"})'
    const counts = Map.groupBy(alerts, (alert) => alert)
    const expected = [...counts].map(([alert, all]) => {
      const [alertname, job, severity] = alert.split(' ')
      return { labels: `{alertname="${alertname}",${job && `job="${job}",`}severity="${severity}"}`, value: all.length }
    })
    const input = Object.entries(series).map(([name, values]) => ({ series: `cdn_logs_exporter_${name}`, values }))
    const unit = {
      rule_files: [join(root, 'deploy/prometheus/alerts.yaml')],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: input,
          promql_expr_test: [{ expr: query, eval_time: at, exp_samples: expected }],
        },
      ],
    }
    const file = join(folder, 'test.yaml')
    await writeFile(file, JSON.stringify(unit))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    expect(status, stdout + stderr).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})
