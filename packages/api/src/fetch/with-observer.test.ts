import { expect, test } from 'vitest'
import { fakeFetch, noWait } from '../../tests/fake-fetch.ts'
import {
  createLimiter,
  createLoggingClient,
  type ObservedCall,
  type Observer,
  withObserver,
  withRetry,
  wrapFetch,
} from '../index.ts'

const path = '/v2/pullzones/{pullZoneId}/logs'
const params = { path: { pullZoneId: 1 } }

function recorder() {
  const events: unknown[] = []
  const spans = new WeakMap<ObservedCall, string>()
  let count = 0
  const observer: Observer = {
    request(call) {
      spans.set(call, `span ${++count}`)
      call.setHeader('traceparent', `00-${count}`)
    },
    response: (call, { status, error }) => events.push([spans.get(call), call.operation, call.host, status, error]),
    retry: (call, { status, pauseMs }) => events.push([spans.get(call), 'retry', status, pauseMs]),
    wait: (call, heldMs) => events.push([spans.get(call), 'wait', heldMs]),
  }
  return { observer, events }
}

function calls(outer: Observer, inner?: Observer) {
  const responses = [new Response('', { status: 503 }), Response.json({})]
  const { fetch, requests } = fakeFetch(() => responses.shift() ?? new Error('too many'))
  let time = 0
  const sleep = async (ms: number) => {
    time += ms
  }
  // The clock advances only in `sleep`, so the second request always waits.
  const limiter = createLimiter({ requests: 1, windowMs: 5, now: () => time, sleep })
  const retry = withRetry({ sleep: noWait, random: () => 0.1 })
  const wrap = [withObserver(outer), retry, ...(inner ? [withObserver(inner)] : [])]
  const client = createLoggingClient({ baseUrl: 'https://h.invalid', accessKey: 'CANARY', fetch, limiter, wrap })
  return { client, requests }
}

test('outside of withRetry: one request and one response per call; repetitions and waits are reported', async () => {
  const { observer, events } = recorder()
  const { client, requests } = calls(observer)
  await client.GET(path, { params })
  expect(events).toEqual([
    ['span 1', 'retry', 503, 450],
    ['span 1', 'wait', 5],
    ['span 1', `GET ${path}`, 'h.invalid', 200, undefined],
  ])
  expect(requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['00-1', '00-1'])
  expect(JSON.stringify(events)).not.toContain('CANARY')
})

test('inside of withRetry: one request and response per attempt, and no repetitions', async () => {
  const [outer, inner] = [recorder(), recorder()]
  const { client, requests } = calls(outer.observer, inner.observer)
  await client.GET(path, { params })
  expect(inner.events).toEqual([
    ['span 1', `GET ${path}`, 'h.invalid', 503, undefined],
    ['span 2', 'wait', 5],
    ['span 2', `GET ${path}`, 'h.invalid', 200, undefined],
  ])
  expect(outer.events).toContainEqual(['span 1', 'retry', 503, 450])
  expect(requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['00-1', '00-2'])
})

test('an observer that throws ends the call', async () => {
  const { fetch, requests } = fakeFetch(() => Response.json({}))
  const request = () => {
    throw new Error('broken observer')
  }
  const client = createLoggingClient({ baseUrl: 'https://h.invalid', fetch, wrap: [withObserver({ request })] })
  await expect(client.GET(path, { params })).rejects.toThrow('broken observer')
  expect(requests).toHaveLength(0)
})

test('a header that an observer sets is not set on the request of the caller', async () => {
  const { fetch, requests } = fakeFetch(() => Response.json({}))
  const request = new Request('https://h.invalid/a')
  await wrapFetch(fetch, [withObserver({ request: ({ setHeader }) => setHeader('traceparent', '00-1') })])(request)
  expect(requests[0]?.headers.get('traceparent')).toBe('00-1')
  expect(request.headers.has('traceparent')).toBe(false)
})
