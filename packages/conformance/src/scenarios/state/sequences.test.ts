import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { createPlan } from '../../run/plan.ts'
import { type RunCheckOptions, runCheck } from '../../run/run-check.ts'
import { sessionOn } from '../../run/targets/emulator.ts'

const check = defined(createPlan().checks.find(({ id }) => id === 'management.add-allowed-referrer.effect/sequence'))
const { signal } = new AbortController()

/** Runs the sequences on a server that adds no second hostname of the suite. */
async function run(isFaulty: boolean, options: Partial<RunCheckOptions> = {}) {
  const session = sessionOn(await createEmulator())
  const faulty: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (!isFaulty || !request.url.endsWith('/addAllowedReferrer')) return session.fetch(request)
    const read = request.url.replace('/addAllowedReferrer', '')
    const zone = await (await session.fetch(read, { headers: request.headers })).text()
    const isFirst = !zone.includes('conformance.invalid')
    return isFirst ? session.fetch(request) : new Response(null, { status: 204 })
  }
  return (await runCheck(check, { ...session, fetch: faulty }, { signal, seed: 1, ...options })).result
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
