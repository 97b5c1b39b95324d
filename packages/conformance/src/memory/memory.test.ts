import { renameSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { dayMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { reportOf, sampleCause, sampleCheck, sampleRequirement, seenOf } from '../../tests/support/samples.ts'
import type { RememberedRun } from '../exchange/report-model.ts'
import { createPlan } from '../run/plan.ts'
import { casesAfter, conclude, rememberKilled, writeReport } from './conclude.ts'
import { changeMemory, memoryFile, openNotes, readMemory } from './memory.ts'
import { messageForms } from './message.ts'
import { summaryOf } from './summary.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
  file = memoryFile(join(folder, 'live'))
})

const run = (day: number): RememberedRun =>
  summaryOf(
    reportOf([sampleCheck], { startedAt: new Date(Date.UTC(2026, 0, day)).toISOString(), causes: [sampleCause] }),
  )
const stored = { target: 'live', check: 'a.b/c', seed: 7, calls: [{ operation: 'query-logs' }] } as const

test('runs, notes and cases are read as they were written, by their owner only', async () => {
  expect(readMemory(file)).toEqual({ runs: [], notes: [], cases: [] })
  const note = ['key', { at: Date.now(), value: { ['__proto__']: 1 } }] as const
  await changeMemory(file, () => ({ runs: [run(1)], notes: [note], cases: [stored] }))
  await changeMemory(file, ({ runs }) => ({ runs: [...runs, run(2)] }))
  expect(readMemory(file)).toEqual({ runs: [run(1), run(2)], notes: [note], cases: [stored] })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(4)
})

test.each([
  ['cut', (line: string) => line.slice(0, -20)],
  ['of another kind', () => '{"kind":"walk","run":{}}'],
  ['not an object', () => 'null'],
])('a line that is %s is left out, and the others stay', async (_, damage) => {
  await changeMemory(file, () => ({ runs: [run(1), run(2), run(3)] }))
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  await writeFile(file, lines.map((line, index) => `${index === 1 ? damage(line) : line}\n`).join(''))
  await appendFile(file, '{"kind":"run","ru')
  const notices: string[] = []
  expect(readMemory(file, (notice) => notices.push(notice)).runs.map(({ at }) => at.slice(8, 10))).toEqual(['01', '03'])
  expect(notices).toEqual([`${file}: 2 invalid lines are left out; the others count.`])
})

test('runs that are more than a year older than the newest one leave the memory, and so do old notes', async () => {
  const notes = [5, 3].map((days) => [`${days} days`, { at: Date.now() - days * dayMs, value: 1 }] as const)
  await changeMemory(file, () => ({ runs: [run(-10), run(1), run(362)], notes }))
  const { runs, notes: kept } = readMemory(file)
  expect(runs.map(({ at }) => at.slice(0, 10))).toEqual(['2026-01-01', '2026-12-28'])
  expect(kept.map(([key]) => key)).toEqual(['3 days'])
})

test('a run whose clock was years ahead does not keep later runs out of the memory', async () => {
  await changeMemory(file, () => ({ runs: [run(3_000)] }))
  await changeMemory(file, ({ runs }) => ({ runs: [...runs, run(1)] }))
  expect(readMemory(file).runs).toEqual([run(3_000), run(1)])
})

test('a year of daily runs of all requirements takes at most 5 MB', () => {
  const requirements = createPlan().requirements.map(({ id }) => ({ ...sampleRequirement, id }))
  expect(requirements.length).toBeGreaterThan(150)
  const bytes = Buffer.byteLength(JSON.stringify(summaryOf(reportOf([], { requirements }))))
  expect(bytes * 366).toBeLessThan(5_000_000)
})

test('no symbolic link is followed', async () => {
  await writeFile(join(folder, 'victim'), 'mine')
  await symlink(join(folder, 'victim'), file)
  expect(() => readMemory(file)).toThrow('it is a symbolic link')
  await expect(changeMemory(file, () => ({}))).rejects.toThrow('it is a symbolic link')
})

test('a run reads the notes of earlier runs, never its own', async () => {
  const first = openNotes(file)
  first.add('key', 1)
  expect(first.recall('key')).toEqual([])
  await first.save()
  const second = openNotes(file)
  second.add('key', 2)
  await second.save()
  expect(
    openNotes(file)
      .recall('key')
      .map(({ value }) => value),
  ).toEqual([1, 2])
  expect(second.recall('other')).toEqual([])
})

test('the case of a failed check is stored, the case of a check that passes is removed, and other cases stay', () => {
  const of = (id: string) => ({ ...stored, target: 'emulator' as const, check: id })
  const evidence = { exchanges: [], calls: stored.calls }
  const report = reportOf([
    { ...sampleCheck, id: 'fails', outcome: 'fail', evidence },
    { ...sampleCheck, id: 'passes' },
    { ...sampleCheck, id: 'waits', outcome: 'skip' },
  ])
  const ofLive = { ...of('passes'), target: 'live' as const }
  const after = casesAfter([...['passes', 'waits', 'gone'].map(of), ofLive], report)
  expect(after.map((one) => `${one.target} ${one.check}`)).toEqual([
    'emulator waits',
    'emulator gone',
    'live passes',
    'emulator fails',
  ])
  expect(after.at(-1)).toEqual({ target: 'emulator', check: 'fails', seed: report.seed, calls: stored.calls })
})

test('only the owner can read the files of a run', async () => {
  const out = join(folder, 'live')
  await conclude(reportOf([sampleCheck]), { out })
  const names = (await readdir(out, { recursive: true })).filter((name) => /\.\w+$/.test(name))
  expect(names).toHaveLength(7)
  for (const name of names) expect([name, (await stat(join(out, name))).mode & 0o777]).toEqual([name, 0o600])
})

test('if the reports cannot be written and the message is refused, no earlier run in the memory is replaced', async () => {
  const out = join(folder, 'blocked')
  await conclude(reportOf([sampleCheck]), { out })
  await rm(join(out, 'nights.html'))
  await mkdir(join(out, 'nights.html'))
  const receiver = createServer((_, response) => response.writeHead(400).end())
  const url = new URL(await listen(receiver))
  const startedAt = new Date().toISOString()
  const concluded = conclude(reportOf([sampleCheck], { startedAt, exitCode: 1 }), {
    out,
    webhook: { url, form: 'slack' },
  })
  await expect(concluded).rejects.toThrow('Cannot write the reports')
  receiver.close()
  const { runs } = readMemory(memoryFile(out))
  expect(runs.map(({ exitCode, undelivered = [] }) => [exitCode, undelivered.length > 0])).toEqual([
    [0, false],
    [1, true],
  ])
})

test('if the reports cannot be written, the run is in the memory without a message, too', async () => {
  await writeFile(join(folder, 'file'), '')
  const out = join(folder, 'live')
  await mkdir(join(out, 'nights.html'), { recursive: true })
  await expect(conclude(reportOf([sampleCheck]), { out })).rejects.toThrow('Cannot write the reports')
  expect(readMemory(memoryFile(out)).runs).toHaveLength(1)
})

test('a memory that could not be read when a run ended, but can be written then, keeps its earlier runs', async () => {
  const away = join(folder, 'away')
  await changeMemory(away, () => ({ runs: [run(1)] }))
  await symlink(away, file)
  const show = () => renameSync(away, file)
  await expect(conclude(reportOf([sampleCheck]), { out: join(folder, 'live'), show })).rejects.toThrow('symbolic link')
  expect(readMemory(file).runs.map(({ causes }) => causes.length)).toEqual([1, 0])
})

test('a killed run is in the memory once, even if the next run is killed before its first report', async () => {
  const out = join(folder, 'live')
  const report = reportOf([sampleCheck], { status: 'running' })
  await writeReport(report, [], out)
  await rememberKilled(out)
  await rememberKilled(out)
  expect(readMemory(file).runs.map(({ at, status }) => [at, status])).toEqual([[report.startedAt, 'interrupted']])
})

const isTaken = {
  slack: (body: string) => [...JSON.parse(body).text].length <= 5_000,
  discord: (body: string) => [...JSON.parse(body).content].length <= 2_000,
  teams: (body: string) => Buffer.byteLength(body) <= 28 * 1024,
}

test.each(messageForms)(
  'no new cause is lost or sent twice, whichever messages the receiver of %s refuses',
  async (form) => {
    const nights = 5
    const causesOf = (night: number) =>
      Array.from({ length: 8 }, (_, index) => {
        const id = `cause-${night}-${index}`
        const seen = seenOf(`${id}: ${'`*_`{|}é '.repeat(12)}`)
        return { ...sampleCause, id, requirements: [id], checks: [id], seen }
      })
    let left: boolean[] = []
    let received = ''
    let out = ''
    const pending: number[] = []
    const receiver = createServer(async (request, response) => {
      const body = await text(request)
      // The lines would not be lost now, if the process were killed.
      pending.push(readMemory(memoryFile(out)).runs.at(-1)?.undelivered?.length ?? 0)
      const isRefused = !isTaken[form](body) || left.shift() === true
      if (!isRefused) received += body
      response.writeHead(isRefused ? 400 : 200).end()
    })
    onTestFinished(() => void receiver.close())
    const url = new URL(await listen(receiver))
    const refusals = fc.array(fc.boolean(), { minLength: 4, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(refusals, async (refused) => {
        received = ''
        left = [...refused]
        out = join(temporaryFolder(onTestFinished), 'live')
        for (let night = 1; night <= nights; night++) {
          // The receiver takes what the last night sends.
          if (night === nights) left = []
          const startedAt = new Date(Date.UTC(2026, 0, night)).toISOString()
          const causes = night === nights ? [] : causesOf(night)
          await conclude(reportOf([sampleCheck], { startedAt, exitCode: 1, causes }), { out, webhook: { url, form } })
        }
        const counts = [1, 2, 3, 4].flatMap((night) =>
          causesOf(night).map(
            ({ id }) => received.split(`New: POST /pullzone/{\u2060id}/addAllowedReferrer: ${id}`).length - 1,
          ),
        )
        expect(counts).toEqual(counts.map(() => 1))
        expect(pending).not.toContain(0)
        expect(readMemory(memoryFile(out)).runs.flatMap(({ undelivered = [] }) => undelivered)).toEqual([])
      }),
      { numRuns: 4 },
    )
  },
)

test('the pages of the newest 60 runs stay', async () => {
  const pages = join(folder, 'live', 'runs')
  await mkdir(pages, { recursive: true })
  const earlier = Array.from({ length: 60 }, (_, index) => `2025-01-01T00-00-${10 + index}Z.html`)
  for (const name of earlier) await writeFile(join(pages, name), '')
  await conclude(reportOf([sampleCheck]), { out: join(folder, 'live') })
  const names = (await readdir(pages)).toSorted()
  expect(names).toHaveLength(60)
  expect(names.slice(0, -1)).toEqual(earlier.slice(1))
})
