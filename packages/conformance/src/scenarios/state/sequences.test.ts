import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { type Fault, runWith } from '../../../tests/support/run-with.ts'
import type { RunCheckOptions } from '../../run/run-check.ts'

/** A server that adds no second hostname of the suite. */
const oneHostname: Fault = async (request, emulator) => {
  if (!request.url.endsWith('/addAllowedReferrer')) return emulator.fetch(request)
  const read = request.url.replace('/addAllowedReferrer', '')
  const zone = await (await emulator.fetch(read, { headers: request.headers })).text()
  return zone.includes('conformance.invalid') ? new Response(null, { status: 204 }) : emulator.fetch(request)
}

async function run(isFaulty: boolean, options: Partial<RunCheckOptions> = {}) {
  const fault = isFaulty ? oneHostname : () => undefined
  const id = 'management.add-allowed-referrer.effect/sequence'
  return (await runWith(id, fault, {}, { seed: 1, ...options })).result
}

test('a failed sequence is shrunk, and its stored calls fail again with another seed', async () => {
  const { outcome, evidence } = await run(true)
  expect(outcome).toBe('fail')
  const calls = defined(evidence?.calls)
  expect(calls.length).toBeLessThan(4)
  expect(calls.at(-1)).toMatchObject({ operation: 'add-allowed-referrer', path: { own: expect.any(String) } })
  const replay = { stored: calls, replay: true, seed: 2 }
  expect(await run(true, replay)).toMatchObject({ outcome: 'fail', evidence: { calls } })
  expect(await run(false, replay)).toMatchObject({ outcome: 'pass', cases: calls.length })
  const foreign = [{ operation: 'add-allowed-referrer', path: { absent: '77' }, body: 0 }]
  expect(await run(true, { ...replay, stored: foreign })).toMatchObject({
    outcome: 'skip',
    requests: expect.any(Number),
  })
})
