import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { idleMetrics } from './metrics.ts'
import { read } from './repository.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(read('deploy/prometheus/alerts.yaml'))
const rules = groups.flatMap((group) => group.rules)
const { registry } = idleMetrics()

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
