import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/health/metrics.ts'
import { read } from './repository.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
}

const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(read('deploy/prometheus/alerts.yaml'))
const rules = groups.flatMap((group) => group.rules)
const { registry } = createMetrics({
  now: () => 0,
  positions: async () => [],
  held: () => 0,
  isHealthy: async () => true,
  clockOffset: () => 0,
  shard: { index: 1, of: 4 },
})

test.each(rules)('$alert queries metrics that the exporter has', ({ expr, for: duration }) => {
  const names = new Set<string>()
  parser.parse(expr).iterate({
    enter({ name, from, to }) {
      if (name === '⚠') throw new Error(`Invalid query: ${expr}`)
      if (name === 'Identifier') names.add(expr.slice(from, to))
    },
  })
  const known = registry.getMetricsAsArray().map(({ name }) => name)
  expect([...names].filter((name) => !known.includes(name))).toEqual([])
  expect(duration).toMatch(/^\d+[mh]$/)
})

test('the metric has the index of this shard and the number of shards', async () => {
  expect(await registry.metrics()).toContain('cdn_logs_exporter_shard{index="1",of="4"} 4')
  expect(rules.map(({ alert }) => alert)).toEqual(['LogsExporterShardMissing', 'LogsExporterShardsDisagree'])
})
