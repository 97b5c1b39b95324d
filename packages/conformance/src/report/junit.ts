import { type Html, type HtmlPart, render, html as xml } from '@cdn/kit/html'
import { suiteError } from '../expectations/known-failing.ts'
import { evidenceText } from './evidence.ts'
import type { CheckResult, Report } from './model.ts'
import { countChecks, resultOf } from './result.ts'
import { cellLine } from './text.ts'

/**
 * Returns the report as JUnit XML: one suite per area, and one case per check. Both `skip` and `disabled` are shown as
 * skipped, and so is an expected failure, because readers of JUnit act on failures.
 *
 * JUnit cannot express that a run ended early, or that it failed for a reason other than its checks. Such a run gets an
 * additional case with an error, so that readers do not treat the run as passed.
 */
export function toJunit(report: Report): string {
  const areas = new Map(report.requirements.map(({ id, area }) => [id, area]))
  const areaOf = (check: CheckResult) => areas.get(check.requirements[0] ?? '') ?? 'without a requirement'
  const shown = report.checks.map((check): CheckResult => {
    const { outcome, message, expectedFailure } = check
    if (expectedFailure !== undefined)
      return { ...check, outcome: 'skip', message: `expected failure: ${expectedFailure}` }
    return outcome === 'disabled' ? { ...check, outcome: 'skip', message: message ?? outcome } : check
  })
  const { outcome, sentence } = resultOf(report)
  const { failed, errors } = countChecks(shown)
  const isShown = report.status === 'complete' && (outcome === 'pass' || failed + errors > 0)
  const extra = isShown ? [] : [suiteError('run.complete', sentence)]
  const suites = [...Map.groupBy(shown, areaOf), ...extra.map((check) => ['run', [check]] as const)].map(
    ([name, checks]) =>
      xml`<testsuite name="${name}" timestamp="${report.startedAt}"${counts(checks)}>${checks.map(testcase)}
</testsuite>\n`,
  )
  return render(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance ${report.target.kind}"${counts([...shown, ...extra], report.durationMs)}>
${suites}</testsuites>
`)
}

function counts(checks: readonly CheckResult[], totalMs?: number): Html {
  const ms = totalMs ?? checks.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const { failed, errors, skipped } = countChecks(checks)
  return xml` tests="${checks.length}" failures="${failed}" errors="${errors}" skipped="${skipped}" time="${seconds(ms)}"`
}

function testcase(check: CheckResult): Html {
  const { id, requirements, durationMs } = check
  // The group of an id: `management.delete-watermark` for `management.delete-watermark.204`.
  const classname = (requirements[0] ?? id).split('.').slice(0, 2).join('.')
  return xml`\n<testcase classname="${cellLine(classname)}" name="${cellLine(id)}" time="${seconds(durationMs)}">${result(check)}</testcase>`
}

function result({ outcome, message = '', source, basis, requirements, evidence }: CheckResult): HtmlPart {
  if (outcome === 'pass') return undefined
  // In attributes, a reader turns line breaks into spaces.
  const line = cellLine(message)
  if (outcome === 'skip') return xml`<skipped message="${line || outcome}"/>`
  const type = source === basis ? source : `${source}, observed through ${basis}`
  const text = [message, ...requirements.map((id) => `requirement: ${id}`), evidenceText(evidence)].join('\n')
  return outcome === 'fail'
    ? xml`<failure message="${line}" type="${type}">${text}</failure>`
    : xml`<error message="${line}" type="${type}">${text}</error>`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
