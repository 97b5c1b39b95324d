import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import fc from 'fast-check'
import * as undici from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { type AnyOptions, baseUrl, failure, fakeFetch, getZone, management, params, path } from '../tests/fake-fetch.ts'
import { contracts } from './contract/index.ts'
import {
  type ClientOptions,
  createLoggingClient,
  createManagementClient,
  type LogFileQuery,
  type LogsQuery,
  readLogFile,
  readLogs,
  unwrap,
  withRetry,
} from './index.ts'

test('a request has the method, path, body, and the key in the header of the contract', async () => {
  const { client, requests } = management(() => new Response(null, { status: 204 }), {
    baseUrl: new URL(`${baseUrl}/api/`),
  })
  const body = { Hostname: 'a.example' }
  const result = await client.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id: 2n ** 60n } }, body })
  expect(result).toMatchObject({ data: undefined, response: { status: 204 } })
  expect(result.error).toBeUndefined()
  const [request] = requests
  expect(request?.method).toBe('POST')
  expect(request?.url).toBe(`${baseUrl}/api/pullzone/1152921504606846976/addAllowedReferrer`)
  expect(request?.redirect).toBe('manual')
  expect(request?.headers.get('Content-Type')).toBe('application/json')
  expect(await request?.json()).toEqual(body)
})

test('a client calls the public platform by default', async () => {
  const { fetch, requests } = fakeFetch(() => Response.json({}))
  await createManagementClient({ fetch, accessKey: 'k' }).GET(path, { params })
  await createLoggingClient({ fetch }).GET('/v2/pullzones/{pullZoneId}/logs', {
    params: { path: { pullZoneId: 7 } },
  })
  const { management, logging } = contracts
  expect(requests.map(({ url }) => url)).toEqual([
    `${management.publicUrl}/pullzone/1`,
    `${logging.publicUrl}/v2/pullzones/7/logs`,
  ])
})

test('each security scheme uses its header', async () => {
  const headersOf = async (options: AnyOptions) => {
    const { client, requests } = management(() => new Response(null, { status: 204 }), options)
    await client.DELETE('/videolibrary/{id}/watermark', { params })
    return assertDefined(requests[0]).headers
  }
  const headerOf = (kind: string) =>
    assertDefined(contracts.management.schemes.find((scheme) => scheme.kind === kind)).header
  const [key, bearer] = [headerOf('key'), headerOf('bearer')]
  expect((await headersOf({ accessKey: 'k' })).get(key)).toBe('k')
  const withBearer = await headersOf({ accessKey: undefined, bearer: 'j.w.t' })
  expect([withBearer.get(bearer), withBearer.has(key)]).toEqual(['Bearer j.w.t', false])
  const withNone = await headersOf({ accessKey: undefined })
  expect([withNone.has(bearer), withNone.has(key)]).toEqual([false, false])
})

test('long integers are exact in both directions', async () => {
  const { data } = await getZone(() => new Response('{"Id":9007199254740993,"Name":"n","New":[1]}'))
  expect(data).toEqual({ Id: 9007199254740993n, Name: 'n', New: [1] })
  const { client, requests } = management(() => new Response(null, { status: 204 }))
  const body = { Hostname: 'a.example', Extra: 9007199254740993n }
  await client.POST('/pullzone/{id}/addAllowedReferrer', { params, body })
  expect(await requests[0]?.text()).toBe('{"Hostname":"a.example","Extra":9007199254740993}')
})

test("the Accept header has the contract's media types, unless the caller sets it", async () => {
  const { client, requests } = management(() => Response.json({}))
  await client.GET(path, { params })
  await client.GET(path, { params, headers: { Accept: 'application/problem+json' } })
  const logging = fakeFetch(() => new Response('HIT|200'))
  const day = { path: { pullZoneId: 1, date: '11-20-26' } }
  const options = { baseUrl, fetch: logging.fetch }
  await createLoggingClient(options).GET('/{date}/{pullZoneId}.log', { params: day, parseAs: 'text' })
  expect([...requests, ...logging.requests].map(({ headers }) => headers.get('Accept'))).toEqual([
    'application/json',
    'application/problem+json',
    'text/plain, */*;q=0.5',
  ])
})

test('a body that is longer than the limit is an error, unless it is read as a stream', async () => {
  const { client } = management(() => new Response(JSON.stringify('x'.repeat(200))), { maxBodyBytes: 100 })
  for (const parseAs of ['json', 'text', 'blob'] as const)
    await expect(client.GET(path, { params, parseAs })).rejects.toMatchObject({
      kind: 'body',
      message: 'GET /pullzone/{id} at management.invalid has a body that is longer than the limit of 100 bytes',
    })
  const { data } = await client.GET(path, { params, parseAs: 'stream' })
  expect((await new Response(data).text()).length).toBe(202)
})

test('openapi-fetch can still read a body itself', async () => {
  const { client } = management(() => new Response('{"Id":1}', { headers: { 'Content-Type': 'application/json' } }))
  expect((await client.GET(path, { params, parseAs: 'text' })).data).toBe('{"Id":1}')
  const { data: blob } = await client.GET(path, { params, parseAs: 'blob' })
  expect([blob?.type, await blob?.text()]).toEqual(['application/json', '{"Id":1}'])
  const { data: buffer } = await client.GET(path, { params, parseAs: 'arrayBuffer' })
  expect(new TextDecoder().decode(buffer)).toBe('{"Id":1}')
  const { data: stream } = await client.GET(path, { params, parseAs: 'stream' })
  expect(await new Response(stream).text()).toBe('{"Id":1}')
})

test('a call may have a fetch and serializers of its own', async () => {
  const { client } = management(() => Response.json({ Id: 1 }))
  const own = fakeFetch(() => Response.json({ Id: 2 }))
  const { data } = await client.GET(path, { params, fetch: own.fetch, querySerializer: () => 'a=1' })
  expect([data, own.requests[0]?.url]).toEqual([{ Id: 2 }, `${baseUrl}/pullzone/1?a=1`])
})

test('a redirect is one request to the configured origin, even if a caller wants to follow it', async () => {
  const { client, requests } = management(() => Response.redirect('https://elsewhere.invalid', 307))
  await failure(client.DELETE('/videolibrary/{id}/watermark', { params }))
  expect(await failure(client.GET(path, { params, redirect: 'follow' }))).toMatchObject({ operation: `GET ${path}` })
  expect(requests.map(({ url, redirect }) => [new URL(url).origin, redirect])).toEqual([
    [baseUrl, 'manual'],
    [baseUrl, 'manual'],
  ])
  // @ts-expect-error a path is one of the contract
  await expect(client.GET('@elsewhere.invalid/', {})).rejects.toThrow(TypeError)
  expect(requests).toHaveLength(2)
})

test('an aborted call rejects with the reason of its signal', async () => {
  const { client } = management(() => Response.json({}))
  const reason = new Error('enough')
  await expect(client.GET(path, { params, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a write may succeed without a body, and a read if the contract has a success without a body', async () => {
  const { client } = management(() => new Response('', { status: 201 }))
  const options = { params, body: { Hostname: 'a.example' } }
  expect(await client.POST('/pullzone/{id}/addAllowedReferrer', options)).toMatchObject({ data: undefined })
  const { fetch } = fakeFetch(() => new Response(''))
  const day = { path: { pullZoneId: 1, date: '11-20-26' } }
  const { data, response } = await createLoggingClient({ baseUrl, fetch }).GET('/{date}/{pullZoneId}.log', {
    params: day,
  })
  expect([data, response.ok]).toEqual([undefined, true])
})

test('middlewares of openapi-fetch see requests without the credential, and responses', async () => {
  const { client } = management(() => Response.json({ Id: 1, Name: 'a' }))
  const events: unknown[] = []
  client.use({
    onRequest: ({ request, schemaPath }) => void events.push([schemaPath, request.headers.get('AccessKey')]),
    onResponse: ({ request, response }) => {
      events.push([response.status, request.headers.get('AccessKey')])
      return Response.json({ Id: 2 })
    },
    onError: ({ error }) => void events.push(error),
  })
  const { data } = await client.GET(path, { params, middleware: [{ onRequest: () => void events.push('own') }] })
  expect(data).toEqual({ Id: 2 })
  expect(events).toEqual([[path, null], 'own', [200, null]])
})

test('invalid parameters are refused before anything is sent', async () => {
  const { client, requests } = management(() => Response.json({}))
  await expect(client.GET(path, { params: { path: { id: 2 ** 53 } } })).rejects.toThrow(RangeError)
  // @ts-expect-error ids are required
  await expect(client.GET(path, {})).rejects.toThrow('Path parameter id is missing')
  // @ts-expect-error ids are numbers
  await expect(client.GET(path, { params: { path: { id: '..' } } })).rejects.toThrow(TypeError)
  expect(requests).toHaveLength(0)
})

test.each([
  [{ baseUrl: 'no url' }, 'baseUrl must be'],
  [{ baseUrl: 'file:///tmp' }, 'baseUrl must be'],
  [{ baseUrl: 'https://user:hunter2@h.invalid' }, 'baseUrl must be'],
  [{ baseUrl: 'https://hunter2@h.invalid' }, 'baseUrl must be'],
  [{ baseUrl: 'https://h.invalid/?key=hunter2' }, 'baseUrl must be'],
  [{ baseUrl: 'https://h.invalid/#hunter2' }, 'baseUrl must be'],
  [{ baseUrl: 'javascript:hunter2' }, 'baseUrl must be'],
  [{ baseUrl: '/hunter2' }, 'baseUrl must be'],
  [{ baseUrl, accessKey: 'a', bearer: 'hunter2' }, 'both accessKey and bearer'],
  [{ baseUrl, accessKey: '' }, 'accessKey must be'],
])('options refused: %#', (options, message) => {
  const make = () => createManagementClient(options as ClientOptions) // callers without types can pass anything
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
  expect(make).not.toThrow('hunter2')
})

test('a credential that is invalid in a header is refused, and the error does not quote it', async () => {
  const bad = fc.constantFrom('\r\nX-Injected: 1', '\n', '\u0000', ' ', 'ä', '\u007f')
  const text = fc.tuple(fc.constantFrom('', 'hunter2'), bad, fc.string()).map((parts) => parts.join(''))
  const value = fc.oneof(text, fc.constant({ toString: () => 'hunter2' }))
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom('accessKey', 'bearer'), async (key, name) => {
      const make = (credential: unknown) =>
        management(() => Response.json({}), { accessKey: undefined, [name]: credential })
      expect(() => make(key)).toThrow(`${name} must be`)
      expect(() => make(key)).not.toThrow('hunter2')
      const { client, requests } = make(() => key)
      const error = await failure(client.GET(path, { params }))
      expect(error).toMatchObject({ kind: 'credential' })
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('hunter2')
      expect(requests).toEqual([])
    }),
  )
})

test('the request that a wrapper or middleware prints does not show the credential', async () => {
  const { client } = management(() => Response.json({}))
  const seen: string[] = []
  const symbols = (value: object) =>
    JSON.stringify(Object.getOwnPropertySymbols(value).map((key) => Reflect.get(value, key)))
  client.use({
    onResponse: ({ request }) => void seen.push(inspect(request, { showHidden: true, depth: 9 }), symbols(request)),
  })
  await client.GET(path, { params })
  expect(seen).toHaveLength(2)
  expect(seen.join()).not.toContain('key-1')
})

test('by default a call is retried, and each attempt has a time-out; false switches each off, per client and per call', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const attempts = async (options: AnyOptions, own: object = {}) => {
    let sent = 0
    const { client } = management(() => Response.json({}, { status: ++sent < 3 ? 503 : 200 }), options)
    const call = client.GET(path, { params, ...own })
    await vi.runAllTimersAsync()
    await call
    return sent
  }
  expect(await attempts({ retry: undefined })).toBe(3)
  expect(await attempts({ retry: false })).toBe(1)
  expect(await attempts({ retry: undefined }, { retry: false })).toBe(1)
  expect(await attempts({ retry: false }, { retry: { attempts: 2 } })).toBe(2)
  expect(await attempts({ wrap: [withRetry()] }, { retry: false })).toBe(1)

  const ends = async (options: AnyOptions, own: object = {}) => {
    const silent = () => new Promise<Response>((resolve) => setTimeout(() => resolve(Response.json({})), 90_000))
    const call = management(silent, options).client.GET(path, { params, ...own })
    const ended = failure(call)
    await vi.runAllTimersAsync()
    return Object(await ended).message
  }
  expect(await ends({})).toMatch(/took longer than 60000 ms$/)
  expect(await ends({ timeout: 500 })).toMatch(/took longer than 500 ms$/)
  expect(await ends({}, { timeout: 700 })).toMatch(/took longer than 700 ms$/)
  expect(await ends({ timeout: false })).toBeUndefined()
  expect(await ends({}, { timeout: false })).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  [{ retry: 'yes' }, 'retry must be an object of options, or false'],
  [{ timeout: -1 }, 'timeout must be milliseconds above 0, or false'],
])('a wrong option is refused: %j', async (options, sentence) => {
  expect(() => management(() => Response.json({}), options)).toThrow(new TypeError(sentence))
  const call = management(() => Response.json({})).client.GET(path, { params, ...(options as object) })
  await expect(call).rejects.toThrow(new TypeError(sentence))
})

test.each([
  [{ timeOut: 5000 }, 'A call has no option timeOut; use timeout'],
  [{ timeoutMs: 5000 }, 'A call has no option timeoutMs; use timeout'],
  [{ retries: 3 }, 'A call has no option retries; use retry'],
  [{ query: { page: 1 } }, 'A call has no option query; use params.query'],
  [{ retry: { attempt: 3 } }, 'retry has no option attempt; use attempts'],
  [{ retry: { times: 3 } }, 'retry has no option times; it has attempts, firstPauseMs, maxPauseMs, random, sleep'],
  [{ baseUrl: 'https://u:hunter2@h.invalid' }, 'baseUrl must be'],
  [{ baseUrl: 'data:text/plain,hunter2' }, 'baseUrl must be'],
  [{ headers: { 'x-a': '\u2028' } }, ''],
  [{ body: {} }, ''], // a GET has no body
])('a mistake in a call is a TypeError, and nothing is sent: %j', async (options, message) => {
  const { client, requests } = management(() => Response.json({}), { retry: {} })
  const error = await failure(client.GET(path, { params, ...(options as object) }))
  expect(error).toBeInstanceOf(TypeError)
  expect(Object(error).message).toContain(message)
  expect(Object(error).message).not.toContain('hunter2')
  expect(requests).toEqual([])
})

test.each([
  [{ apiKey: 'k' }, 'A client has no option apiKey; use accessKey'],
  [{ baseURL: 'https://h.invalid' }, 'A client has no option baseURL; use baseUrl'],
  [{ accessKey: null }, 'accessKey must be'],
  [{ fetch: 'x' }, 'fetch must be a function'],
  [{ maxBodyBytes: -1 }, 'maxBodyBytes must be'],
])('a mistake in the options of a client is a TypeError: %j', (options, message) => {
  expect(() => createManagementClient(options as ClientOptions)).toThrow(message)
})

test('a mistake in a query of a reader is a TypeError', () => {
  const client = createLoggingClient()
  const range = { pullZoneId: 1, from: 0, to: 1 }
  expect(() => readLogs(client, { ...range, cachestatus: 'HIT' } as LogsQuery)).toThrow(
    /no option cachestatus; use cacheStatus/,
  )
  expect(() => readLogFile(client, { pullZoneId: 1, date: 0, order: 'asc' } as LogFileQuery)).toThrow(
    /no option order; it has /,
  )
})

test('a port that the runtime blocks is named as the reason, once', async () => {
  const client = createManagementClient({ baseUrl: 'http://127.0.0.1:1' })
  await expect(client.GET(path, { params })).rejects.toThrow('got no response (bad port)')
})

test('the message of an error without a body is the description in the contract', async () => {
  const { client } = management(() => new Response(null, { status: 404 }))
  await expect(unwrap(client.GET(path, { params }))).rejects.toThrow(
    'was answered 404: The resource with the requested ID does not exist.',
  )
})

test('a body can be read in each way, even if the status text has a control character', async () => {
  const odd = () => Object.defineProperty(Response.json({ Id: 1 }), 'statusText', { value: 'O\u001bK' })
  const { client } = management(odd)
  for (const parseAs of ['json', 'text', 'blob', 'arrayBuffer', 'stream'] as const)
    expect((await client.GET(path, { params, parseAs })).data).toBeDefined()
})

test('a body that is read as a stream has no time-out by default', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { client } = management(() => Response.json({ Id: 1 }))
  const { data } = await client.GET(path, { params, parseAs: 'stream' })
  expect(vi.getTimerCount()).toBe(0)
  expect(await new Response(data).text()).toBe('{"Id":1}')
})

test('the user agent names the package and its version, unless the caller sets it', async () => {
  const { client, requests } = management(() => Response.json({}))
  await client.GET(path, { params })
  await client.GET(path, { params, headers: { 'User-Agent': 'shop/1' } })
  const { version } = manifest
  expect(requests.map(({ headers }) => headers.get('User-Agent'))).toEqual([`cdn-api/${version}`, 'shop/1'])
})

test('debug prints one line per attempt, without secrets', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line))
  onTestFinished(() => void vi.restoreAllMocks())
  const responses = [new Response('', { status: 503 }), new TypeError('fetch failed'), Response.json({})]
  const retry = { sleep: async () => {} }
  const options = { debug: true, retry, accessKey: 'CANARY-key-1' }
  const { client } = management(() => responses.shift() ?? new Error('too many'), options)
  await client.GET('/pullzone', { params: { query: { search: 'CANARY' } } })
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    'GET /pullzone at management.invalid: 503 after N ms',
    'GET /pullzone at management.invalid: TransportError after N ms',
    'GET /pullzone at management.invalid: 200 after N ms',
  ])
})

test('the fetch of the package undici works', async () => {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...request.headers, text }))
  })
  onTestFinished(() => void server.close())
  const client = createManagementClient({
    baseUrl: await listen(server),
    accessKey: 'key-of-8',
    fetch: undici.fetch as unknown as typeof fetch, // its types are those of other versions
  })
  const { data } = await client.POST('/pullzone/{id}/addAllowedReferrer', { params, body: { Hostname: 'a.example' } })
  expect(data).toMatchObject({ accesskey: 'key-of-8', text: '{"Hostname":"a.example"}' })
  server.closeAllConnections()
})

test('fetch receives the dispatcher of requestInitExt, also without the option Request', async () => {
  const sent: unknown[] = []
  const fetch = async (...[, init]: Parameters<typeof globalThis.fetch>) => {
    sent.push(Object(init).dispatcher)
    return Response.json([])
  }
  const dispatcher = {}
  await createManagementClient({ fetch, requestInitExt: { dispatcher } }).GET('/pullzone')
  expect(sent).toEqual([dispatcher])
})
