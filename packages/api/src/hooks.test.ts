import { expect, test } from 'vitest'
import { fakeFetch, noWait } from '../tests/fake-fetch.ts'
import { type Call, createLimiter, createLoggingClient, hooks, retry } from './index.ts'

const path = '/v2/pullzones/{pullZoneId}/logs'
const params = { path: { pullZoneId: 1 } }

test('each attempt has a request and a response with the same call; repetitions and waits are told', async () => {
  const answers = [new Response('', { status: 503 }), Response.json({})]
  const { fetch, requests } = fakeFetch(() => answers.shift() ?? new Error('too many'))
  const told: unknown[] = []
  const spans = new WeakMap<Call, string>()
  const observer = {
    request(call: Call) {
      spans.set(call, `span ${call.attempt}`)
      call.headers.set('traceparent', `00-${call.attempt}`)
    },
    response: (call: Call, end: { status: number | undefined; error: Error | undefined }) =>
      told.push([spans.get(call), call.operation, end.status, end.error?.name]),
    retry: (call: Call, why: { error: Error; pauseMs: number }) => told.push(['retry', call.attempt, why.pauseMs]),
    wait: (call: Call, heldMs: number) => told.push(['wait', call.attempt, heldMs >= 1]),
  }
  const limiter = createLimiter({ requests: 1, windowMs: 5 })
  const use = [hooks(observer), retry({ sleep: noWait, random: () => 0.1 })]
  const client = createLoggingClient({ baseUrl: 'https://h.invalid', accessKey: 'CANARY', fetch, limiter, use })
  await client.GET(path, { params })
  expect(told).toEqual([
    ['span 1', `GET ${path}`, 503, 'LoggingError'],
    ['retry', 1, 50],
    ['wait', 2, true],
    ['span 2', `GET ${path}`, 200, undefined],
  ])
  expect(requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['00-1', '00-2'])
  expect(JSON.stringify(told)).not.toContain('CANARY')
})

test('what a hook throws ends the call', async () => {
  const { fetch, requests } = fakeFetch(() => Response.json({}))
  const request = () => {
    throw new Error('broken hook')
  }
  const client = createLoggingClient({ baseUrl: 'https://h.invalid', fetch, use: [hooks({ request })] })
  await expect(client.GET(path, { params })).rejects.toThrow('broken hook')
  expect(requests).toHaveLength(0)
})
