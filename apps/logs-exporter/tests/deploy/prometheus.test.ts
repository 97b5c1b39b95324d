/** Tests that the alert rules and the dashboard use only metrics and labels that the exporter has. */
import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { idleMetrics } from './idle-metrics.ts'
import { read } from './repository.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(read('deploy/prometheus/alerts.yaml'))
const rules = groups.flatMap((group) => group.rules)
const { panels }: { panels: readonly Panel[] } = JSON.parse(read('docs/dashboards/logs-exporter.json'))
const shown = panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })))
const { registry } = idleMetrics()
const known = new Map(registry.getMetricsAsArray().map((metric) => [metric.name, metric]))

/** The texts of all nodes of a kind. @throws Error if the query is invalid */
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
const scraped = ['instance', 'job', 'namespace']

const queries = [
  ...rules.map(({ alert, expr }) => ({ title: alert, expr, legendFormat: '' })),
  ...shown.map(({ title, expr, legendFormat }) => ({ title, expr, legendFormat })),
]
test.each(queries)('$title: $expr names metrics and labels that exist', ({ expr, legendFormat }) => {
  const metrics = nodes(expr, 'Identifier')
  expect(metrics).not.toEqual([])
  for (const metric of metrics) expect([...known.keys()]).toContain(metric)
  // Safe: every metric of prom-client has its labels here; its types hide them.
  const labels = metrics.flatMap((metric) => (known.get(metric) as unknown as { labelNames: string[] }).labelNames)
  const legend = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label)
  for (const label of [...nodes(expr, 'LabelName'), ...legend]) expect([...labels, ...scraped]).toContain(label)
})

test.each(rules)('$alert does not mix two groups of exporters, and says what is wrong', (rule) => {
  for (const grouping of nodes(rule.expr, 'GroupingLabels'))
    expect(grouping.slice(1, -1).split(', ')).toEqual(expect.arrayContaining(['job', 'namespace']))
  // An aggregation without labels would mix them, too.
  expect(rule.expr).not.toMatch(/\b(sum|min|max|count|group|avg)\s*\(/)
  expect(rule.for).toMatch(/^\d+[mh]$/)
  expect(['warning', 'critical']).toContain(rule.labels.severity)
  expect(rule.annotations.summary).toMatch(/^[A-Z].*\.$/)
})

test('only counters are queried for their rate, and no gauge is named like a counter', () => {
  for (const { expr } of shown) {
    const [metric = ''] = nodes(expr, 'Identifier')
    expect(metric.endsWith('_total')).toBe(/\b(rate|increase)\(/.test(expr))
  }
  const wrong = [...known].filter(([name, { type }]) => name.endsWith('_total') !== (String(type) === 'counter'))
  expect(wrong).toEqual([])
})

test('the dashboard shows every metric of the exporter', () => {
  const all = new Set(shown.flatMap(({ expr }) => nodes(expr, 'Identifier')))
  const exported = [...known.keys()].filter((name) => name.startsWith('cdn_logs_exporter_'))
  expect(exported.filter((name) => !all.has(name))).toEqual([])
})
