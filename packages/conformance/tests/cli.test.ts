/** Tests the command line as users run it, with real sockets and reports, and with a process where it matters. */

import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { readMemory } from '../src/memory/memory.ts'
import {
  readReport as readReportOf,
  conformance as runIn,
  startConformance,
  startEmulator as startIn,
} from './support/process.ts'

const folder = temporaryFolder()

const conformance = (args: readonly string[], env?: Readonly<Record<string, string>>) => runIn(folder, args, env)
const readReport = (name: string) => readReportOf(folder, name)
const startEmulator = (name: string) => startIn(folder, name)

test.concurrent('the emulator conforms, and every requirement of the spec that can be checked passes', async () => {
  const { code, out, err } = await startConformance(folder, ['run', '--target', 'emulator', '--out', 'emulator']).ended
  expect(err).toBe('')
  expect(code, out).toBe(0)
  const { requirements, summary } = readReport('emulator')
  const documented = requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  expect(documented.length).toBeGreaterThanOrEqual(55)
  expect(documented.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  expect(summary).toMatchObject({ failed: 0, errors: 0 })
  expect(readReport('emulator').observations.length).toBeGreaterThan(15)
  // In the emulator, most errors have no body, and no 429 states `Retry-After` (supplement), so the checks of these are skipped.
  const isUnshown = (message = '') =>
    /^(inconclusive: no response shows it|no refusal states Retry-After)/.test(message)
  const skipped = readReport('emulator').checks.filter(({ outcome }) => outcome === 'skip')
  expect(skipped.filter(({ message }) => !isUnshown(message))).toEqual([])
  expect(out).toMatch(/\nSpec: \d+ of \d+ sentences hold.*\nSupplement: /)
}, 240_000)

test.concurrent('a mock run is not counted as coverage of the spec', async () => {
  const { code, out } = await conformance(['run', '--target', 'mock', '--only', 'mock.*-logs.*', '--out', 'mock'])
  const { requirements, checks } = readReport('mock')
  expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  expect(code, out).toBe(0)
  expect(requirements.filter(({ source }) => source === 'spec')).toEqual([])
  expect(out).toContain('no coverage of the spec')
}, 300_000)

test.concurrent.each([
  [[], 'Usage:'],
  [['walk'], "Unknown command 'walk'."],
  [['run', '--target', 'emulator', '--speed', '9'], "Unknown option '--speed'"],
])('%j exits 2 with a sentence', async (args, sentence) => {
  const { code, out, err } = await conformance(args)
  expect(code).toBe(2)
  expect(out + err).toContain(sentence)
  expect(out + err).not.toMatch(/\n\s+at /)
})

test.concurrent('a target that is unavailable gives one sentence per interface and exit 2', async () => {
  const urls = ['--management-url', 'http://127.0.0.1:1', '--logging-url', 'http://127.0.0.1:1']
  const fixtures = join(folder, 'empty.json')
  writeFileSync(fixtures, '{"credentials": {}}')
  const args = ['run', '--target', 'live', ...urls, '--fixtures', fixtures, '--out', 'unavailable']
  const { code, err } = await conformance(args)
  expect(code).toBe(2)
  expect(err.trim().split('\n')).toEqual(
    ['management', 'logging'].map((name) =>
      expect.stringMatching(
        `^conformance: The ${name} interface cannot be reached at http://127\\.0\\.0\\.1:1/: .*\\.$`,
      ),
    ),
  )
}, 300_000)

test.concurrent('an unwritable folder of reports gives one sentence and exit 2', async () => {
  writeFileSync(join(folder, 'file'), '')
  const { code, err } = await conformance(['run', '--target', 'mock', '--out', join(folder, 'file/reports')])
  expect(code).toBe(2)
  expect(err).toMatch(/^conformance: Cannot .*: a part of the path is not a folder\. Choose a writable path\.$/m)
  expect(err.trim().split('\n')).toHaveLength(1)
}, 300_000)

test.concurrent('output on a full disk gives one sentence and exit 2', async ({ skip }) => {
  skip(!existsSync('/dev/full'), 'this system has no /dev/full')
  const full = openSync('/dev/full', 'w')
  const { code, err } = await startConformance(folder, ['list'], {}, full).ended
  closeSync(full)
  expect(err).toBe('conformance: Standard output cannot be written (ENOSPC).\n')
  expect(code).toBe(2)
}, 300_000)

test.concurrent('a failed case is stored, replayed, sent first by the next run, and removed when it passes', async () => {
  const { close, args, env, control } = await startEmulator('faulty')
  const [, , , ...platform] = args
  const target = [...platform, '--allow', 'write']
  await control('POST', 'faults', { name: 'empty-body', operation: 'add-allowed-referrer' })
  const id = 'management.add-allowed-referrer.400/constraints'
  const run = ['--only', id, '--seed', '7', '--fail-on', 'supplement', '--out', 'faulty/live']
  const first = await conformance(['run', '--target', 'live', ...target, ...run], env)
  expect(first.code, first.out + first.err).toBe(1)
  expect(first.out).toMatch(/^ {2}curl --include .*\n/m)
  const memory = join(folder, 'faulty/live.jsonl')
  const cases = () => readMemory(memory).cases
  expect(cases()).toMatchObject([
    { target: 'live', check: id, seed: 7, calls: [{ operation: 'add-allowed-referrer' }] },
  ])
  for (const secret of Object.values(env)) expect(readFileSync(memory, 'utf8').includes(secret)).toBe(false)

  const replay = () => conformance(['replay', id, ...target, '--out', 'faulty/live'], env)
  expect(await replay()).toMatchObject({ code: 1, out: expect.stringMatching(/^\S+ still fails: expected /) })
  await control('DELETE', 'faults')
  expect(await replay()).toMatchObject({ code: 0, out: `${id} passes now.\n`, err: '' })
  await control('POST', 'faults', { name: 'internal-error', operation: 'remove-allowed-referrer' })
  expect(await replay()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^conformance: The sweep could not remove /),
  })
  await control('DELETE', 'faults')
  expect(await conformance(['sweep', ...platform, '--out', 'faulty/live'], env)).toMatchObject({ code: 0 })
  const nowhere = target.map((arg) => (arg.startsWith('http:') ? 'http://127.0.0.1:1' : arg))
  const away = await conformance(['replay', id, ...nowhere, '--out', 'faulty/live'], env)
  expect(away).toMatchObject({ code: 2, err: expect.stringContaining('The management interface cannot be reached') })

  appendFileSync(memory, '{"kind": "case", "case"')
  const next = await conformance(['run', '--target', 'live', ...target, ...run], env)
  close()
  expect(next).toMatchObject({ code: 0, err: expect.stringContaining('1 invalid line is left out; the others count.') })
  expect(cases()).toEqual([])
  const gone = await conformance(['replay', id, ...target, '--out', 'faulty/live'], env)
  expect(gone).toMatchObject({ code: 2, err: expect.stringContaining(`has no stored case of ${id}`) })
}, 300_000)
