import { expect, test } from 'vitest'
import { createGh } from '../../tests/support/gh.ts'
import { fullReport, hostileReport, reportOf, sampleCause, seenOf } from '../../tests/support/samples.ts'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { withChanges } from '../verdict/changes.ts'
import { syncIssues } from './issues.ts'
import { summaryOf } from './summary.ts'

const link = 'https://ci.invalid/1'

/**
 * The report of a day, by its letter: `f` has the cause, `k` expects it, `e` has an error of the suite, `s` is undecided, `!` has
 * the cause and ended early, `p` conforms.
 */
function reportAt(day: number, letter: string): Report {
  const causes: Record<string, Cause[]> = {
    f: [sampleCause],
    '!': [sampleCause],
    k: [{ ...sampleCause, reason: 'ticket' }],
    e: [{ ...sampleCause, outcome: 'error', seen: { kind: 'fault', text: 'x' } }],
  }
  const outcome = letter === 'p' ? 'pass' : letter === 's' ? 'skip' : 'fail'
  const checks = fullReport.checks.map(
    (one) => (one.id === sampleCause.id ? { ...one, outcome } : one) as (typeof fullReport.checks)[0],
  )
  return reportOf(checks, {
    ...{ startedAt: new Date(Date.UTC(2026, 0, day, 2)).toISOString(), causes: causes[letter] ?? [] },
    status: letter === '!' ? 'interrupted' : 'complete',
    target: { kind: 'live', managementUrl: 'https://one.invalid/' },
    requirements: fullReport.requirements.map((one) => (one.id === sampleCause.id ? { ...one, outcome } : one)),
  })
}

/** Notes the issues in the last run, as the command does in the memory. */
function remember(runs: RememberedRun[], issues: ReadonlyMap<string, string>) {
  const last = runs.pop()
  if (!last) return
  const withIssue = (one: RememberedRun['causes'][number]) => {
    const issue = issues.get(one.id)
    return issue === undefined ? one : { ...one, issue }
  }
  runs.push({ ...last, causes: last.causes.map(withIssue) })
}

/** Simulates one run per letter. Synchronizes the issues twice after each run, and expects no change the second time. */
async function live(letters: string) {
  const gh = createGh()
  const runs: RememberedRun[] = []
  const done: string[] = []
  for (const [index, letter] of [...letters].entries()) {
    const report = withChanges(reportAt(index + 1, letter), runs)
    runs.push(summaryOf(report, runs))
    const { lines, failures, issues } = await syncIssues(report, runs, gh.run, { link })
    done.push(lines.join('; '))
    expect(failures).toEqual([])
    remember(runs, issues)
    expect((await syncIssues(report, runs, gh.run, { link })).lines).toEqual([])
  }
  return { done, issues: gh.issues, calls: gh.calls }
}

const title = 'POST /pullzone/{id}/addAllowedReferrer: the list has no allowed referrers'
const opened = `opened: ${title}`
const closed = 'commented #1; closed #1'

test.each<[string, readonly string[]]>([
  ['pff', ['', opened, '']],
  ['fp', [opened, closed]],
  ['fsp', [opened, '', closed]],
  ['f!p', [opened, '', closed]],
  ['fpf', [opened, closed, `reopened #1: ${title}`]],
  [`f${'p'.repeat(15)}f`, [opened, closed, ...Array(14).fill(''), opened]],
  ['ke', ['', '']],
  ['fkp', [opened, '', closed]],
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
  const { lines } = await syncIssues(report, [summaryOf(report)], gh.run, { link, isDry: true })
  expect(lines).toEqual([expect.stringContaining(`${opened}\n\n**POST`)])
  expect(gh.calls).toEqual([])
})

test('issues of another target stay as they are', async () => {
  const gh = createGh()
  const first = reportAt(1, 'f')
  const other: Report = { ...reportAt(2, 'p'), target: { kind: 'live', managementUrl: 'https://two.invalid/' } }
  const runs = [summaryOf(first)]
  remember(runs, (await syncIssues(first, runs, gh.run, {})).issues)
  await syncIssues(other, [...runs, summaryOf(other)], gh.run, {})
  expect(gh.issues).toMatchObject([{ state: 'OPEN', comments: [] }])
})

test('text of the target is in no argument but the title, and cannot pretend to be a marker', async () => {
  const gh = createGh()
  const report = { ...hostileReport, causes: hostileReport.causes.slice(0, 1), status: 'complete' } as const
  await syncIssues(report, [summaryOf(report)], gh.run, {})
  expect(gh.issues).toHaveLength(1)
  const [{ body = '', title: line = '' } = {}] = gh.issues
  expect(body).not.toContain('<!--')
  expect(line).not.toMatch(/\n/)
})

const two: Cause = { ...sampleCause, id: 'other', requirements: [], checks: [] }

test('a text is cut to the limit of GitHub: whole exchanges are left out', async () => {
  const gh = createGh()
  const report = reportAt(1, 'f')
  const long = { method: 'PUT', url: 'https://one.invalid/', headers: {}, body: '😀'.repeat(4_000) }
  const exchanges = Array.from({ length: 20 }, () => ({ request: long, durationMs: 1 }))
  const evidence = { exchanges, calls: exchanges.map(() => ({ operation: 'x' })) }
  const checks = report.checks.map((one) => (one.id === sampleCause.id ? { ...one, evidence } : one))
  const { failures } = await syncIssues({ ...report, checks }, [summaryOf(report)], gh.run, { link })
  expect(failures).toEqual([])
  expect(gh.issues[0]?.body).toContain('the report has the rest')
  expect(gh.issues[0]?.body).toContain(link)
})

test('a failed step does not stop the others, and the next call repeats the failed step', async () => {
  let isLimited = true
  const gh = createGh((args) => isLimited && args[1] === 'create' && args.includes(title))
  const report = { ...reportAt(1, 'f'), causes: [sampleCause, { ...two, seen: seenOf('another thing is wrong') }] }
  const runs = [summaryOf(report)]
  const { lines, failures, issues } = await syncIssues(report, runs, gh.run, {})
  expect([lines.length, failures]).toEqual([1, [expect.stringContaining('create --title: GraphQL: API rate limit')]])
  remember(runs, issues)
  isLimited = false
  expect((await syncIssues(report, runs, gh.run, {})).lines).toEqual([opened])
})

test('an issue that could not be reopened is reopened by the next call, and then gets its comment', async () => {
  let isLimited = false
  const gh = createGh((args) => isLimited && args[1] === 'reopen')
  const runs: RememberedRun[] = []
  const night = async (day: number, letter: string) => {
    const report = withChanges(reportAt(day, letter), runs)
    runs.push(summaryOf(report, runs))
    const { issues } = await syncIssues(report, runs, gh.run, {})
    remember(runs, issues)
    return report
  }
  await night(1, 'f')
  await night(2, 'p')
  isLimited = true
  const last = await night(3, 'f')
  isLimited = false
  expect((await syncIssues(last, runs, gh.run, {})).lines).toEqual([`reopened #1: ${title}`])
  expect(gh.issues).toMatchObject([{ state: 'OPEN', labels: [{}, { name: 'flaky' }] }])
  expect(gh.issues[0]?.comments).toHaveLength(2)
})

test('an issue that cannot be viewed because GitHub fails is not opened again', async () => {
  let isDown = false
  const gh = createGh((args) => isDown && args[1] === 'view')
  const report = reportAt(1, 'f')
  const runs = [summaryOf(report)]
  remember(runs, (await syncIssues(report, runs, gh.run, {})).issues)
  Object.assign(gh.issues[0] ?? {}, { labels: [] })
  isDown = true
  await expect(syncIssues(report, runs, gh.run, {})).rejects.toThrow('API rate limit')
  expect(gh.issues).toHaveLength(1)
})

test('a locked issue is closed without a comment', async () => {
  const gh = createGh((args) => args[1] === 'comment')
  const [first, second] = [reportAt(1, 'f'), reportAt(2, 'p')]
  const runs = [summaryOf(first)]
  remember(runs, (await syncIssues(first, runs, gh.run, {})).issues)
  runs.push(summaryOf(second, runs))
  const { lines, failures } = await syncIssues(second, runs, gh.run, {})
  expect([lines, failures]).toEqual([['closed #1'], [expect.stringContaining('comment 1: ')]])
})

test('a deleted issue is opened again, and one that the team closed or relabelled is left alone', async () => {
  const gh = createGh()
  const runs: RememberedRun[] = []
  const night = async (day: number) => {
    const report = withChanges(reportAt(day, 'f'), runs)
    runs.push(summaryOf(report, runs))
    const { lines, issues } = await syncIssues(report, runs, gh.run, {})
    remember(runs, issues)
    return lines
  }
  expect(await night(1)).toEqual([opened])
  Object.assign(gh.issues[0] ?? {}, { state: 'CLOSED', labels: [] })
  expect(await night(2)).toEqual([])
  gh.issues.pop()
  expect(await night(3)).toEqual([opened])
})

test('without a memory, an issue is recognised by its text', async () => {
  const gh = createGh()
  const at = (day: number, letter: string) => {
    const report = withChanges(reportAt(day, letter), [])
    return syncIssues(report, [summaryOf(report)], gh.run, {})
  }
  await at(1, 'f')
  expect((await at(2, 'f')).lines).toEqual([])
  expect((await at(3, 's')).lines).toEqual([])
  expect((await at(4, 'p')).lines).toEqual(['commented #1', 'closed #1'])
})

test('labels that exist stay as the team has set them', async () => {
  const { calls } = await live('f')
  const labelled = calls.filter((call) => call.startsWith('label create'))
  expect(labelled.length).toBeGreaterThan(0)
  expect(labelled.filter((call) => call.includes('--force'))).toEqual([])
})
