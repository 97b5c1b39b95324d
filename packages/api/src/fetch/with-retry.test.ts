import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeFetch } from '../../tests/fake-fetch.ts'
import { operations } from '../contract/index.ts'
import {
  createLoggingClient,
  createManagementClient,
  type RetryOptions,
  unwrap,
  withIdleTimeout,
  withRetry,
  withTimeout,
  wrapFetch,
} from '../index.ts'

type Reply = Response | Error
const refused = (fields: object) => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), fields) })
const read = '/pullzone/{id}'
const write = '/pullzone/{id}/addAllowedReferrer'
const params = { path: { id: 1 } }
const body = { Hostname: 'a.example' }
const ignore = () => undefined

function client(responses: Reply[], options: RetryOptions = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const { fetch, requests } = fakeFetch(() => responses.shift() ?? Response.json({ Id: 1 }))
  const wrap = [withRetry({ sleep, random: () => 0.5, ...options })]
  return { calls: createManagementClient({ baseUrl: 'https://management.invalid', fetch, wrap }), requests, waits }
}

test.each<[string, () => Reply]>([
  ['429', () => new Response('', { status: 429 })],
  ['500', () => new Response('', { status: 500 })],
  ['503', () => new Response('', { status: 503 })],
  ['a broken connection', () => refused({ code: 'ECONNRESET' })],
])('a read is repeated after %s, a write is not', async (_name, failed) => {
  const reading = client([failed()])
  expect(await reading.calls.GET(read, { params })).toMatchObject({ data: { Id: 1 } })
  expect(reading.requests).toHaveLength(2)
  const writing = client([failed()])
  await writing.calls.POST(write, { params, body }).catch(ignore)
  expect(writing.requests).toHaveLength(1)
  const deleting = client([failed()])
  await deleting.calls.DELETE('/videolibrary/{id}/watermark', { params }).catch(ignore)
  expect(deleting.requests).toHaveLength(1)
})

test.each([
  ['Node', refused({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['Node, no such host', refused({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['Node, connect timed out', refused({ code: 'ETIMEDOUT', syscall: 'connect' })],
  ['Bun', Object.assign(new TypeError('Unable to connect'), { code: 'ECONNREFUSED' })],
  ['Deno', new TypeError('error sending request for url (http://h/): client error (Connect): tcp connect error')],
])('a write that was provably never sent is repeated, with its whole body: %s', async (_name, error) => {
  const { calls, requests } = client([error])
  expect((await calls.POST(write, { params, body })).response.status).toBe(200)
  expect(await Promise.all(requests.map((request) => request.text()))).toEqual(
    Array(2).fill('{"Hostname":"a.example"}'),
  )
})

test('the contract states which operations are reads', async () => {
  for (const { interface: name, method, path, effect, parameters } of operations) {
    const { fetch, requests } = fakeFetch(() => new Response('', { status: 503 }))
    const options = { baseUrl: 'https://h.invalid', fetch, wrap: [withRetry({ sleep: async () => {} })] }
    const client = name === 'management' ? createManagementClient(options) : createLoggingClient(options)
    // Safe: the operations of the contract have these interfaces and paths.
    const call = client.request as unknown as (method: string, path: string, init: object) => Promise<unknown>
    const ids = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => [parameter.name, 1])
    await call(method, path, { params: { path: Object.fromEntries(ids) } })
    expect(requests, `${method} ${path}`).toHaveLength(effect === 'read' ? 5 : 1)
  }
})

test('refusals are not repeated, nor is 501, which is permanent', async () => {
  for (const status of [400, 401, 403, 404, 409, 422, 501]) {
    const { calls, requests } = client([new Response('', { status })])
    expect((await calls.GET(read, { params })).response.status).toBe(status)
    expect(requests).toHaveLength(1)
  }
})

test('a pause is a random part of a bound that doubles', async () => {
  const { calls, requests, waits } = client(Array.from({ length: 5 }, () => new Response('', { status: 503 })))
  expect((await calls.GET(read, { params })).response.status).toBe(503)
  expect(requests).toHaveLength(5)
  expect(waits).toEqual([250, 500, 1000, 2000])
})

test.each([
  ['2', 2000],
  ['0', 250],
  ['86400', 30_000],
  ['-5', 250],
  ['1.5', 250],
  ['soon', 250],
  ['', 250],
  ['9'.repeat(400), 30_000],
  ['Fri, 20 Nov 2020 00:00:00 GMT', 250],
  ['Fri, 20 Nov 2999 00:00:00 GMT', 30_000],
  ['Fri, 99 Nov 2026 00:00:00 GMT', 250],
])('the pause after Retry-After %j is %i ms', async (value, ms) => {
  const { calls, waits } = client([new Response('', { status: 503, headers: { 'Retry-After': value } })])
  await calls.GET(read, { params })
  expect(waits).toEqual([ms])
})

test('nested retries do not multiply the attempts: the outermost one decides', async () => {
  const { fetch, requests } = fakeFetch(() => new Response('', { status: 503 }))
  const wrap = [withRetry({ attempts: 3, sleep: async () => {} }), withRetry({ sleep: async () => {} })]
  await createManagementClient({ baseUrl: 'https://h.invalid', fetch, wrap }).GET(read, { params })
  expect(requests).toHaveLength(3)
})

test('withRetry supports any client based on fetch', async () => {
  const responses = [new Response('', { status: 503 }), refused({ code: 'ECONNRESET' })]
  const { fetch, requests } = fakeFetch(() => responses.shift() ?? new Response('ok'))
  const repeating = wrapFetch(fetch, [withRetry({ sleep: async () => {} })])
  expect(await (await repeating('https://h.invalid/a')).text()).toBe('ok')
  expect(requests).toHaveLength(3)
  responses.push(new Response('', { status: 503 }))
  expect((await repeating('https://h.invalid/a', { method: 'POST', body: 'b' })).status).toBe(503)
  responses.push(refused({ code: 'ECONNREFUSED' }))
  expect((await repeating('https://h.invalid/a', { method: 'POST', body: 'b' })).status).toBe(200)
  expect(await requests.at(-1)?.text()).toBe('b')
})

test("fetch gets the caller's own signal, so that an abort also ends a body whose Request is garbage-collected", async () => {
  const { signal } = new AbortController()
  let sent: unknown
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent = init?.signal
    return new Response('ok')
  }
  await wrapFetch(fetch, [withRetry()])('https://h.invalid/a', { signal })
  expect(sent).toBe(signal)
})

const hang = (request: Request) =>
  new Promise<Response>((_resolve, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason))
  })

describe('time limits', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('an attempt that times out is repeated, a whole call that times out is not', async () => {
    const { fetch, requests } = fakeFetch((request) => (requests.length < 3 ? hang(request) : Response.json({ Id: 1 })))
    const options = { baseUrl: 'https://h.invalid', fetch }
    const each = [withRetry({ sleep: async () => {} }), withTimeout(5)]
    const repeated = createManagementClient({ ...options, wrap: each }).GET(read, { params })
    await vi.advanceTimersByTimeAsync(10)
    expect(await repeated).toMatchObject({ data: { Id: 1 } })
    expect(requests).toHaveLength(3)
    requests.length = 0
    const whole = createManagementClient({ ...options, wrap: each.toReversed() })
    const failed = expect(whole.GET(read, { params })).rejects.toMatchObject({
      name: 'TransportError',
      kind: 'timeout',
    })
    await vi.advanceTimersByTimeAsync(5)
    await failed
    expect(requests).toHaveLength(1)
  })

  test('the time limit of the whole call ends a pause', async () => {
    const { fetch, requests } = fakeFetch(() => new Response('', { status: 503 }))
    const wrap = [withTimeout(5), withRetry({ firstPauseMs: 1e6, random: () => 0 })]
    const client = createManagementClient({ baseUrl: 'https://h.invalid', fetch, wrap })
    const failed = expect(unwrap(client.GET(read, { params }))).rejects.toMatchObject({ kind: 'timeout' })
    await vi.advanceTimersByTimeAsync(5)
    await failed
    expect(requests).toHaveLength(1)
  })
})

// The runtime fires a timer of 2^31 ms or more at once.
test.each([Number.POSITIVE_INFINITY, 30 * 86_400_000])(
  'a time limit of %d ms does not end a call early',
  async (ms) => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return Response.json({ Id: 1 })
    }
    const { fetch } = fakeFetch(slow)
    const wrap = [withTimeout(ms), withIdleTimeout(ms)]
    const client = createManagementClient({ baseUrl: 'https://h.invalid', fetch, wrap })
    expect(await unwrap(client.GET(read, { params }))).toEqual({ Id: 1 })
  },
)
