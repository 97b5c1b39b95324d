import { expect, test } from 'vitest'
import { createGh } from '../../tests/support/gh.ts'
import { cause, full, hostile, reportOf } from '../../tests/support/samples.ts'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { summaryOf, withChanges } from '../verdict/changes.ts'
import { syncIssues } from './issues.ts'

const link = 'https://ci.invalid/1'

/**
 * The report of a day, by its letter: `f` has the cause, `k` expects it, `e` has an error of the suite, `s` is undecided, `!` has
 * the cause and ended early, `p` conforms.
 */
function reportAt(day: number, letter: string): Report {
  const causes: Record<string, Cause[]> = {
    f: [cause],
    '!': [cause],
    k: [{ ...cause, reason: 'ticket' }],
    e: [{ ...cause, outcome: 'error', seen: 'fault of the suite: x' }],
  }
  const outcome = letter === 'p' ? 'pass' : letter === 's' ? 'skip' : 'fail'
  return reportOf(full.checks, {
    ...{ startedAt: new Date(Date.UTC(2026, 0, day, 2)).toISOString(), causes: causes[letter] ?? [] },
    status: letter === '!' ? 'interrupted' : 'complete',
    target: { kind: 'live', managementUrl: 'https://one.invalid/' },
    requirements: full.requirements.map((one) => (one.id === cause.id ? { ...one, outcome } : one)),
  })
}

/** Simulates one run per letter. Synchronizes the issues twice after each run, and expects no change the second time. */
async function live(letters: string) {
  const gh = createGh()
  const runs: RememberedRun[] = []
  const done: string[] = []
  for (const [index, letter] of [...letters].entries()) {
    const report = withChanges(reportAt(index + 1, letter), runs)
    runs.push(summaryOf(report))
    done.push((await syncIssues(report, runs, gh.run, { link })).join('; '))
    expect(await syncIssues(report, runs, gh.run, { link })).toEqual([])
  }
  return { done, issues: gh.issues, calls: gh.calls }
}

const title = 'POST /pullzone/{id}/addAllowedReferrer: no allowed referrers'
const opened = `opened: ${title}`
const closed = `commented #1: ${cause.id}; closed #1: ${cause.id}`

test.each<[string, readonly string[]]>([
  ['pff', ['', opened, '']],
  ['fp', [opened, closed]],
  ['fsp', [opened, '', closed]],
  ['f!p', [opened, '', closed]],
  ['fpf', [opened, closed, `reopened #1: ${cause.id}`]],
  [`f${'p'.repeat(15)}f`, [opened, closed, ...Array(14).fill(''), opened]],
  ['ke', ['', '']],
  ['p!', ['', '']],
])('what happens after each of the runs %s', async (letters, expected) => {
  expect((await live(letters)).done).toEqual(expected)
})

test('a cause that comes back gets a label instead of a second issue', async () => {
  const { issues } = await live('fpf')
  expect(issues).toMatchObject([{ title, state: 'OPEN', labels: [{ name: 'conformance' }, { name: 'flaky' }] }])
})

test('the body has what a vendor needs, and links to the report', async () => {
  const { issues } = await live('f')
  for (const part of [
    'After a success the hostname',
    '§4.2',
    'curl --include',
    'request id 8f3c',
    'Seen since 2026-01-01',
    link,
  ])
    expect(issues[0]?.body).toContain(part)
})

test('--dry-run prints title and body, and runs no command', async () => {
  const gh = createGh()
  const report = reportAt(1, 'f')
  const done = await syncIssues(report, [summaryOf(report)], gh.run, { link, isDry: true })
  expect(done).toEqual([expect.stringContaining(`${opened}\n\n**POST`)])
  expect(gh.calls).toEqual([])
})

test('issues of another target stay as they are', async () => {
  const gh = createGh()
  const first = reportAt(1, 'f')
  const other: Report = { ...reportAt(2, 'p'), target: { kind: 'live', managementUrl: 'https://two.invalid/' } }
  const runs = [summaryOf(first)]
  await syncIssues(first, runs, gh.run, {})
  await syncIssues(other, [...runs, summaryOf(other)], gh.run, {})
  expect(gh.issues).toMatchObject([{ state: 'OPEN', comments: [] }])
})

test('text of the target is in no argument but the title, and cannot pretend to be a marker', async () => {
  const gh = createGh()
  const report = { ...hostile, causes: hostile.causes.slice(0, 1), status: 'complete' } as const
  await syncIssues(report, [summaryOf(report)], gh.run, {})
  expect(gh.issues).toHaveLength(1)
  const [{ body = '', title: line = '' } = {}] = gh.issues
  expect(body.match(/<!--/g)).toHaveLength(2)
  expect(body.match(/<!-- conformance [\da-f]{24} -->/g)).toHaveLength(2)
  expect(line).not.toMatch(/\n/)
})
