import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import { readHistory, runsOf, summarizeRun } from './history.ts'
import { writeReports } from './write.ts'

let root: string
let folder: string
let history: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'report-'))
  folder = join(root, 'reports', 'emulator')
  history = join(root, 'reports', 'history.ndjson')
})

afterEach(() => rm(root, { recursive: true }))

const calm = reportOf([check])

test('writes exactly four files, and one line of history', async () => {
  await writeReports(full, folder)
  await writeReports(calm, folder)
  expect((await readdir(folder)).sort()).toEqual(['index.html', 'junit.xml', 'report.json', 'summary.md'])
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toMatchObject({ exitCode: 0 })
  expect(await readHistory(history)).toEqual([summarizeRun(full), summarizeRun(calm)])
})

test('the page shows the earlier runs of the same target and this one', async () => {
  for (const report of [calm, full, calm]) await writeReports(report, folder)
  expect((await readFile(join(folder, 'index.html'), 'utf8')).match(/<g><title>/g)).toHaveLength(2)
})

describe('the history', () => {
  test('ignores a truncated line and invalid lines', async () => {
    await writeReports(calm, folder)
    await appendFile(history, '{"startedAt":1}\nnot json\n{"startedAt":"2026-01-0')
    await writeReports(full, folder)
    expect(await readHistory(history)).toEqual([summarizeRun(calm), summarizeRun(full)])
  })

  test('is empty before the first run', async () => {
    expect(await readHistory(join(root, 'none.ndjson'))).toEqual([])
  })

  test('separates live platforms by their URLs, and does not separate emulators by their ports', () => {
    const run = summarizeRun(calm)
    const emulator = (port: number) => ({ kind: 'emulator', loggingUrl: `http://127.0.0.1:${port}` }) as const
    const live = (host: string) => ({ kind: 'live', loggingUrl: `https://${host}` }) as const
    const runs = [emulator(1), emulator(2), live('a'), live('b')].map((target) => ({ ...run, target }))
    expect(runsOf(emulator(3), runs)).toHaveLength(2)
    expect(runsOf(live('a'), runs)).toHaveLength(1)
  })
})

test('only the owner can read the files, which may contain rows of visitors', async () => {
  await mkdir(join(root, 'reports'))
  await writeFile(history, '', { mode: 0o644 })
  await writeReports(full, folder)
  const files = [history, ...(await readdir(folder)).map((name) => join(folder, name))]
  for (const file of files) expect((await stat(file)).mode & 0o777, file).toBe(0o600)
})

test('no symbolic link is followed', async () => {
  const victim = join(root, 'victim')
  await writeFile(victim, 'mine')
  await mkdir(folder, { recursive: true })
  for (const name of ['index.html', `index.html.${process.pid}.tmp`]) await symlink(victim, join(folder, name))
  await writeReports(calm, folder)
  await rm(history)
  await symlink(victim, history)
  await expect(writeReports(calm, folder)).rejects.toThrow('a symbolic link of that name exists')
  expect(await readFile(victim, 'utf8')).toBe('mine')
})

describe('one sentence if a file cannot be written', () => {
  const failing = (report: Promise<void>) => expect(report).rejects

  test('a folder below a file', async () => {
    await writeFile(join(root, 'file'), '')
    await failing(writeReports(calm, join(root, 'file', 'out'), history)).toThrow(
      /^Cannot write the reports into .*\/file\/out: a part of the path is not a folder\. Choose a writable path/,
    )
    expect(await readdir(root)).toEqual(['file'])
  })

  test.skipIf(!existsSync('/proc/self'))('a folder below /proc', async () => {
    await failing(writeReports(calm, '/proc/none/out', history)).toThrow(
      'Cannot write the reports into /proc/none/out: the folder does not exist. Choose a writable path.',
    )
  })

  test('a folder where a report should be', async () => {
    await mkdir(join(folder, 'summary.md'), { recursive: true })
    await failing(writeReports(calm, folder)).toThrow(/a folder of that name exists/)
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await readHistory(history)).toEqual([])
  })

  test('a history that is a folder', async () => {
    await failing(writeReports(calm, folder, root)).toThrow(/^Cannot read the history of the runs from .*: a folder/)
  })
})
