import { oneLine, sectionLabel } from '../exchange/format-text.ts'
import type { Cause, Report, RequirementResult } from '../exchange/report-model.ts'
import { shownOutcome } from '../verdict/outcomes.ts'
import { resultOf } from '../verdict/result.ts'
import { causeFacts, causeLine, expectedText, seenText } from './cause-text.ts'
import { curlLine, exchangeText } from './evidence.ts'
import { type Html, type HtmlPart, render, html as xml } from './html.ts'

interface Test {
  readonly id: string
  readonly area: string
  readonly ms: number
  readonly outcome: 'pass' | 'fail' | 'error' | 'skip'
  readonly message?: string | undefined
  readonly type?: string
  readonly text?: string
}

/**
 * Returns the report as JUnit XML: one suite per area, one test per cause, and one test per sentence. The first sentence that a cause
 * breaks has no test of its own, and the others are skipped, so that an unexpected cause is exactly one failure.
 */
export function toJunit(report: Report): string {
  const tests = testsOf(report)
  const suites = [...Map.groupBy(tests, ({ area }) => area)].map(
    ([name, members]) =>
      xml`<testsuite name="${name}" timestamp="${report.startedAt}"${counts(members)} skipped="${members.filter(({ outcome }) => outcome === 'skip').length}">${members.map(testcase)}
</testsuite>\n`,
  )
  return render(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance ${report.target.kind}"${counts(tests)}>
${suites}</testsuites>
`)
}

function testsOf(report: Report): Test[] {
  // These durations do not include waits of the suite.
  const times = new Map(report.checks.map(({ id, durationMs }) => [id, durationMs]))
  const msOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + (times.get(id) ?? 0), 0)
  const shown = new Map(report.causes.map((cause) => [cause.requirements[0] ?? cause.id, cause]))
  const counted = new Set<string>()
  const fresh = (ids: readonly string[]) => {
    const own = ids.filter((id) => !counted.has(id))
    for (const id of own) counted.add(id)
    return msOf(own)
  }
  const ofCause = (cause: Cause, area: string): Test => {
    const { exchanges, sentences } = causeFacts(report, cause)
    const lines = sentences.map(({ text, section, id }) => `${sectionLabel(section)} ${text} (${id})`)
    const evidence = exchanges.flatMap((one) => [exchangeText(one), curlLine(one.request)])
    return {
      ...{ id: cause.id, area, ms: fresh(cause.checks), type: cause.source },
      outcome: cause.reason === undefined ? cause.outcome : 'skip',
      message: cause.reason === undefined ? causeLine(cause) : `expected: ${cause.reason}`,
      text: [...lines, `expected: ${expectedText(cause.expected)}`, `seen: ${seenText(cause.seen)}`, ...evidence].join(
        '\n',
      ),
    }
  }
  const ofSentence = (requirement: RequirementResult): Test => {
    const { id, area, checks, reason, unchecked } = requirement
    const outcome = shownOutcome(requirement)
    const cause = report.causes.find(({ requirements }) => requirements.includes(id))
    const message = outcome === 'fail' ? `broken by ${cause?.id}` : (reason ?? unchecked ?? 'not decided')
    return { id, area, ms: fresh(checks), outcome: outcome === 'pass' ? 'pass' : 'skip', message }
  }
  const areaOf = (cause: Cause) => report.requirements.find(({ id }) => id === cause.requirements[0])?.area
  const tests = [
    ...report.causes.map((cause) => ofCause(cause, areaOf(cause) ?? 'without a sentence')),
    ...report.requirements.filter(({ id }) => !shown.has(id)).map(ofSentence),
  ]
  const { outcome, sentence } = resultOf(report)
  // The format cannot express that a run ended early, or that it failed for a reason other than its causes.
  const isShown = outcome === 'pass' || tests.some((one) => one.outcome === 'fail' || one.outcome === 'error')
  if (report.status !== 'complete' || !isShown)
    tests.push({
      ...{ id: 'run.complete', area: 'run', ms: 0, outcome: 'error', type: 'run' },
      message: sentence,
      text: sentence,
    })
  return tests
}

function counts(tests: readonly Test[]): Html {
  const of = (outcome: Test['outcome']) => tests.filter((test) => test.outcome === outcome).length
  const ms = tests.reduce((sum, test) => sum + test.ms, 0)
  return xml` tests="${tests.length}" failures="${of('fail')}" errors="${of('error')}" time="${seconds(ms)}"`
}

function testcase(test: Test): Html {
  // The group of an id: `management.delete-watermark` for `management.delete-watermark.204`.
  const classname = test.id.split(/[./]/).slice(0, 2).join('.')
  return xml`\n<testcase classname="${oneLine(classname)}" name="${oneLine(test.id)}" time="${seconds(test.ms)}">${result(test)}</testcase>`
}

function result({ outcome, message = '', type = '', text = '' }: Test): HtmlPart {
  // XML readers turn line breaks in attributes into spaces.
  const line = oneLine(message)
  if (outcome === 'fail') return xml`<failure message="${line}" type="${type}">${text}</failure>`
  if (outcome === 'error') return xml`<error message="${line}" type="${type}">${text}</error>`
  return outcome === 'skip' && xml`<skipped message="${line}"/>`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
