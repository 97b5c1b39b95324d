/** Tests the adapter for vitest with a few checks: each becomes a test of this file. `cli.test.ts` runs all checks on the emulator. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { newMark, runId } from '../src/exchange/own-names.ts'
import { memoryFile, readMemory } from '../src/memory/memory.ts'
import { registerChecks, type VitestApi } from '../src/run/vitest.ts'

const only = {
  mock: ['mock.query-logs.200', 'mock.query-logs.no-credential'],
  // The last of these checks is skipped, with the reason.
  emulator: [
    'management.delete-watermark.204',
    'management.delete-watermark.effect',
    'management.errors.object/delete-watermark',
  ],
}
for (const target of ['mock', 'emulator'] as const)
  await registerChecks({ test, afterAll }, { target, only: only[target], out: undefined, seed: 1 })

test('a set-up that prevents the run leaves its traces', async () => {
  const { fixtures } = await createEmulator()
  const [out, address] = [join(temporaryFolder(onTestFinished), 'vitest'), 'http://127.0.0.1:1/']
  const registered = registerChecks({ test, afterAll }, { managementUrl: address, loggingUrl: address, fixtures, out })
  await expect(registered).rejects.toThrow('The management interface cannot be reached')
  expect(await readFile(join(out, 'index.html'), 'utf8')).toContain('No check ran: The management interface cannot be')
  expect(readMemory(memoryFile(out)).runs).toMatchObject([{ status: 'not-started', exitCode: 2 }])
})

test('a list of the tests writes nothing', async () => {
  const emulator = await createEmulator()
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const urls = { managementUrl: managementUrl.href, loggingUrl: loggingUrl.href }
  let names = 0
  const listed = { test: { concurrent: () => void names++ }, afterAll: () => {} }
  await registerChecks(listed, {
    ...urls,
    fixtures: emulator.fixtures,
    allow: ['write', 'destructive'],
    out: undefined,
  })
  expect(names).toBeGreaterThan(100)
  expect(emulator.journal.entries.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a run that does not start because another one uses the fixtures says so in its report', async () => {
  const emulator = await createEmulator()
  onTestFinished(() => emulator.close())
  const { managementUrl, loggingUrl } = await emulator.listen()
  const { fixtures } = emulator
  const mark = newMark(Date.now()).replace(runId, '00000000')
  const zone = emulator.state.resources.item('/pullzone', fixtures.zoneId ?? '')
  Object.assign(zone ?? {}, { AllowedReferrers: [mark] })
  const out = join(temporaryFolder(onTestFinished), 'vitest')
  const tests: (() => Promise<void>)[] = []
  const { signal } = new AbortController()
  const skip = (): never => expect.fail('no check is skipped')
  let close = async () => {}
  const api: VitestApi = {
    test: { concurrent: (_, __, check) => void tests.push(() => check({ signal, skip })) },
    afterAll: (last) => {
      close = last
    },
  }
  const urls = { managementUrl: managementUrl.href, loggingUrl: loggingUrl.href }
  await registerChecks(api, { ...urls, fixtures, out, allow: ['write'], only: ['management.get-pull-zone.200'] })
  const reason = 'Another run of the suite uses the fixtures'
  for (const check of tests) await expect(check()).rejects.toThrow(reason)
  await close()
  expect(readMemory(memoryFile(out)).runs).toMatchObject([
    { status: 'not-started', sentence: expect.stringContaining(reason) },
  ])
})
