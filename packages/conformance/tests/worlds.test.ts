/** A small version of campaigns/worlds.ts: live runs on platforms without a fault, over real sockets, in simulated time. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultStart } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { dayMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { openNotes } from '../src/memory/memory.ts'
import type { Report } from '../src/report/model.ts'
import type { Check } from '../src/run/check.ts'
import { isMissing } from '../src/verdict/outcomes.ts'
import { runLive, type World } from './support/live-run.ts'
import { worlds } from './support/worlds.ts'

const hardest = defined(worlds.find(({ name }) => name === 'several at once'))
const retention = 'logging.retention.3-days'

test('in the hardest world no check fails, and the state is restored', { timeout: 300_000 }, async () => {
  const { report, isRestored } = await runLive(hardest)
  expect(report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([])
  expect(report.exitCode).toBe(0)
  expect(isRestored).toBe(true)
  expect(report.checks.filter(({ outcome, message }) => outcome === 'skip' && !message)).toEqual([])
  const ofSpec = report.requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  const open = ofSpec.filter(
    ({ id, outcome, reason = '' }) =>
      outcome !== 'pass' &&
      id !== retention &&
      // A wrong key that is deferred leaves its requirement undecided.
      !reason.includes('runs on another day') &&
      !reason.includes('no response to a write'),
  )
  expect(ofSpec.find(({ id }) => id === retention)?.outcome).toBe('skip')
  expect(open.length, JSON.stringify(open)).toBeLessThan(3)
  expect(open.filter(({ reason }) => !reason)).toEqual([])
})

test('without permission for bursts, no request is answered 429, however often it is repeated', {
  timeout: 300_000,
}, async () => {
  const { emulator, report } = await runLive(hardest, { allow: [] })
  expect(report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([])
  expect(report.exitCode).toBe(0)
  const { entries } = emulator.journal
  expect(entries.filter(({ status, method }) => status === 429 || !/^(GET|PROPFIND)$/.test(method))).toEqual([])
})

/** Runs two nights, one day apart. The second one has the notes of the first. */
async function twoNights(nights: readonly (readonly [World, (check: Check) => boolean])[]) {
  const folder = await mkdtemp(join(tmpdir(), 'nights-'))
  const reports: Report[] = []
  for (const [night, [world, select]] of nights.entries()) {
    const notes = openNotes(join(folder, 'notes.json'))
    const start = new Date(defaultStart.getTime() + night * dayMs)
    reports.push((await runLive(world, { notes, start, select })).report)
    await notes.save()
  }
  await rm(folder, { recursive: true })
  return reports
}

test('the rows of the first night are missing in the second one; what needs a virtual clock stays undecided', {
  timeout: 300_000,
}, async () => {
  const world = { name: 'nights', traffic: { rowsPerSecond: 0.2 } }
  const reports = await twoNights([
    [world, ({ requirements }) => requirements.includes(retention)],
    [world, () => true],
  ])
  expect(reports.map(({ requirements }) => requirements.find(({ id }) => id === retention))).toMatchObject([
    { outcome: 'skip', reason: expect.stringContaining('no earlier run noted rows') },
    { outcome: 'skip', deferred: true, reason: expect.not.stringContaining('no earlier run noted rows') },
  ])
  const missing = reports[1]?.requirements.filter((each) => each.source === 'spec' && isMissing(each))
  expect(missing).toEqual([])
})

test('a log that is empty on the second night is a failure', { timeout: 300_000 }, async () => {
  const select = ({ id }: { readonly id: string }) => id.startsWith(retention) && id.endsWith('/noted')
  const reports = await twoNights([
    [{ name: 'traffic', traffic: { rowsPerSecond: 0.01 } }, select],
    [{ name: 'none' }, select],
  ])
  const outcomes = reports.flatMap(({ checks }) => checks.filter(select))
  expect(outcomes.map(({ outcome, message }) => `${outcome}: ${message}`)).toEqual([
    ...Array(2).fill(expect.stringMatching(/^skip: no earlier run noted rows/)),
    ...Array(2).fill(expect.stringMatching(/^fail: expected the \d+ rows that an earlier run saw .*, saw 0 /)),
  ])
})
