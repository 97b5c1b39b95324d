import { expect, test } from 'vitest'
import { fakeFetch } from '../tests/fake-fetch.ts'
import { operations } from './contract/index.ts'
import { createLoggingClient, createManagementClient, type RetryOptions, retry, timeout } from './index.ts'

type Answer = Response | Error
const refused = (fields: object) => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), fields) })
const read = '/pullzone/{id}'
const write = '/pullzone/{id}/addAllowedReferrer'
const params = { path: { id: 1 } }

function client(answers: Answer[], options: RetryOptions = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const { fetch, requests } = fakeFetch(() => answers.shift() ?? Response.json({ Id: 1 }))
  const use = [retry({ sleep, random: () => 0.5, ...options })]
  return { calls: createManagementClient({ baseUrl: 'https://management.invalid', fetch, use }), requests, waits }
}

test.each([
  ['429', () => new Response('', { status: 429 })],
  ['500', () => new Response('', { status: 500 })],
  ['503', () => new Response('', { status: 503 })],
  ['a broken connection', () => refused({ code: 'ECONNRESET' })],
  ['a body cut short', () => new Response('{"Id":')],
] as [string, () => Answer][])('a read is repeated after %s, a write is not', async (_name, trouble) => {
  const reading = client([trouble()])
  expect(await reading.calls.GET(read, { params })).toMatchObject({ data: { Id: 1 } })
  expect(reading.requests).toHaveLength(2)
  const writing = client([trouble()])
  await writing.calls.POST(write, { params, body: { Hostname: 'a.example' } })
  await client([trouble()]).calls.DELETE('/videolibrary/{id}/watermark', { params })
  expect(writing.requests).toHaveLength(1)
})

test.each([
  ['Node', refused({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['Node, no such host', refused({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['Node, connect timed out', refused({ code: 'ETIMEDOUT', syscall: 'connect' })],
  ['Bun', Object.assign(new TypeError('Unable to connect'), { code: 'ECONNREFUSED' })],
  ['Deno', new TypeError('error sending request for url (http://h/): client error (Connect): tcp connect error')],
])('a write that provably never left is repeated, with its whole body: %s', async (_name, error) => {
  const { calls, requests } = client([error])
  expect((await calls.POST(write, { params, body: { Hostname: 'a.example' } })).error).toBeUndefined()
  expect(await Promise.all(requests.map((request) => request.text()))).toEqual(
    Array(2).fill('{"Hostname":"a.example"}'),
  )
})

test('which operations are reads, the contract says', async () => {
  for (const { interface: name, method, path, effect, parameters } of operations) {
    const { fetch, requests } = fakeFetch(() => new Response('', { status: 503 }))
    const options = { baseUrl: 'https://h.invalid', fetch, use: [retry({ sleep: async () => {} })] }
    const calls = name === 'management' ? createManagementClient(options) : createLoggingClient(options)
    const call = calls[method.toUpperCase() as 'GET'] as (path: string, options: object) => Promise<unknown>
    const ids = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => [parameter.name, 1])
    await call(path, { params: { path: Object.fromEntries(ids) } })
    expect(requests, `${method} ${path}`).toHaveLength(effect === 'read' ? 5 : 1)
  }
})

test('refusals do not pass', async () => {
  for (const status of [400, 401, 403, 404, 409, 422]) {
    const { calls, requests } = client([new Response('', { status })])
    expect((await calls.GET(read, { params })).error).toMatchObject({ status, attempts: 1 })
    expect(requests).toHaveLength(1)
  }
})

test('pauses: a random part of a doubling bound; the error counts the attempts', async () => {
  const { calls, waits } = client(Array.from({ length: 5 }, () => new Response('', { status: 503 })))
  expect((await calls.GET(read, { params })).error).toMatchObject({ status: 503, attempts: 5 })
  expect(waits).toEqual([250, 500, 1000, 2000])
})

test.each([
  ['2', 2000],
  ['0', 0],
  ['86400', 30_000],
  ['-5', 250],
  ['1.5', 250],
  ['soon', 250],
  ['', 250],
  ['9'.repeat(400), 30_000],
  ['Fri, 20 Nov 2020 00:00:00 GMT', 0],
  ['Fri, 20 Nov 2999 00:00:00 GMT', 30_000],
  ['Fri, 99 Nov 2026 00:00:00 GMT', 250],
])('Retry-After %s', async (value, ms) => {
  const { calls, waits } = client([new Response('', { status: 503, headers: { 'Retry-After': value } })])
  await calls.GET(read, { params })
  expect(waits).toEqual([ms])
})

test('one inside another does not multiply the attempts', async () => {
  const { calls, requests } = client(Array.from({ length: 30 }, () => new Response('', { status: 503 })))
  await calls.GET(read, { params, use: [retry({ attempts: 3, sleep: async () => {} })] })
  expect(requests).toHaveLength(3)
})

test('a time-out of an attempt passes, one of the whole call does not', async () => {
  const hang = (request: Request) =>
    new Promise<Response>((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
  const { fetch, requests } = fakeFetch((request) => (requests.length < 3 ? hang(request) : Response.json({ Id: 1 })))
  const each = { baseUrl: 'https://h.invalid', fetch, use: [retry({ sleep: async () => {} }), timeout(5)] }
  expect(await createManagementClient(each).GET(read, { params })).toMatchObject({ data: { Id: 1 } })
  expect(requests).toHaveLength(3)
  requests.length = 0
  const whole = { ...each, use: [timeout(5), retry({ sleep: async () => {} })] }
  expect((await createManagementClient(whole).GET(read, { params })).error).toMatchObject({
    kind: 'timeout',
    attempts: 1,
  })
})

test('a pause ends with the time of the whole call', async () => {
  const { fetch } = fakeFetch(() => new Response('', { status: 503 }))
  const use = [timeout(5), retry({ firstPauseMs: 1e6, random: () => 1 })]
  const client = createManagementClient({ baseUrl: 'https://h.invalid', fetch, use })
  expect((await client.GET(read, { params })).error).toMatchObject({ kind: 'timeout', attempts: 1 })
})
