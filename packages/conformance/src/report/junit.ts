import { cleanLines } from '@cdn/kit/text'
import { evidenceText } from './exchange.ts'
import type { CheckResult, Report } from './model.ts'
import { countChecks, resultOf } from './summarize.ts'

/** Name of the suite for checks without a requirement, such as probes. */
const withoutRequirement = 'without a requirement'

/**
 * Returns the report as JUnit XML: one suite per area, and one case per check. Both `skip` and `disabled` are shown as
 * skipped.
 *
 * JUnit cannot express that a run ended early, or that it failed for a reason other than its checks. Such a run gets an
 * additional case with an error, so that readers do not treat the run as passed.
 */
export function toJunit(report: Report): string {
  const areas = new Map(report.requirements.map(({ id, area }) => [id, area]))
  const areaOf = (check: CheckResult) => areas.get(check.requirements[0] ?? '') ?? withoutRequirement
  const timestamp = report.startedAt
  const suites = [...Map.groupBy(report.checks, areaOf)].map(([name, checks]) => {
    const time = seconds(checks.reduce((sum, check) => sum + check.durationMs, 0))
    return element('testsuite', { name, timestamp, ...totals(checks), time }, ...checks.map(testcase))
  })
  const extra = extraCase(report)
  const { tests, errors, ...others } = totals(report.checks)
  const counts = { tests: tests + extra.length, errors: errors + extra.length, ...others }
  const run = extra.map((one) =>
    element(
      'testsuite',
      { name: 'run', timestamp, tests: 1, failures: 0, errors: 1, skipped: 0, time: seconds(0) },
      one,
    ),
  )
  const all = { name: `conformance ${report.target.kind}`, ...counts, time: seconds(report.durationMs) }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', all, ...suites, ...run)}\n`
}

function totals(checks: readonly CheckResult[]) {
  const { failed, errors, skipped, disabled } = countChecks(checks.map(asShown))
  return { tests: checks.length, failures: failed, errors, skipped: skipped + disabled }
}

function testcase(check: CheckResult): string {
  const { id, requirements, durationMs } = check
  // The group of an id: `management.delete-watermark` for `management.delete-watermark.204`.
  const classname = (requirements[0] ?? id).split('.').slice(0, 2).join('.')
  return element('testcase', { classname, name: id, time: seconds(durationMs) }, ...resultElement(check))
}

function resultElement({ id: _, message = '', ...check }: CheckResult): string[] {
  const { outcome, source, basis, requirements, evidence, expectedFailure } = check
  if (outcome === 'pass') return []
  if (outcome === 'skip' || outcome === 'disabled') return [element('skipped', { message: message || outcome })]
  // An expected failure is shown as skipped, because readers of JUnit act on failures.
  if (expectedFailure !== undefined) return [element('skipped', { message: `expected failure: ${expectedFailure}` })]
  const type = source === basis ? source : `${source}, observed through ${basis}`
  const text = [message, ...requirements.map((id) => `requirement: ${id}`), evidenceText(evidence)]
  const body = escapeXml(text.filter((part) => part !== '').join('\n'))
  const name = outcome === 'fail' ? 'failure' : 'error'
  return [`<${name}${attributes({ message, type })}>${body}</${name}>`]
}

/** Turns an expected failure into a skip, because the report shows it as skipped. */
function asShown(check: CheckResult): CheckResult {
  return check.expectedFailure === undefined ? check : { ...check, outcome: 'skip' }
}

/** Returns the additional case. Empty if the other cases already show the result. */
function extraCase(report: Report): string[] {
  const { outcome, sentence } = resultOf(report)
  const { failures, errors } = totals(report.checks)
  if (report.status === 'complete' && (outcome === 'pass' || failures + errors > 0)) return []
  const error = element('error', { message: sentence, type: report.status })
  return [element('testcase', { classname: 'run', name: 'run.complete', time: seconds(0) }, error)]
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function element(name: string, values: Attributes, ...children: readonly string[]): string {
  const start = `<${name}${attributes(values)}`
  return children.length === 0 ? `${start}/>` : [`${start}>`, ...children, `</${name}>`].join('\n')
}

type Attributes = Readonly<Record<string, string | number>>

function attributes(values: Attributes): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`)
    .join('')
}

/**
 * Escapes a text for XML text and attributes. Characters that XML 1.0 cannot contain become visible escapes. U+FFFE and
 * U+FFFF are removed.
 */
function escapeXml(text: string): string {
  return cleanLines(text)
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
