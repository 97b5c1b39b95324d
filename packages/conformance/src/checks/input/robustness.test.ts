import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { sessionOn } from '../../index.ts'
import { createPlan } from '../../runner/plan.ts'
import { runCheck } from '../../runner/run-check.ts'

const { checks } = createPlan()
const { signal } = new AbortController()

/** Runs a check of the robustness on a server that answers some requests with a status. */
async function robustnessOn(operation: string, status: (url: string, count: number) => number | undefined) {
  const check = defined(checks.find(({ id }) => id === `management.${operation}.robustness`))
  const session = sessionOn(await createEmulator())
  let count = 0
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const faulty = status(request.url, count++)
    return faulty === undefined ? session.fetch(request) : new Response('', { status: faulty })
  }
  return (await runCheck(check, { ...session, fetch: send }, { signal })).result
}

test('a request that fails three times, between valid ones that succeed, is a crash of source robustness', async () => {
  const result = await robustnessOn('list-pull-zones', (url) => (url.includes('%00') ? 500 : undefined))
  expect(result).toMatchObject({ outcome: 'fail', source: 'robustness' })
  expect(result.message).toContain('status 500 for query search: U+0000')
})

test('an error that passes, and an operation that is not implemented, is no crash', async () => {
  let failures = 0
  const passing = (url: string) => (url.includes('%00') && failures++ === 0 ? 500 : undefined)
  expect(await robustnessOn('list-pull-zones', passing)).toMatchObject({ outcome: 'pass' })
  expect(await robustnessOn('list-pull-zones', (url) => (url.includes('%00') ? 501 : undefined))).toMatchObject({
    outcome: 'pass',
  })
})

test('a target that fails on everything is inconclusive', async () => {
  expect(await robustnessOn('list-pull-zones', () => 500)).toMatchObject({
    outcome: 'skip',
    message: 'inconclusive: status 500, and a valid request is answered 500, too',
  })
})
