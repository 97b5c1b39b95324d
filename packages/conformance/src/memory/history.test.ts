import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { check, reportOf, requirement } from '../../tests/support/samples.ts'
import { createPlan } from '../run/plan.ts'
import { formatNight, type Night, nightOf, readHistory, writeHistory } from './history.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'))
  file = join(folder, 'history.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

const night = (day: number, rest: Partial<Night> = {}): Night => ({
  ...nightOf(reportOf([check], { startedAt: new Date(Date.UTC(2026, 0, day)).toISOString() })),
  ...rest,
})

test('a night is read as it was written', async () => {
  const nights = [1, 2, 3].map((day) => night(day, { requirements: { ['__proto__']: 'p', a: 'f' }, link: 'a/b.html' }))
  for (const [index, one] of nights.entries()) await writeHistory(file, nights.slice(0, index), one)
  expect(await readHistory(file)).toEqual(nights)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each([
  ['cut', (line: string) => line.slice(0, -20)],
  ['with a changed letter in its details', (line: string) => line.replace(/(details":".{40})./, '$1-')],
  ['without details', () => '{"at":"2026-01-02T00:00:00.000Z","target":"live","status":"complete"}'],
  ['of another kind', () => 'null'],
])('a line that is %s costs that line', async (_, damage) => {
  const lines = [1, 2, 3].map((day) => formatNight(night(day)))
  await writeFile(file, lines.map((line, index) => `${index === 1 ? damage(line) : line}\n`).join(''))
  expect((await readHistory(file)).map(({ at }) => at.slice(8, 10))).toEqual(['01', '03'])
})

test('nights that are more than a year older leave the history', async () => {
  await writeHistory(file, [night(-10), night(1)], night(362))
  expect((await readHistory(file)).map(({ at }) => at.slice(0, 10))).toEqual(['2026-01-01', '2026-12-28'])
})

test('a year of all checks and requirements takes at most 5 MB', async () => {
  const { checks, requirements } = createPlan()
  const outcomes = ['pass', 'pass', 'fail', 'skip', 'error'] as const
  const report = reportOf(
    checks.map(({ id }, index) => ({ ...check, id, outcome: outcomes[(index * 7) % 5] ?? 'pass' })),
    {
      requirements: requirements.map(({ id }) => ({ ...requirement, id })),
    },
  )
  expect(checks.length).toBeGreaterThan(300)
  const bytes = Buffer.byteLength(formatNight(nightOf(report))) * 366
  expect(bytes).toBeLessThan(5_000_000)
})

test('no symbolic link is followed', async () => {
  await writeFile(join(folder, 'victim'), '')
  await symlink(join(folder, 'victim'), file)
  await expect(readHistory(file)).rejects.toThrow('ELOOP')
})

test('an expected failure and a deferred check have letters of their own', () => {
  const failed = { ...check, outcome: 'fail' as const, expectedFailure: 'ticket 1' }
  const other = { ...failed, id: 'other', expectedFailure: undefined as never }
  const failing = { ...requirement, outcome: 'fail' as const }
  const letterOf = (report: Parameters<typeof nightOf>[0]) => nightOf(report).requirements[requirement.id]
  expect(letterOf(reportOf([failed], { requirements: [failing] }))).toBe('k')
  expect(
    letterOf(reportOf([failed, other], { requirements: [{ ...failing, checks: [...requirement.checks, 'other'] }] })),
  ).toBe('f')
  expect(letterOf(reportOf([], { requirements: [{ ...requirement, outcome: 'skip', deferred: true }] }))).toBe('d')
})

test('a check without a requirement is remembered like a requirement', () => {
  const breach = { ...check, id: 'exchange.x', requirements: [], outcome: 'fail' as const }
  expect(nightOf(reportOf([breach])).requirements).toEqual({ 'exchange.x': 'f' })
})

test('a missing file is an empty history', async () => {
  expect(await readHistory(join(folder, 'none'))).toEqual([])
  await writeHistory(file, [], night(1))
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(2)
})
