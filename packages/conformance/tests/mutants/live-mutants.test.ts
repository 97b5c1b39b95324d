/** Tests a few mutants with live runs, over real sockets and in simulated time. */
import { expect, test } from 'vitest'
import { runLive } from '../support/live-run.ts'
import { serverMutants } from './all.ts'

const ids = [
  'rate-limit.query-logs.window-shorter',
  'limit: each credential has its own',
  'zone: a suspended one is shown to a token',
  'credential.query-logs.forged-token-accepted',
  'parameter.query-logs.url-contains-ignored',
  'error.400.array',
  'referrers: a JSON string is accepted as the hostname',
  'v1: the gzip of a file lacks its trailer',
]

test.each(ids)('%s fails a live run', { timeout: 300_000 }, async (id) => {
  const [mutant] = serverMutants.filter((one) => one.id === id)
  const breaks = (requirements: readonly string[]) => requirements.some((one) => mutant?.breaks.includes(one))
  const world = { name: id, traffic: 'planted', ...(mutant && { break: mutant.apply }) } as const
  const { report } = await runLive(world, { select: ({ requirements }) => breaks(requirements) })
  expect(
    report.causes.filter(({ outcome }) => outcome === 'fail').some(({ requirements }) => breaks(requirements)),
  ).toBe(true)
})
