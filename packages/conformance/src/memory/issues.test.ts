import { describe, expect, test } from 'vitest'
import { createGh } from '../../tests/support/gh.ts'
import { check, hostileText, reportOf, requirement } from '../../tests/support/samples.ts'
import type { CheckResult, Report } from '../report/model.ts'
import { type Night, nightOf } from './history.ts'
import { syncIssues } from './issues.ts'

const id = requirement.id
const outcomes = { p: 'pass', f: 'fail', g: 'fail', s: 'skip', '!': 'fail' } as const

/** Makes the report of a night in which the requirement has an outcome. `g` fails another check; `!` ends early. */
function reportAt(day: number, letter: string): Report {
  const outcome = outcomes[letter as keyof typeof outcomes] // the tests name letters
  const failing = { ...check, outcome, message: hostileText } satisfies CheckResult
  const other: CheckResult = { ...check, id: 'other', outcome: letter === 'g' ? 'fail' : 'pass' }
  return reportOf([failing, other], {
    startedAt: new Date(Date.UTC(2026, 0, day, 2)).toISOString(),
    status: letter === '!' ? 'interrupted' : 'complete',
    target: { kind: 'live', managementUrl: 'https://one.invalid/' },
    requirements: [{ ...requirement, outcome, reason: 'the target is unavailable', checks: [check.id, 'other'] }],
  })
}

/** Runs nights, one letter each, with the issues after each of them. */
async function live(letters: string, urgent: readonly string[] = []) {
  const gh = createGh()
  const nights: Night[] = []
  const done: string[] = []
  for (const [index, letter] of [...letters].entries()) {
    const report = reportAt(index + 1, letter)
    nights.push(nightOf(report))
    done.push((await syncIssues(report, nights, gh.run, { urgent, link: 'https://ci.invalid/1' })).join('; '))
  }
  return { done, issues: gh.issues, calls: gh.calls }
}

const opened = `opened: ${id}`
const closed = `commented #1: ${id}; closed #1: ${id}`

describe('what happens in each night', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['pff', [], ['', '', opened]],
    ['pffp', [], ['', '', opened, closed]],
    ['pfp', [], ['', '', '']],
    ['pf', [id], ['', opened]],
    ['fff', [], ['', opened, '']],
    ['ffg', [], ['', opened, `commented #1: ${id}`]],
    ['ffs', [], ['', opened, `commented #1: ${id}`]],
    ['ffss', [], ['', opened, `commented #1: ${id}`, '']],
    ['ff!', [], ['', opened, '']],
    ['ffpff', [], ['', opened, closed, '', `reopened #1: ${id}`]],
    ['pfpff', [], ['', '', '', '', opened]],
    [`ff${'p'.repeat(15)}ff`, [], ['', opened, closed, ...Array(15).fill(''), opened]],
  ])('%s (urgent: %j)', async (letters, urgent, expected) => {
    expect((await live(letters, urgent)).done).toEqual(expected)
  })
})

test('a flaky requirement gets a label instead of a second issue', async () => {
  const { issues } = await live('ffpff')
  expect(issues).toMatchObject([{ state: 'OPEN', labels: [{ name: 'conformance' }, { name: 'flaky' }] }])
})

test('issues of another target stay as they are', async () => {
  const gh = createGh()
  const staging = (report: Report): Report => ({
    ...report,
    target: { kind: 'live', managementUrl: 'https://two.invalid/' },
  })
  const reports = [reportAt(1, 'f'), reportAt(2, 'f'), staging(reportAt(3, 'p'))]
  const nights = reports.map((report) => nightOf(report))
  for (const [index, report] of reports.entries())
    await syncIssues(report, nights.slice(0, index + 1), gh.run, { urgent: [] })
  expect(gh.issues).toMatchObject([{ state: 'OPEN', comments: [] }])
})

test('text of the target is escaped, is in no argument, and cannot pretend to be a marker', async () => {
  const { issues, calls } = await live('ffg')
  const texts = issues.flatMap(({ body, comments }) => [body, ...comments.map((one) => one.body)])
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    expect(text.replace(/<!-- conformance [\da-f]{24} -->|^> /g, '')).not.toMatch(/[<>]|(?<!\\)[`[]|@/)
    expect(text).toContain('2026-01-01 02:00 UTC')
  }
  expect(calls.join()).not.toContain('alert')
})
