import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { idleMetrics } from './metrics.ts'
import { read } from './repository.ts'

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const { panels }: { panels: readonly Panel[] } = JSON.parse(read('docs/dashboards/logs-exporter.json'))
const queries = panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })))
const { registry } = idleMetrics()
const known = new Map(registry.getMetricsAsArray().map((metric) => [metric.name, metric]))

function nodes(query: string, kind: string): string[] {
  const texts: string[] = []
  parser.parse(query).iterate({
    enter: ({ name, from, to }) => {
      if (name === '⚠') throw new Error(`Invalid query: ${query}`)
      if (name === kind) texts.push(query.slice(from, to))
    },
  })
  return texts
}

/** Prometheus adds these labels to all scraped metrics. */
const scraped = ['instance', 'job']

test.each(queries)('$title: $expr names metrics and labels that exist', ({ expr, legendFormat }) => {
  const metrics = nodes(expr, 'Identifier')
  expect(metrics).not.toEqual([])
  for (const metric of metrics) expect([...known.keys()]).toContain(metric)
  // Safe: every metric of prom-client has its labels here; its types hide them.
  const labels = metrics.flatMap((metric) => (known.get(metric) as unknown as { labelNames: string[] }).labelNames)
  const named = [
    ...nodes(expr, 'LabelName'),
    ...[...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label),
  ]
  for (const label of named) expect([...labels, ...scraped]).toContain(label)
})

test('only counters are queried for their rate', () => {
  for (const { expr } of queries) {
    const [metric = ''] = nodes(expr, 'Identifier')
    expect(metric.endsWith('_total')).toBe(/\b(rate|increase)\(/.test(expr))
  }
})

test('every metric of the exporter is shown', () => {
  const shown = new Set(queries.flatMap(({ expr }) => nodes(expr, 'Identifier')))
  const exported = [...known.keys()].filter((name) => name.startsWith('cdn_logs_exporter_'))
  expect(exported.filter((name) => !shown.has(name))).toEqual([])
})

test('the tests detect an invalid query and a missing metric', () => {
  expect(() => nodes('sum(rate(x_total[5m])', 'Identifier')).toThrow('Invalid query')
  expect(known.has('cdn_logs_exporter_rows')).toBe(false)
})
