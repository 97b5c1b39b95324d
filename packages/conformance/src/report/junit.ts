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
  const suites = [...Map.groupBy(report.checks, areaOf)].map(([area, checks]) => suite(report, area, checks))
  const run = runSuite(report)
  const { failed, errors, skipped, disabled } = countChecks(report.checks.map(asShown))
  const totals = attributes({
    name: `conformance ${report.target.kind}`,
    tests: report.checks.length + run.length,
    failures: failed,
    errors: errors + run.length,
    skipped: skipped + disabled,
    time: seconds(report.durationMs),
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    ...suites,
    ...run,
    '</testsuites>',
    '',
  ].join('\n')
}

function suite(report: Report, area: string, checks: readonly CheckResult[]): string {
  const { failed, errors, skipped, disabled } = countChecks(checks.map(asShown))
  const suiteAttributes = attributes({
    name: area,
    timestamp: report.startedAt,
    tests: checks.length,
    failures: failed,
    errors,
    skipped: skipped + disabled,
    time: seconds(checks.reduce((sum, check) => sum + check.durationMs, 0)),
  })
  return [`  <testsuite${suiteAttributes}>`, ...checks.map(testcase), '  </testsuite>'].join('\n')
}

function testcase(check: CheckResult): string {
  const caseAttributes = attributes({
    classname: groupOf(check.requirements[0] ?? check.id),
    name: check.id,
    time: seconds(check.durationMs),
  })
  const result = resultElement(check)
  return result === ''
    ? `    <testcase${caseAttributes}/>`
    : `    <testcase${caseAttributes}>\n      ${result}\n    </testcase>`
}

function resultElement(check: CheckResult): string {
  const message = check.message ?? ''
  if (check.outcome === 'pass') return ''
  if (check.outcome === 'skip' || check.outcome === 'disabled') {
    return `<skipped${attributes({ message: message || check.outcome })}/>`
  }
  // An expected failure is shown as skipped, because readers of JUnit act on failures.
  if (check.expectedFailure !== undefined)
    return `<skipped${attributes({ message: `expected failure: ${check.expectedFailure}` })}/>`
  const element = check.outcome === 'fail' ? 'failure' : 'error'
  const type = check.source === check.basis ? check.source : `${check.source}, observed through ${check.basis}`
  const broken = check.requirements.map((id) => `requirement: ${id}`)
  const text = [message, ...broken, evidenceText(check.evidence)].filter((part) => part !== '').join('\n')
  return `<${element}${attributes({ message, type })}>${escapeXml(text)}</${element}>`
}

/** Turns an expected failure into a skip, because the report shows it as skipped. */
function asShown(check: CheckResult): CheckResult {
  return check.expectedFailure === undefined ? check : { ...check, outcome: 'skip' }
}

/** Returns the suite of the additional case. Empty if the other cases already show the result. */
function runSuite(report: Report): string[] {
  const { outcome, sentence } = resultOf(report)
  const { failed, errors } = countChecks(report.checks.map(asShown))
  const explained = failed > 0 || errors > 0
  if (report.status === 'complete' && (outcome === 'pass' || explained)) return []
  const counts = { tests: 1, failures: 0, errors: 1, skipped: 0 }
  const suiteAttributes = attributes({ name: 'run', timestamp: report.startedAt, ...counts, time: seconds(0) })
  const lines = [
    `  <testsuite${suiteAttributes}>`,
    `    <testcase${attributes({ classname: 'run', name: 'run.complete', time: seconds(0) })}>`,
    `      <error${attributes({ message: sentence, type: report.status })}/>`,
    '    </testcase>',
    '  </testsuite>',
  ]
  return [lines.join('\n')]
}

/** Returns the group of an id: `management.delete-watermark` for `management.delete-watermark.204`. */
function groupOf(id: string): string {
  return id.split('.').slice(0, 2).join('.')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function attributes(values: Readonly<Record<string, string | number>>): string {
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
