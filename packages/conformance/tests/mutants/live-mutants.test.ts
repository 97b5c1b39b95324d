/** A few mutants as live runs, over real sockets and in simulated time. The campaign runs all of them. */
import { expect, test } from 'vitest'
import { serverMutants } from './all.ts'
import { passingOnLive, runLiveMutant } from './live-mutants.ts'

const passing = passingOnLive()

const ids = [
  'rate-limit.query-logs.one-more',
  'rate-limit.query-logs.window-shorter',
  'limit: each credential has its own',
  'credential.query-logs.forged-token-accepted',
  'zone: a suspended one is shown to a token',
  'credential.add-allowed-referrer.wrong-key-accepted',
  'parameter.query-logs.url-contains-ignored',
  'error.400.array',
  'watermark: ids beyond 32 bits are unknown',
  'referrers: a JSON string is accepted as the hostname',
  'v1: the gzip of a file lacks its trailer',
]

test.each(ids)('%s is killed by a live run', { timeout: 300_000 }, async (id) => {
  const mutant = serverMutants.find((candidate) => candidate.id === id)
  if (!mutant) throw new Error(`unknown mutant ${id}`)
  expect(await runLiveMutant(mutant, await passing)).toMatchObject({ result: 'killed' })
})
