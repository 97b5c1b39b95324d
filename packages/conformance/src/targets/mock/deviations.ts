import { operationOf } from '../../checks/resources.ts'
import { allowedReferrers } from '../../checks/writes.ts'
import { describeResponse, expectStatus, expectSuccess, type ReceivedResponse } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, need } from '../../core/failure.ts'
import { queryLogs } from '../../core/logs.ts'

/** A difference between Prism and the contract or the platform, and why the contract is right. */
export interface Deviation {
  readonly id: string
  readonly text: string
  readonly reason: string
  /** Fails if Prism no longer deviates, so that the list stays current. */
  run(context: CheckContext): Promise<void>
}

const hostname = { Hostname: 'mock.conformance.invalid' }
const maxInt64 = '9223372036854775807'

export const deviations: readonly Deviation[] = [
  {
    id: 'any-credential',
    text: 'Prism accepts any credential.',
    reason: 'It only requires a credential to be present; it has no accounts, scopes or expiry.',
    run: async (context) => {
      const credential = { scheme: 'AccessKey', value: 'wrong' }
      expectSuccess(await call(context, operationOf('delete-watermark'), { credential }))
    },
  },
  {
    id: 'own-statuses',
    text: 'Prism answers 422 and 415 if the contract lists no 400.',
    reason: 'These statuses are the choice of Prism; no contract here lists them.',
    run: async (context) => {
      expectStatus(await call(context, operationOf('delete-watermark'), { path: { id: 'no-number' } }), 422)
      const put = { body: 'no image', headers: { 'Content-Type': 'text/plain' } }
      expectStatus(await call(context, operationOf('put-watermark'), put), 415)
    },
  },
  {
    id: 'no-state',
    text: 'Prism forgets writes.',
    reason: 'It answers from schemas only, so no effect can be observed.',
    run: async (context) => {
      expectSuccess(await call(context, operationOf('add-allowed-referrer'), { body: hostname }))
      const there = (await allowedReferrers(context)).includes(hostname.Hostname)
      expect(!there, 'no trace of the hostname', 'the hostname')
    },
  },
  {
    id: 'no-rate-limit',
    text: 'Prism has no rate limit.',
    reason: 'It does not count requests.',
    run: async (context) => {
      const operation = operationOf('query-logs')
      const more = need(operation.rateLimit, 'rate limit').requests + 1
      const answers: ReceivedResponse[] = []
      for (let sent = 0; sent < more; sent++) answers.push(await call(context, operation, {}, { seeRateLimit: true }))
      const limited = answers.filter(({ status }) => status === 429)
      expect(limited.length === 0, `${more} successes`, `${limited.length} times 429`)
    },
  },
  {
    id: 'no-query',
    text: 'Prism ignores the query.',
    reason: 'The effective range and page in its answer are generated from the schema.',
    run: async (context) => {
      const { pagination } = await queryLogs(context, { limit: '7', offset: '21' })
      expect(pagination.offset !== 21, 'an offset other than the requested one', `offset ${pagination.offset}`)
    },
  },
  {
    id: 'largest-int64',
    text: 'Prism refuses the largest 64-bit id.',
    reason: 'It reads ids as JavaScript numbers.',
    run: async (context) => {
      const answer = await call(context, operationOf('delete-watermark'), { path: { id: maxInt64 } })
      expect(answer.status === 422, 'status 422', describeResponse(answer))
    },
  },
]
