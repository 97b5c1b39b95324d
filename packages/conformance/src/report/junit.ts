import { evidenceText } from './exchange.ts'
import type { CheckResult, Report } from './model.ts'
import { countChecks, judge } from './summarize.ts'
import { visible } from './text.ts'

/** Where a check stands that belongs to no requirement, such as a probe. */
const withoutRequirement = 'without a requirement'

/**
 * The report as JUnit XML: one suite an area, one case a check, `skip` and `disabled` both as skipped.
 *
 * JUnit has no place for a run that ended early or that is wrong for a reason other than its checks. Such a run gets
 * one more case with an error, so that no reader takes it for green.
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
  const own = attributes({
    name: area,
    timestamp: report.startedAt,
    tests: checks.length,
    failures: failed,
    errors,
    skipped: skipped + disabled,
    time: seconds(checks.reduce((sum, check) => sum + check.durationMs, 0)),
  })
  return [`  <testsuite${own}>`, ...checks.map(testcase), '  </testsuite>'].join('\n')
}

function testcase(check: CheckResult): string {
  const own = attributes({
    classname: groupOf(check.requirements[0] ?? check.id),
    name: check.id,
    time: seconds(check.durationMs),
  })
  const verdict = verdictElement(check)
  return verdict === '' ? `    <testcase${own}/>` : `    <testcase${own}>\n      ${verdict}\n    </testcase>`
}

function verdictElement(check: CheckResult): string {
  const message = check.message ?? ''
  if (check.outcome === 'pass') return ''
  if (check.outcome === 'skip' || check.outcome === 'disabled') {
    return `<skipped${attributes({ message: message || check.outcome })}/>`
  }
  // A reader of JUnit acts on failures, and on a known one nobody is to act.
  if (check.known !== undefined) return `<skipped${attributes({ message: `known to fail: ${check.known}` })}/>`
  const element = check.outcome === 'fail' ? 'failure' : 'error'
  const type = check.ground === check.through ? check.ground : `${check.ground}, seen through ${check.through}`
  const broken = check.requirements.map((id) => `requirement: ${id}`)
  const text = [message, ...broken, evidenceText(check.evidence)].filter((part) => part !== '').join('\n')
  return `<${element}${attributes({ message, type })}>${escapeXml(text)}</${element}>`
}

/** A known failure counts as skipped, as it is shown. */
function asShown(check: CheckResult): CheckResult {
  return check.known === undefined ? check : { ...check, outcome: 'skip' }
}

/** The suite of the one case more; none where the cases tell it all. */
function runSuite(report: Report): string[] {
  const { outcome, sentence } = judge(report)
  const { failed, errors } = countChecks(report.checks.map(asShown))
  const explained = failed > 0 || errors > 0
  if (report.status === 'complete' && (outcome === 'pass' || explained)) return []
  const counts = { tests: 1, failures: 0, errors: 1, skipped: 0 }
  const own = attributes({ name: 'run', timestamp: report.startedAt, ...counts, time: seconds(0) })
  const lines = [
    `  <testsuite${own}>`,
    `    <testcase${attributes({ classname: 'run', name: 'run.complete', time: seconds(0) })}>`,
    `      <error${attributes({ message: sentence, type: report.status })}/>`,
    '    </testcase>',
    '  </testsuite>',
  ]
  return [lines.join('\n')]
}

/** `management.delete-watermark` of `management.delete-watermark.204`. */
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

/** Escapes for text and attributes; what XML 1.0 cannot hold at all is written out or, where no reader knows it, removed. */
function escapeXml(text: string): string {
  return visible(text)
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
