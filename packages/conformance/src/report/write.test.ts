import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import type { Report } from './model.ts'
import schema from './report.schema.json' with { type: 'json' }
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
const isRun = new Ajv2020().compile({ $ref: '#/$defs/RunSummary', $defs: schema.$defs })
const summaryOf = ({ startedAt, durationMs, status, exitCode, target, summary }: Report) => ({
  ...{ startedAt, durationMs, status, exitCode, target, summary },
})
const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').slice(0, -1)

test('writes exactly four files, and one line of history that is valid according to the schema', async () => {
  await writeReports(full, folder)
  await writeReports(calm, folder)
  expect((await readdir(folder)).sort()).toEqual(['index.html', 'junit.xml', 'report.json', 'summary.md'])
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toMatchObject({ exitCode: 0 })
  const runs = (await linesOf(history)).map((line) => JSON.parse(line))
  expect(runs).toEqual([summaryOf(full), summaryOf(calm)])
  expect(runs.map((run) => isRun(run))).toEqual([true, true])
})

test('a truncated line of the history stays a line of its own', async () => {
  await writeReports(calm, folder)
  await appendFile(history, '{"startedAt":"2026-01-0')
  await writeReports(full, folder)
  const [first, truncated, last] = await linesOf(history)
  expect(truncated).toBe('{"startedAt":"2026-01-0')
  expect([first, last].map((line) => JSON.parse(String(line)))).toEqual([summaryOf(calm), summaryOf(full)])
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
    expect(existsSync(history)).toBe(false)
  })

  test('a history that is a folder', async () => {
    await failing(writeReports(calm, folder, root)).toThrow(/^Cannot add the run to .*: a folder/)
  })
})
