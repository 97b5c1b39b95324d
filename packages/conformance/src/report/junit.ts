/** The report as results of tests, in the formats that CI systems read: JUnit XML. */
import { type Html, type HtmlPart, render, html as xml } from '@cdn/kit/html'
import { suiteError } from '../verdict/expectations.ts'
import { resultOf } from '../verdict/result.ts'
import { evidenceText } from './evidence.ts'
import type { CheckResult, Report } from './model.ts'
import { cellLine } from './text.ts'

/** A check as a test. Disabled checks and expected failures are skipped, because readers act on failures. */
interface Test {
  readonly check: CheckResult
  readonly area: string
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip'
}

/**
 * Returns the checks as tests. The formats cannot express that a run ended early, or that it failed for a reason other than
 * its checks. Such a run gets an additional test with an error, so that readers do not treat the run as passed.
 */
function testsOf(report: Report): Test[] {
  const areas = new Map(report.requirements.map(({ id, area }) => [id, area]))
  const tests = report.checks.map((check): Test => {
    const area = areas.get(check.requirements[0] ?? '') ?? 'without a requirement'
    if (check.outcome === 'disabled' || check.expectedFailure !== undefined) return { check, area, outcome: 'skip' }
    return { check, area, outcome: check.outcome }
  })
  const { outcome, sentence } = resultOf(report)
  const isShown = outcome === 'pass' || tests.some((one) => one.outcome === 'fail' || one.outcome === 'error')
  if (report.status !== 'complete' || !isShown)
    tests.push({ check: suiteError('run.complete', sentence), area: 'run', outcome: 'error' })
  return tests
}

/** Returns the report as JUnit XML: one suite per area, and one case per check. */
export function toJunit(report: Report): string {
  const tests = testsOf(report)
  const suites = [...Map.groupBy(tests, ({ area }) => area)].map(
    ([name, members]) =>
      xml`<testsuite name="${name}" timestamp="${report.startedAt}"${counts(members)}>${members.map(testcase)}
</testsuite>\n`,
  )
  return render(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance ${report.target.kind}"${counts(tests, report.durationMs)}>
${suites}</testsuites>
`)
}

function counts(tests: readonly Test[], totalMs?: number): Html {
  const ms = totalMs ?? tests.reduce((sum, { check }) => sum + check.durationMs, 0)
  const of = (outcome: Test['outcome']) => tests.filter((test) => test.outcome === outcome).length
  return xml` tests="${tests.length}" failures="${of('fail')}" errors="${of('error')}" skipped="${of('skip')}" time="${seconds(ms)}"`
}

function testcase(test: Test): Html {
  const { id, requirements, durationMs } = test.check
  // The group of an id: `management.delete-watermark` for `management.delete-watermark.204`.
  const classname = (requirements[0] ?? id).split('.').slice(0, 2).join('.')
  return xml`\n<testcase classname="${cellLine(classname)}" name="${cellLine(id)}" time="${seconds(durationMs)}">${result(test)}</testcase>`
}

function result({ check, outcome }: Test): HtmlPart {
  const { message = '', expectedFailure, source, basis, requirements, evidence } = check
  if (outcome === 'pass') return undefined
  // In attributes, a reader turns line breaks into spaces.
  const line = cellLine(expectedFailure === undefined ? message : `expected failure: ${expectedFailure}`)
  if (outcome === 'skip') return xml`<skipped message="${line || check.outcome}"/>`
  const type = source === basis ? source : `${source}, observed through ${basis}`
  const text = [message, ...requirements.map((id) => `requirement: ${id}`), evidenceText(evidence)].join('\n')
  return outcome === 'fail'
    ? xml`<failure message="${line}" type="${type}">${text}</failure>`
    : xml`<error message="${line}" type="${type}">${text}</error>`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
