import { evidenceText } from './evidence.ts'
import type { CheckResult, Report } from './model.ts'
import { resultOf } from './result.ts'
import { cellLine } from './text.ts'

const statuses = { pass: 'passed', fail: 'failed', error: 'failed', skip: 'skipped', disabled: 'skipped' } as const

/**
 * Returns the report in the Common Test Report Format (ctrf.io). CTRF has no status for an error, so an error is a failure with the
 * raw status `error`; an expected failure is skipped. A run that failed for a reason other than its checks has one more failed test.
 */
export function toCtrf(report: Report): string {
  const { outcome, sentence } = resultOf(report)
  const areas = new Map(report.requirements.map(({ id, area }) => [id, area]))
  const flaky = new Set(report.changes?.transitions.filter(({ kind }) => kind === 'flaky').map(({ id }) => id))
  const tests = report.checks.map((check: CheckResult) => {
    const { id, requirements, durationMs, message, expectedFailure, evidence } = check
    const details = evidenceText(evidence)
    return {
      name: cellLine(id),
      status: expectedFailure === undefined ? statuses[check.outcome] : 'skipped',
      duration: durationMs,
      rawStatus: check.outcome,
      suite: [cellLine(areas.get(requirements[0] ?? '') ?? 'without a requirement')],
      ...(message !== undefined && { message: cellLine(message) }),
      ...(details !== '' && { trace: details.toWellFormed() }),
      ...(requirements.some((requirement) => flaky.has(requirement)) && { flaky: true }),
      tags: [check.source],
    }
  })
  const isShown =
    report.status === 'complete' && (outcome === 'pass' || tests.some(({ status }) => status === 'failed'))
  const all = isShown ? tests : [...tests, { name: 'run.complete', status: 'failed', duration: 0, message: sentence }]
  const count = (status: string) => all.filter((one) => one.status === status).length
  const start = Date.parse(report.startedAt)
  const summary = {
    ...{ tests: all.length, passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    ...{ pending: 0, other: 0, start, stop: start + report.durationMs },
  }
  const results = { tool: { name: 'cdn-conformance' }, summary, tests: all }
  return `${JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results }, null, 2)}\n`
}
