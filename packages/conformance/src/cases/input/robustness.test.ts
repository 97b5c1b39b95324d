import { expect, test, vi } from 'vitest'
import { runWith } from '../../../tests/support/run-with-fault.ts'
import type { RunCheckOptions } from '../../run/run-check.ts'

// Shrinking a text of 64 kB sends long requests.
vi.setConfig({ testTimeout: 60_000 })

async function robustnessOn(
  operation: string,
  statusOf: (url: string) => number | undefined,
  options: Partial<RunCheckOptions> = {},
) {
  const fault = ({ url }: Request) => {
    const status = statusOf(url)
    return status === undefined ? undefined : new Response('', { status })
  }
  return (await runWith(`management.${operation}.robustness`, fault, {}, options)).result
}

test('a request that fails three times, between valid ones that succeed, is a crash of source robustness', async () => {
  const result = await robustnessOn('list-pull-zones', (url) => (url.includes('%00') ? 500 : undefined))
  expect(result).toMatchObject({ outcome: 'fail', source: 'robustness' })
  expect(result.message).toMatch(/^expected no server error for query search: U\+0000 .*, saw status 500/)
})

test('a transient error is no crash, and neither is a 501', async () => {
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

test('a crash is shrunk to one character, and its stored case is sent alone in a replay', async () => {
  const crash = (url: string) => (url.includes('%F0') ? 500 : undefined)
  const { message, evidence } = await robustnessOn('list-pull-zones', crash)
  expect(message).toMatch(/for query search: commas, .* \("[^"]{1,2}"\)/)
  const [call] = evidence?.calls ?? []
  expect(call).toMatchObject({ operation: 'list-pull-zones', input: expect.stringContaining('query search: commas') })
  expect([...String(call?.text)]).toHaveLength(1)
  const replay = { stored: evidence?.calls, replay: true }
  const again = await robustnessOn('list-pull-zones', crash, replay)
  expect(again).toMatchObject({ outcome: 'fail', evidence: { calls: evidence?.calls } })
  expect(await robustnessOn('list-pull-zones', () => undefined, replay)).toMatchObject({ outcome: 'pass', cases: 1 })
  const unknown = { stored: [{ operation: 'list-pull-zones', input: 'query gone' }], replay: true }
  expect(await robustnessOn('list-pull-zones', crash, unknown)).toMatchObject({ outcome: 'skip' })
})
