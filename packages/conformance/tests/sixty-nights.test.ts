/** Tests messages, issues and the state over sixty nights, with invented reports, a stand-in for `gh`, real files and a real receiver. */

import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { hourMs } from '@cdn/kit/time'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cause, Report, RequirementResult } from '../src/exchange/report-model.ts'
import { conclude, rememberIssues } from '../src/memory/conclude.ts'
import { syncIssues } from '../src/memory/issues.ts'
import { memoryFile, readMemory } from '../src/memory/memory.ts'
import { statusOf } from '../src/memory/status.ts'
import { resultOf } from '../src/verdict/result.ts'
import { createGh } from './support/gh.ts'
import { cause, check, reportOf, requirement, seenOf } from './support/samples.ts'

const nightCount = 60
const missing = [16, 32, 48]
const outage = [36, 37, 38]
const timeOf = (night: number) => new Date(Date.UTC(2026, 0, 1, 2, 17) + night * 24 * hourMs)

const incidents = Array.from({ length: 20 }, (_, index) => {
  const from = index < 12 ? 2 + 2 * index : 40 + 2 * (index - 12)
  return { id: `logging.incident.${index}`, from, to: from + 2 + (index % 3) }
})
const flakes = Array.from({ length: 10 }, (_, index) => {
  const from = 1 + 3 * index
  return { id: `management.flake.${index}`, nights: index % 2 === 0 ? [from] : [from, from + 2] }
})
const failsIn = (night: number) => [
  ...incidents.filter(({ from, to }) => night >= from && night <= to).map(({ id }) => id),
  ...flakes.filter(({ nights }) => nights.includes(night)).map(({ id }) => id),
]
const ran = [...Array(nightCount).keys()].filter((night) => !missing.includes(night))
const complete = ran.filter((night) => !outage.includes(night))
/** The test damages the run of this night in the memory. It has the same failures as the run before, so the comparison stays the same. */
const damagedAfter = complete.find(
  (night, index) =>
    night > 16 && failsIn(night).length > 0 && String(failsIn(night)) === String(failsIn(complete[index - 1] ?? -1)),
)

function reportAt(night: number): Report {
  const target = { kind: 'live', managementUrl: 'https://one.invalid/' } as const
  const common = { startedAt: timeOf(night).toISOString(), target }
  if (outage.includes(night))
    return reportOf([], {
      ...common,
      status: 'not-started',
      exitCode: 2,
      problems: ['The management interface cannot be reached.'],
    })
  const failing = failsIn(night)
  const ids = [...incidents, ...flakes].map(({ id }) => id)
  const outcome = (id: string) => (failing.includes(id) ? 'fail' : 'pass')
  const causes = failing.map(
    (id): Cause => ({ ...cause, id, operation: id, requirements: [id], checks: [`${id}/check`], seen: seenOf(id) }),
  )
  return reportOf(
    ids.map((id) => ({ ...check, id: `${id}/check`, requirements: [id], outcome: outcome(id) }) as const),
    {
      ...common,
      ...{ exitCode: failing.length > 0 ? 1 : 0, causes },
      requirements: ids.map(
        (id): RequirementResult => ({ ...requirement, id, outcome: outcome(id), checks: [`${id}/check`] }),
      ),
    },
  )
}

const gh = createGh()
const messages = new Map<number, string[]>()
const changes = new Map<number, { broke: readonly string[]; fixed: readonly string[] }>()
const silent: boolean[] = []
const out = join(temporaryFolder(), 'live')
let posted: string[] = []
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  posted.push(JSON.parse(text).text)
  response.end()
})

beforeAll(async () => {
  const url = new URL(await listen(receiver))
  for (const night of ran) {
    posted = []
    const report = await conclude(reportAt(night), {
      out,
      link: 'https://ci.invalid/1',
      webhook: { url, form: 'slack' },
    })
    messages.set(night, posted)
    const { broke = [], fixed = [] } = report.changes ?? {}
    changes.set(night, { broke, fixed: fixed.map(({ id }) => id) })
    const { runs } = readMemory(memoryFile(out))
    const { issues } = await syncIssues(report, runs, gh.run, {})
    await rememberIssues(out, report.startedAt, issues)
    // A repeated job changes no issue.
    expect((await syncIssues(report, readMemory(memoryFile(out)).runs, gh.run, {})).lines).toEqual([])
    // 36 hours and a minute after this night began: the next one is 12 hours old, if it is not missing.
    const later = missing.includes(night + 1)
      ? runs
      : [...runs, { ...runs[0], at: timeOf(night + 1).toISOString(), status: 'complete' }]
    const { sentences } = statusOf(later as typeof runs, timeOf(night).getTime() + 36 * hourMs + 60_000, 36 * hourMs)
    silent.push(sentences.some((sentence) => sentence.includes('is older than')))
    if (night === damagedAfter) {
      const text = await readFile(memoryFile(out), 'utf8')
      const lines = text.split('\n')
      const last = lines.findLastIndex((line) => line.startsWith('{"kind":"run"'))
      await writeFile(
        memoryFile(out),
        lines.map((line, index) => (index === last ? line.slice(0, -60) : line)).join('\n'),
      )
    }
  }
}, 120_000)
afterAll(() => void receiver.close())

test('each incident and each flake is one issue, and every one is closed', () => {
  const titles = gh.issues.map(({ title }) => title.replace(/.*: |instead of .*/g, '').trim()).sort()
  expect(titles).toEqual([...incidents, ...flakes].map(({ id }) => id).sort())
  expect(gh.issues.filter(({ state }) => state !== 'CLOSED')).toEqual([])
  const flaky = gh.issues.filter(({ labels }) => labels.some(({ name }) => name === 'flaky'))
  expect(flaky.map(({ title }) => title.replace(/.*: |instead of .*/g, '').trim()).sort()).toEqual(
    flakes
      .filter(({ nights }) => nights.filter((night) => ran.includes(night)).length > 1)
      .map(({ id }) => id)
      .sort(),
  )
})

test('each night tells what broke and what is fixed since the last complete one', () => {
  for (const [index, night] of complete.entries()) {
    const [before, now] = [failsIn(complete[index - 1] ?? -1), failsIn(night)]
    expect(changes.get(night), `night ${night}`).toEqual({
      broke: now.filter((id) => !before.includes(id)),
      fixed: expect.arrayContaining(before.filter((id) => !now.includes(id))),
    })
  }
})

test('there is one message in a night that is red, without a result, or the first calm one, and none in other nights', () => {
  for (const [index, night] of ran.entries()) {
    const isCalm = (one: number) => !outage.includes(one) && failsIn(one).length === 0
    const isTold = !isCalm(night) || index === 0 || !isCalm(ran[index - 1] ?? -1)
    expect(messages.get(night)?.length, `night ${night}`).toBe(isTold ? 1 : 0)
    if (isTold) expect(messages.get(night)?.[0]).toContain(resultOf(reportAt(night)).sentence.slice(0, 40))
  }
})

test('an outage of three nights is told when it begins, in each of its nights, and when it ends', () => {
  const told = [...outage, 39].map((night) => messages.get(night) ?? [])
  expect(told.map((some) => some.length)).toEqual([1, 1, 1, 1])
  for (const [index, nth] of ['2nd', '3rd'].entries())
    expect(told[index + 1]?.[0]).toContain(`${nth} run in a row without a result, since 2026-02-06 02:17 UTC`)
  expect(told[3]?.[0]).toMatch(/conforms|does not conform/)
})

test('each missing night is noticed within 36 hours, and no other night is', () => {
  expect(ran.filter((_, index) => silent[index])).toEqual(missing.map((night) => night - 1))
})
