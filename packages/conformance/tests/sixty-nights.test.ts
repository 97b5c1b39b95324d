/** Sixty scripted nights: what people are told, with a stand-in for `gh`, real files and a clock of the script. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeReports } from '../src/memory/conclude.ts'
import { statusOf } from '../src/memory/history.ts'
import { syncIssues } from '../src/memory/issues.ts'
import { type Message, messagesOf } from '../src/memory/message.ts'
import type { Report, RequirementResult } from '../src/report/model.ts'
import { createGh } from './support/gh.ts'
import { check, reportOf, requirement } from './support/samples.ts'

const nightCount = 60
const missing = [16, 32, 48]
const idsChangeAt = 30
const targetChangesAt = 40
const hourMs = 3_600_000
const timeOf = (night: number) => Date.UTC(2026, 0, 1, 2, 17) + night * 24 * hourMs

/** Incident: fails from one night to another. The nights of the change of the target are free of incidents. */
const incidents = Array.from({ length: 20 }, (_, index) => {
  const from = index < 14 ? 2 + 2 * index : 42 + 2 * (index - 14)
  return { id: `logging.incident.${index}`, from, to: from + 2 + (index % 5) }
})
const flakes = Array.from({ length: 10 }, (_, index) => {
  const from = 5 + 4 * index
  return { id: `management.flake.${index}`, nights: index % 2 === 0 ? [from] : [from, from + 2] }
})
const failsIn = (night: number) => [
  ...incidents.filter(({ from, to }) => night >= from && night <= to).map(({ id }) => id),
  ...flakes.filter(({ nights }) => nights.includes(night)).map(({ id }) => id),
]
const ran = [...Array(nightCount).keys()].filter((night) => !missing.includes(night))
/** A night in which some fail and nothing changes: its line is damaged. A night that is lost with its changes tells them again. */
const damagedAfter = ran.find(
  (night, index) =>
    night > 16 && failsIn(night).length > 0 && String(failsIn(night)) === String(failsIn(ran[index - 1] ?? -1)),
)
const firstIn = (id: string) => ran.find((night) => failsIn(night).includes(id)) ?? -1

function reportAt(night: number): Report {
  const failing = failsIn(night)
  const stable = Array.from({ length: 20 }, (_, index) => `spec.${night < idsChangeAt ? 'old' : 'new'}.${index}`)
  const ids = [...incidents, ...flakes].map(({ id }) => id).concat(stable)
  const outcome = (id: string) => (failing.includes(id) ? 'fail' : 'pass')
  const checks = ids.map((id) => ({ ...check, id: `${id}/check`, requirements: [id], outcome: outcome(id) }) as const)
  return reportOf(checks, {
    startedAt: new Date(timeOf(night)).toISOString(),
    exitCode: failing.length > 0 ? 1 : 0,
    target: { kind: 'live', managementUrl: `https://${night < targetChangesAt ? 'one' : 'two'}.invalid/` },
    requirements: ids.map(
      (id): RequirementResult => ({ ...requirement, id, outcome: outcome(id), checks: [`${id}/check`] }),
    ),
  })
}

const gh = createGh()
const messages: Message[] = []
const repeated: string[] = []
const silent: boolean[] = []
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sixty-'))
  const history = join(root, 'history.ndjson')
  for (let night = 0; night < nightCount; night++) {
    if (missing.includes(night)) continue
    const { report, nights } = await writeReports(reportAt(night), join(root, 'live'), 'https://ci.invalid/1')
    messages.push(...messagesOf(report))
    await syncIssues(report, nights, gh.run, { urgent: [] })
    // The job is run again.
    repeated.push(...(await syncIssues(report, nights, gh.run, { urgent: [] })))
    // 36 hours and a minute after this night began: the next one is 12 hours old, if it is not missing.
    const next = reportAt(night + 1)
    const later = missing.includes(night + 1) ? nights : [...nights, { ...nights[0], at: next.startedAt }]
    const { isRecent } = statusOf(later as typeof nights, 'live', timeOf(night) + 36 * hourMs + 60_000, 36 * hourMs)
    silent.push(!isRecent)
    if (night === damagedAfter) {
      const text = await readFile(history, 'utf8')
      await writeFile(history, `${text.slice(0, -60)}`)
    }
  }
}, 60_000)
afterAll(() => rm(root, { recursive: true }))

test('the damaged line is that of a night', async () => {
  expect(damagedAfter).toBeGreaterThan(16)
  expect((await readFile(join(root, 'history.ndjson'), 'utf8')).trim().split('\n')).toHaveLength(ran.length - 1)
})

test('20 incidents are exactly 20 issues, and no flake has one', () => {
  const titles = gh.issues.map(({ title }) => title).sort()
  expect(titles).toEqual(incidents.map(({ id }) => `Conformance: ${id}`).sort())
})

test('each issue says when the incident began', () => {
  const right = incidents.filter(({ id }) => {
    const began = new Date(timeOf(firstIn(id))).toISOString().slice(0, 16).replace('T', ' ')
    return gh.issues.find(({ title }) => title.endsWith(` ${id}`))?.body.includes(`First failed: ${began} UTC`)
  })
  expect(right).toHaveLength(20)
})

test('each issue is closed', () => {
  expect(gh.issues.filter(({ state }) => state === 'CLOSED')).toHaveLength(20)
})

test('a repeated job changes nothing', () => {
  expect(repeated).toEqual([])
})

test('there is one message per transition, and no other', () => {
  const told = (night: number, kind: string, id: string) => `${new Date(timeOf(night)).toISOString()} ${kind} ${id}`
  const expected = ran.flatMap((night, index) => {
    const before = failsIn(ran[index - 1] ?? -1)
    const now = failsIn(night)
    const began = now.filter((id) => !before.includes(id))
    const kindOf = (id: string) =>
      flakes.some((flake) => flake.id === id && flake.nights[1] === night) ? 'flaky' : 'failing'
    return [
      ...began.map((id) => told(night, kindOf(id), id)),
      ...before.filter((id) => !now.includes(id)).map((id) => told(night, 'fixed', id)),
    ]
  })
  expect(messages.map(({ at, kind, ids }) => `${at} ${kind} ${ids.join()}`).sort()).toEqual(expected.sort())
  expect(new Set(messages.map(({ id }) => id)).size).toBe(expected.length)
})

test('each missing night is noticed within 36 hours, and no other night is', () => {
  expect(ran.filter((_, index) => silent[index])).toEqual(missing.map((night) => night - 1))
})
