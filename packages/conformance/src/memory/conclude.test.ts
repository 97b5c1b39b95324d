import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import { writeReports } from './conclude.ts'
import { readHistory } from './history.ts'

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
const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').slice(0, -1)

test('writes exactly five files, and one line of history per run', async () => {
  await writeReports(full, folder)
  const { nights } = await writeReports(calm, folder)
  expect((await readdir(folder)).sort()).toEqual([
    ...['index.html', 'junit.xml', 'nights.html', 'report.json', 'summary.md'],
  ])
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toMatchObject({ exitCode: 0 })
  expect(await linesOf(history)).toHaveLength(2)
  expect(await readHistory(history)).toEqual(nights)
  expect(nights.map(({ exitCode }) => exitCode)).toEqual([full.exitCode, calm.exitCode])
})

test('a truncated line of the history costs that line', async () => {
  await writeReports(calm, folder)
  await appendFile(history, '{"at":"2026-01-0')
  const { nights } = await writeReports(full, folder)
  expect(nights.map(({ exitCode }) => exitCode)).toEqual([calm.exitCode, full.exitCode])
})

test('the page of each night stays, the oldest ones go, and the page across nights links to them', async () => {
  const nights = join(root, 'reports', 'nights')
  for (let day = 1; day <= 61; day++)
    await writeReports({ ...calm, startedAt: new Date(Date.UTC(2026, 0, day)).toISOString() }, folder)
  const names = (await readdir(nights)).sort()
  expect([names.length, names[0]]).toEqual([60, 'emulator-2026-01-02T00-00-00.000Z.html'])
  const page = await readFile(join(folder, 'nights.html'), 'utf8')
  for (const name of names) expect(page).toContain(`href="../nights/${name}"`)
})

test('a link to a workflow run replaces the page of the night', async () => {
  await writeReports(calm, folder, 'https://ci.example/runs/1')
  expect(existsSync(join(root, 'reports', 'nights'))).toBe(false)
  expect(await readFile(join(folder, 'nights.html'), 'utf8')).toContain('href="https://ci.example/runs/1"')
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
  const failing = (report: Promise<unknown>) => expect(report).rejects

  test('a folder below a file', async () => {
    await writeFile(join(root, 'file'), '')
    await failing(writeReports(calm, join(root, 'file', 'out'))).toThrow(
      /^Cannot add the run to .*\/file\/history\.ndjson: a part of the path is not a folder\. Choose a writable path/,
    )
    expect(await readdir(root)).toEqual(['file'])
  })

  test.skipIf(!existsSync('/proc/self'))('a folder below /proc', async () => {
    await failing(writeReports(calm, '/proc/none/out')).toThrow(
      'Cannot write the reports into /proc/none/out: the folder does not exist. Choose a writable path.',
    )
  })

  test('a folder where a report should be', async () => {
    await mkdir(join(folder, 'summary.md'), { recursive: true })
    await failing(writeReports(calm, folder)).toThrow(/a folder of that name exists/)
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(existsSync(history)).toBe(false)
  })

  test('a history that is a folder', async () => {
    await mkdir(history, { recursive: true })
    await failing(writeReports(calm, folder)).toThrow(/^Cannot add the run to .*: a folder/)
  })
})
