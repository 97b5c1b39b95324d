import { type Answer, describe, expectStatus, expectSuccess } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { expect, need } from '../failure.ts'
import { queryLogs } from '../logs.ts'
import { operationOf } from '../resources.ts'
import { allowedReferrers } from '../writes.ts'

/** A way in which Prism differs from the contract or from the platform, and why that is no fault of the contract. */
export interface Deviation {
  readonly id: string
  readonly text: string
  readonly reason: string
  /** Fails when Prism no longer deviates, so that the list cannot go stale. */
  run(context: CheckContext): Promise<void>
}

const hostname = { Hostname: 'mock.conformance.invalid' }
const largestInt64 = '9223372036854775807'

export const deviations: readonly Deviation[] = [
  {
    id: 'any-credential',
    text: 'Prism accepts any credential.',
    reason: 'It looks whether one is there; it has no accounts, scopes or expiry.',
    run: async (context) => {
      const credential = { scheme: 'AccessKey', value: 'wrong' }
      expectSuccess(await call(context, operationOf('delete-watermark'), { credential }))
    },
  },
  {
    id: 'own-statuses',
    text: 'Prism answers 422 and 415 of its own where the contract lists no 400.',
    reason: 'These statuses are its choice and stand in no contract here.',
    run: async (context) => {
      expectStatus(await call(context, operationOf('delete-watermark'), { path: { id: 'no-number' } }), 422)
      const put = { body: 'no image', headers: { 'Content-Type': 'text/plain' } }
      expectStatus(await call(context, operationOf('put-watermark'), put), 415)
    },
  },
  {
    id: 'no-state',
    text: 'Prism forgets what was written.',
    reason: 'It answers from schemas alone, so no effect can be seen.',
    run: async (context) => {
      expectSuccess(await call(context, operationOf('add-allowed-referrer'), { body: hostname }))
      const there = (await allowedReferrers(context)).includes(hostname.Hostname)
      expect(!there, 'no trace of the hostname', 'the hostname')
    },
  },
  {
    id: 'no-rate-limit',
    text: 'Prism has no rate limit.',
    reason: 'It counts nothing.',
    run: async (context) => {
      const operation = operationOf('query-logs')
      const more = need(operation.rateLimit, 'rate limit').requests + 1
      const answers: Answer[] = []
      for (let sent = 0; sent < more; sent++) answers.push(await call(context, operation, {}, { seeRateLimit: true }))
      const limited = answers.filter(({ status }) => status === 429)
      expect(limited.length === 0, `${more} successes`, `${limited.length} times 429`)
    },
  },
  {
    id: 'no-query',
    text: 'Prism ignores the query.',
    reason: 'The effective range and page in its answer are made up from the schema.',
    run: async (context) => {
      const { pagination } = await queryLogs(context, { limit: '7', offset: '21' })
      expect(pagination.offset !== 21, 'another offset than the one asked for', `offset ${pagination.offset}`)
    },
  },
  {
    id: 'largest-int64',
    text: 'Prism refuses the largest 64-bit id.',
    reason: 'It reads ids as JavaScript numbers.',
    run: async (context) => {
      const answer = await call(context, operationOf('delete-watermark'), { path: { id: largestInt64 } })
      expect(answer.status === 422, 'status 422', describe(answer))
    },
  },
]
