/** Metrics of the last run, for the textfile collector of Prometheus' node exporter. */
import type { Report } from '../report/model.ts'
import { shownOutcome } from '../verdict/outcomes.ts'
import type { Night } from './history.ts'

type Labels = Readonly<Record<string, string>>

/**
 * Returns the metrics in Prometheus' text format.
 *
 * @param nights the history; the last one is the night of the report
 */
export function metricsText(report: Report, nights: readonly Night[]): string {
  const { target, summary, durationMs, startedAt, exitCode, latency = [], changes } = report
  const complete = nights.findLast((night) => night.status === 'complete' && night.target === nights.at(-1)?.target)
  const outcomes = Object.entries(
    Object.groupBy(report.requirements, (one) => `${one.source} ${shownOutcome(one)}`),
  ).map(([key, all = []]): [number, Labels] => {
    const [source = '', outcome = ''] = key.split(' ')
    return [all.length, { source, outcome }]
  })
  const flaky = changes?.transitions.filter(({ kind }) => kind === 'flaky').length ?? 0
  const quantiles = latency.flatMap(({ operation, medianMs, p95Ms }): [number, Labels][] => [
    [medianMs / 1000, { operation, quantile: '0.5' }],
    [p95Ms / 1000, { operation, quantile: '0.95' }],
  ])
  const metric = (name: string, help: string, ...samples: readonly [value: number, labels?: Labels][]) => [
    `# HELP cdn_conformance_${name} ${help}`,
    `# TYPE cdn_conformance_${name} gauge`,
    ...samples.map(
      ([value, labels]) => `cdn_conformance_${name}${labelText({ target: target.kind, ...labels })} ${value}`,
    ),
  ]
  const seconds = (instant: string) => Date.parse(instant) / 1000
  return `${[
    metric('last_run_timestamp_seconds', 'Start of the last run.', [seconds(startedAt)]),
    ...(complete
      ? [metric('last_complete_run_timestamp_seconds', 'Start of the last complete run.', [seconds(complete.at)])]
      : []),
    metric('exit_code', 'Exit code of the last run.', [exitCode]),
    metric('requirements', 'Requirements by source and outcome.', ...outcomes),
    metric('flaky_requirements', 'Requirements that failed again after two changes within 14 nights.', [flaky]),
    metric('requests', 'Requests of the last run.', [summary.requests]),
    metric('duration_seconds', 'Duration of the last run.', [durationMs / 1000]),
    ...(quantiles.length > 0 ? [metric('response_seconds', 'Time until the response.', ...quantiles)] : []),
  ]
    .flat()
    .join('\n')}\n`
}

function labelText(labels: Labels): string {
  const escaped = (value: string) => value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`
}
