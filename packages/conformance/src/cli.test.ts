/** The command line as a user has it: real processes, real sockets, real reports. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@cdn/api/contract'
import { implemented } from '@cdn/emulator'
import { afterAll, expect, test } from 'vitest'
import type { Report } from './report/model.ts'
import { readReport as readReportOf, conformance as runIn, startEmulator as startIn } from './testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
afterAll(() => rmSync(folder, { recursive: true }))

const conformance = (args: readonly string[], env?: Readonly<Record<string, string>>) => runIn(folder, args, env)
const readReport = (name: string) => readReportOf(folder, name)
const startEmulator = (name: string) => startIn(folder, name)

/** The emulator stands for the platform only in what it has: an area may come before its handlers. */
const lacking = operations.filter(({ name }) => !implemented.has(name)).map(({ name }) => name)
const isLacking = (id: string) => id.split(/[./]/).some((part) => lacking.includes(part))

const emulatorRun = conformance(['run', '--target', 'emulator', '--out', 'emulator'])

test.concurrent('the emulator conforms, and every requirement of the document that can be checked passes', async () => {
  const { code, out, err } = await emulatorRun
  expect(err).toBe('')
  expect(code, out).toBe(0)
  const { requirements, summary } = readReport('emulator')
  const documented = requirements.filter(({ ground, unchecked }) => ground === 'document' && unchecked === undefined)
  expect(documented.length).toBeGreaterThanOrEqual(55)
  expect(documented.filter(({ id, outcome }) => outcome !== 'pass' && !isLacking(id))).toEqual([])
  expect(summary).toMatchObject({ failed: 0, errors: 0 })
  expect(readReport('emulator').checks.filter(({ id, outcome }) => outcome === 'skip' && !isLacking(id))).toEqual([])
  expect(out).toMatch(/\d+ through the document alone, \d+ through the supplement/)
}, 120_000)

test.concurrent('the mock run covers each stated status and is not counted as coverage of the document', async () => {
  const { code, out } = await conformance(['run', '--target', 'mock', '--out', 'mock'])
  expect(code, out).toBe(0)
  const { requirements, observations } = readReport('mock')
  expect(requirements.filter(({ ground }) => ground === 'document')).toEqual([])
  expect(observations.filter(({ id }) => id.startsWith('mock.deviation.')).length).toBeGreaterThan(3)
  expect(out).toContain('not counted as coverage of the document')
}, 60_000)

// The limit paces a live run, so each of the two looks at one ground.
test.concurrent('live without permission sends nothing but reads, within the rate limit, with the outcomes of the emulator', async () => {
  const { child, args, env, control } = await startEmulator('live')
  const { code, out, err } = await conformance([...args, '--ground', 'supplement', '--out', 'live'], env)
  const journal = (await control('GET', 'journal')) as Record<string, unknown>
  child.kill()
  expectConformant(code, 'live', out + err)
  const entries = journal['entries'] as { method: string; status: number }[]
  expect(entries.length).toBeGreaterThan(50)
  expect(entries.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(entries.filter(({ status }) => status === 429)).toEqual([])
  await emulatorRun
  expectSameOutcomes(readReport('live'))
  for (const secret of Object.values(env)) {
    for (const file of ['report.json', 'junit.xml', 'summary.md', 'index.html']) {
      expect(readFileSync(join(folder, 'live', file), 'utf8').includes(secret)).toBe(false)
    }
    expect((out + err).includes(secret)).toBe(false)
  }
}, 180_000)

test.concurrent('live with permission to write gives the same outcomes and leaves the state as it was', async () => {
  const { child, args, env, state } = await startEmulator('allowed')
  const before = await state()
  const { code, out, err } = await conformance(
    [...args, '--ground', 'document', '--allow', 'write,destructive', '--out', 'allowed'],
    env,
  )
  const after = await state()
  child.kill()
  expectConformant(code, 'allowed', out + err)
  expect(after).toEqual(before)
  await emulatorRun
  expectSameOutcomes(readReport('allowed'))
}, 180_000)

function expectConformant(code: number | null, name: string, output: string): void {
  const failed = readReport(name).checks.filter(({ outcome }) => outcome === 'fail')
  expect(failed.filter(({ id }) => !isLacking(id))).toEqual([])
  expect(code, output).toBe(failed.length > 0 ? 1 : 0)
}

/** Every check that ran on live has the outcome that it has on the emulator. */
function expectSameOutcomes(live: Report): void {
  const onEmulator = new Map(readReport('emulator').checks.map(({ id, outcome }) => [id, outcome]))
  const ran = live.checks.filter(({ id, outcome, message }) => {
    const notAllowed = outcome === 'disabled' || message === 'a live run sends at most 2 wrong keys'
    return !notAllowed && !isLacking(id) && message !== 'the target has no virtual clock'
  })
  expect(ran.length).toBeGreaterThan(50)
  expect(ran.filter(({ id, outcome }) => onEmulator.get(id) !== outcome)).toEqual([])
}

test.concurrent.each([
  [[], 'Usage:'],
  [['walk'], 'Unknown command "walk"'],
  [['run'], '--target is missing'],
  [['run', '--target', 'emulator', '--speed', '9'], 'Unknown option --speed'],
  [['list', '--yaml'], 'Unknown option --yaml'],
  [['mutants', '--yaml'], 'Unknown option --yaml; mutants knows --json'],
  [['adopt', '--from', 'nowhere'], 'the report cannot be read'],
  [['run', '--target', 'mock', '--known-failing', 'none.json'], 'the list of known failures cannot be read'],
  [['run', '--target', 'mock', '--baseline', 'none.json'], 'the baseline cannot be read'],
])(
  '%j exits 2 with a sentence',
  async (args, sentence) => {
    const { code, out, err } = await conformance(args)
    expect(code).toBe(2)
    expect(out + err).toContain(sentence)
    expect(out + err).not.toMatch(/\n\s+at /)
  },
  60_000,
)

test.concurrent('a target that is away, silent or no HTTP server is one sentence and exit 2', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const rude = createServer((socket) => socket.end('220 smtp ready\r\n')).listen(0, '127.0.0.1')
  const fine = createHttpServer((_, response) => response.end()).listen(0, '127.0.0.1')
  const urlOf = (server: typeof silent) => `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const fixtures = join(folder, 'empty.json')
  writeFileSync(fixtures, '{"credentials": {}}')
  await Promise.all([silent, rude, fine].map((server) => server.listening || once(server, 'listening')))
  const cases = [
    ['http://127.0.0.1:1', urlOf(fine), 'The management interface cannot be reached at http://127.0.0.1:1'],
    [urlOf(fine), urlOf(rude), 'The logging interface cannot be reached'],
    [urlOf(fine), urlOf(silent), 'no answer within'],
  ]
  await Promise.all(
    cases.map(async ([management = '', logging = '', sentence]) => {
      const urls = ['--management-url', management, '--logging-url', logging]
      const { code, err } = await conformance(['run', '--target', 'live', ...urls, '--fixtures', fixtures])
      expect(code).toBe(2)
      expect(err).toContain(sentence)
      expect(err.trim().split('\n')).toHaveLength(1)
    }),
  )
  for (const server of [silent, rude, fine]) server.close()
}, 60_000)

test.concurrent('without any credential a live run still ends, with what it lacks skipped', async () => {
  const { child, args, env } = await startEmulator('bare')
  writeFileSync(join(folder, 'bare.json'), '{"loggedZoneId": "2002", "credentials": {}}')
  const { code, out } = await conformance([...args, '--out', 'bare'], env)
  child.kill()
  expect(code, out).toBe(0)
  expect(readReport('bare').summary.skipped).toBeGreaterThan(50)
}, 60_000)

test.concurrent('reports that cannot be written are one sentence and exit 2', async () => {
  writeFileSync(join(folder, 'file'), '')
  const { code, err } = await conformance(['run', '--target', 'mock', '--out', 'file/reports'])
  expect(code).toBe(2)
  expect(err).toContain('Cannot')
  expect(err.trim().split('\n')).toHaveLength(1)
}, 60_000)
