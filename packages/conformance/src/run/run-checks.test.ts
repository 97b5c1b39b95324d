import { createEmulator } from '@cdn/emulator'
import { expect, test } from 'vitest'
import type { Check } from '../exchange/check.ts'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { openRun, type RunEnvironment } from './open-run.ts'
import { runChecks } from './run-checks.ts'

const checkOf = (id: string, run: Check['run']): Check => ({
  ...{ id, requirements: [], source: 'spec', basis: 'spec', effect: 'read', needs: [] },
  run,
})

async function openRunOf(checks: readonly Check[], environment: Partial<RunEnvironment> = {}) {
  const plan = { checks, requirements: [], parts: new Map(), ids: new Set(checks.map(({ id }) => id)) }
  return openRun({ target: 'emulator' }, plan, { signal: new AbortController().signal, ...environment })
}

test('when the time is over, no check sends a request, and each has a result with the reason', async () => {
  const { managementUrl } = await createEmulator()
  let sent = 0
  const silent = checkOf('silent', async ({ signal, send }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await send(new Request(managementUrl))
    sent++
  })
  const open = await openRunOf([...Array.from({ length: 20 }, (_, index) => ({ ...silent, id: `${index}` }))])
  const { signal } = new AbortController()
  const { faults, late } = await runChecks(open, { signal, limitMs: 1 })
  expect({ faults, late, sent }).toEqual({ faults: [], late: 12, sent: 0 })
  const { runs } = await open.close()
  expect(new Set(runs.map(({ result }) => result.id)).size).toBe(20)
  for (const { result } of runs)
    expect(result).toMatchObject({ outcome: 'skip', message: 'the time of the run is over', requests: 0 })
})

test('an interrupted run ends without results for what did not run', async () => {
  const interruption = new AbortController()
  const open = await openRunOf([
    checkOf('first', async () => interruption.abort()),
    ...Array.from({ length: 20 }, (_, index) => checkOf(`${index}`, async () => {})),
  ])
  expect(await runChecks(open, { signal: interruption.signal, limitMs: 60_000 })).toEqual({ faults: [], late: 0 })
  expect((await open.close()).runs.length).toBeLessThan(21)
})

test('a run whose notes cannot be saved keeps its results', async () => {
  const said: string[] = []
  const notes = {
    recall: () => [],
    add: () => undefined,
    save: () => Promise.reject(new SuiteConfigurationError('Cannot write the memory.')),
  }
  const open = await openRunOf([checkOf('first', async () => {})], { notes, onNotice: (text) => said.push(text) })
  const { signal } = new AbortController()
  await runChecks(open, { signal, limitMs: 60_000 })
  expect((await open.close()).runs).toHaveLength(1)
  expect(said).toEqual(['Cannot write the memory.'])
})
