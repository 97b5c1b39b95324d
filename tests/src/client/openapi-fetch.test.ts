/**
 * Runs what callers do with openapi-fetch, once with this client and once with openapi-fetch itself. The results are equal, or better
 * as the README states under "Limits". The types of the calls are tested in `packages/api/src/types.test.ts`.
 */
import { readFileSync } from 'node:fs'
import { createManagementClient, type ManagementPaths } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import createClient, { type Client, type Middleware, wrapAsPathBasedClient } from 'openapi-fetch'
import { expect, test } from 'vitest'

const emulator = await createEmulator()
const { fixtures, managementUrl } = emulator
const AccessKey = fixtures.credentials.accessKey
const zone = { params: { path: { id: fixtures.ids.zoneId } } }
const readme = readFileSync(new URL('../../../packages/api/README.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')

// Both clients are called with the types of openapi-fetch, because the types of our client are narrower.
type Caller = Client<ManagementPaths>
type Run = (client: Caller, fetch: (request: Request) => Promise<Response>) => unknown

interface TestClient {
  readonly client: Caller
  readonly fetch: (request: Request) => Promise<Response>
  readonly sent: object[]
}

/** Creates a client whose requests are recorded, without the headers in which the clients differ on purpose. */
function createTestClient(isOwn: boolean, options: object): TestClient {
  const sent: object[] = []
  const fetch = async (request: Request) => {
    const headers = Object.fromEntries(
      [...request.headers].filter(([name]) => !['accept', 'user-agent', 'accesskey'].includes(name)),
    )
    const type = headers['content-type']?.replace(/boundary=.*/, 'boundary')
    const body = (await request.clone().text()).replaceAll(/-{4,}\S+/g, 'boundary')
    sent.push({
      url: request.url,
      method: request.method,
      headers: { ...headers, ...(type && { 'content-type': type }) },
      body,
    })
    return emulator.fetch(request)
  }
  const all = { baseUrl: managementUrl.href, fetch, ...options }
  const bare = () => createClient<ManagementPaths>({ headers: { AccessKey }, ...all })
  const client = isOwn ? createManagementClient({ accessKey: AccessKey, retry: false, ...all }) : bare()
  return { client, fetch, sent }
}

/** What a caller sees: the result without the Response itself, or the kind of error. */
async function outcome(run: Run, isOwn: boolean, options: object) {
  const { client, fetch, sent } = createTestClient(isOwn, options)
  const result = await Promise.resolve()
    .then(() => run(client, fetch))
    .catch((error: Error) => ({ thrown: error.name }))
  const { response, ...rest } = Object(result)
  return { sent, result: response instanceof Response ? { ...rest, status: response.status } : result }
}

const get = (more: object = {}) =>
  ((client) => client.GET('/pullzone/{id}', { ...zone, ...more } as never)) satisfies Run
const list = (query: object) => ((client) => client.GET('/pullzone', { params: { query } } as never)) satisfies Run
const post = (body: unknown, more: object = {}) =>
  ((client) => client.POST('/pullzone/{id}/addAllowedReferrer', { ...zone, body, ...more } as never)) satisfies Run
const using = (middleware: Middleware, more: object = {}) =>
  ((client) => {
    client.use(middleware)
    return get(more)(client)
  }) satisfies Run
const form = () => {
  const fields = new FormData()
  fields.append('Hostname', 'a.example')
  return fields
}
const url = async (request: Request) =>
  Response.json({ url: request.url, credential: request.headers.has('accesskey') })

const same: Readonly<Record<string, Run | readonly [Run, object]>> = {
  'GET with a parameter': get(),
  'a list': list({ search: 'zone' }),
  'POST with a body': post({ Hostname: 'a.example' }),
  'a body of null': post(null),
  'PUT with bytes': (client) =>
    client.PUT('/videolibrary/{id}/watermark', {
      params: { path: { id: fixtures.ids.libraryId } },
      body: new Blob(['png']),
      bodySerializer: (body) => body,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  'DELETE without a body': (client) =>
    client.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: fixtures.ids.libraryId } } }),
  HEAD: [(client) => client.HEAD('/pullzone' as never), { fetch: async () => new Response(null) }],
  OPTIONS: (client) => client.OPTIONS('/pullzone' as never),
  'request()': (client) => client.request('get', '/pullzone/{id}', zone),
  'a destructured method': ({ GET }) => GET('/pullzone/{id}', zone),
  'the path-based client': (client) => wrapAsPathBasedClient(client)['/pullzone/{id}'].GET(zone),
  'parseAs text': get({ parseAs: 'text' }),
  'parseAs blob': async (client) => {
    const { data } = await client.GET('/pullzone/{id}', { ...zone, parseAs: 'blob' })
    return [data?.type, await data?.text()]
  },
  'parseAs arrayBuffer': get({ parseAs: 'arrayBuffer' }),
  'parseAs stream': async (client) =>
    new Response((await client.GET('/pullzone/{id}', { ...zone, parseAs: 'stream' })).data).text(),
  'parseAs bytes': get({ parseAs: 'bytes' }),
  'baseUrl per call': get({ baseUrl: `${managementUrl.href}base/` }),
  'null and undefined in a query': list({ search: undefined, page: null }),
  'a list in a query': list({ search: ['a', 'b'] }),
  'reserved characters in a query': list({ search: 'a&b=c d/é' }),
  'headers per call': get({ headers: { 'x-a': 'b' } }),
  'params.header': get({ params: { ...zone.params, header: { 'x-a': 'b' } } }),
  'a header that is removed': get({ headers: { 'x-a': null } }),
  'headers of the client': [get(), { headers: { AccessKey, 'x-a': 'b' } }],
  'another media type of a body': post(
    { Hostname: 'a.example' },
    { headers: { 'content-type': 'application/merge-patch+json' } },
  ),
  'FormData as a body': post(form()),
  'an object with the media type of a form': post(
    { Hostname: 'a b' },
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ),
  'a fetch per call': get({ fetch: url }),
  'a fetch of the client gets a Request': [
    get(),
    { fetch: async (request: Request) => Response.json({ url: request.url }) },
  ],
  'a query serializer per call': (client) =>
    client.GET('/pullzone', {
      params: { query: { search: 'a' } },
      querySerializer: ({ search }: { search: string }) => `q=${search}`,
    } as never),
  'options of the query serializer per call': (client) =>
    client.GET('/pullzone', {
      params: { query: { search: ['a', 'b'] } },
      querySerializer: { array: { style: 'pipeDelimited', explode: false } },
    } as never),
  'a body serializer per call': post(
    { Hostname: 'a.example' },
    { bodySerializer: (body: object) => `x${JSON.stringify(body)}` },
  ),
  'a path serializer per call': get({
    pathSerializer: (path: string) => path.replace('{id}', String(fixtures.ids.zoneId)),
  }),
  'a query serializer of the client': [list({ search: 'a' }), { querySerializer: () => 'b=1' }],
  'options of the query serializer of the client': [
    list({ search: ['a', 'b'] }),
    { querySerializer: { array: { style: 'form', explode: false } } },
  ],
  'a body serializer of the client': [
    post({ Hostname: 'a.example' }),
    { bodySerializer: () => '{"Hostname":"b.example"}' },
  ],
  'a path serializer of the client': [
    get(),
    { pathSerializer: (path: string) => path.replace('{id}', String(fixtures.ids.zoneId)) },
  ],
  'a Request class of the client': [get(), { Request: class extends Request {} }],
  'use: a middleware sees the request and the path': async (client) => {
    const events: unknown[] = []
    client.use({
      onRequest: ({ request, schemaPath, params, id }) =>
        void events.push(request.method, request.url, schemaPath, params.path, typeof id),
      onResponse: ({ response }) => void events.push(response.status),
    })
    await client.GET('/pullzone/{id}', zone)
    return events
  },
  'the order of middlewares': async (client) => {
    const order: string[] = []
    const named = (name: string): Middleware => ({
      onRequest: () => void order.push(`> ${name}`),
      onResponse: () => void order.push(`< ${name}`),
    })
    client.use(named('a'), named('b'))
    await client.GET('/pullzone/{id}', { ...zone, middleware: [named('c')] })
    return order
  },
  eject: async (client) => {
    const events: string[] = []
    const one: Middleware = { onRequest: () => void events.push('seen') }
    client.use(one)
    client.eject(one)
    await client.GET('/pullzone/{id}', zone)
    return events
  },
  'a middleware replaces the request': using({
    onRequest({ request }) {
      const headers = new Headers(request.headers)
      headers.set('AccessKey', AccessKey)
      return new Request(request, { headers })
    },
  }),
  'a middleware changes a header': using({ onRequest: ({ request }) => void request.headers.set('x-a', 'b') }),
  'a middleware responds': using({ onRequest: () => Response.json({ Id: 7 }) }),
  'a middleware replaces the response': using({ onResponse: () => Response.json({ Id: 7 }, { status: 201 }) }),
  'a middleware turns an error into a response': [
    using({ onError: () => Response.json({ Id: 7 }) }),
    { fetch: async () => Promise.reject(new TypeError('fetch failed')) },
  ],
  'a middleware replaces an error': [
    using({ onError: () => new RangeError('other') }),
    { fetch: async () => Promise.reject(new TypeError('fetch failed')) },
  ],
  'a middleware with an invalid return': using({ onRequest: () => 'x' as never }),
  'an invalid middleware': (client) => client.use({} as never),
  'an error with a body': (client) =>
    client.POST('/pullzone/{id}/addAllowedReferrer', { ...zone, body: { Hostname: '' } }),
  'an aborted call': get({
    signal: AbortSignal.abort(new RangeError('stop')),
    fetch: async ({ signal }: Request) => signal.throwIfAborted(),
  }),
  'a body on GET': get({ body: {} }),
  'an invalid header': get({ headers: { 'x-a': '\u2028' } }),
}

test.each(Object.entries(same))('the same: %s', async (_name, use) => {
  const [run, options] = typeof use === 'function' ? [use, {}] : use
  const own = await outcome(run, true, options)
  expect(own).toEqual(await outcome(run, false, options))
})

/** The result of our client, the result of openapi-fetch, and the words of the README about the difference. */
const better: Readonly<
  Record<string, readonly [use: Run | readonly [Run, object], own: unknown, bare: unknown, words: string]>
> = {
  'an error without a body': [
    [get(), { fetch: async () => new Response(null, { status: 404 }) }],
    { error: {}, status: 404 },
    { error: '', status: 404 },
    '`{}` if the response has no body',
  ],
  'a success that is not JSON': [
    [get(), { fetch: async () => new Response('<') }],
    { thrown: 'TransportError' },
    { thrown: 'SyntaxError' },
    'a `TransportError` of kind `body`',
  ],
  'an object as a query parameter': [
    list({ search: { a: 1 } }),
    { thrown: 'TypeError' },
    expect.anything(),
    'an object as a query parameter',
  ],
  'a slash in a path parameter': [
    get({ params: { path: { id: 'a/b' } } }),
    { thrown: 'TypeError' },
    expect.anything(),
    'a path parameter that is empty, `.` or `..`, or has a slash',
  ],
  'an unsafe integer': [
    get({ params: { path: { id: 2 ** 53 } } }),
    { thrown: 'RangeError' },
    expect.anything(),
    'a number beyond 2^53',
  ],
  'URLSearchParams as a body': [
    post(new URLSearchParams({ a: 'b' }), {
      fetch: async (request: Request) => Response.json([request.headers.get('content-type'), await request.text()]),
    }),
    { data: ['application/x-www-form-urlencoded', 'a=b'], status: 200 },
    { data: ['application/json', '{}'], status: 200 },
    '`FormData`, `URLSearchParams`, bytes and streams are sent as they are',
  ],
  'a misspelt option': [get({ timeOut: 5 }), { thrown: 'TypeError' }, expect.anything(), 'refuses misspelled options'],
  'the base URL of a call with a password': [
    get({ baseUrl: 'http://u:p@127.0.0.1' }),
    { thrown: 'TypeError' },
    { thrown: 'TypeError' },
    '`baseUrl`, of the client or of a call, with credentials',
  ],
  'what a middleware sees of the credential': [
    async (client) => {
      let hasKey: boolean | undefined
      client.use({
        onRequest({ request }) {
          hasKey = request.headers.has('AccessKey')
        },
      })
      await client.GET('/pullzone/{id}', zone)
      return hasKey
    },
    false,
    true,
    'no credential',
  ],
  'what a middleware sees of parseAs': [
    async (client) => {
      let parseAs: string | undefined
      client.use({
        onRequest({ options }) {
          parseAs = options.parseAs
        },
      })
      await client.GET('/pullzone/{id}', zone)
      return parseAs
    },
    'stream',
    'json',
    "`parseAs: 'stream'`",
  ],
  'a redirect': [
    [get(), { fetch: async () => new Response(null, { status: 302, headers: { location: '/' } }) }],
    { thrown: 'TransportError' },
    expect.anything(),
    'refuses redirects',
  ],
}

test.each(Object.entries(better))('better, and in the README: %s', async (_name, [use, own, bare, words]) => {
  const [run, options] = typeof use === 'function' ? [use, {}] : use
  expect((await outcome(run, true, options)).result).toEqual(own)
  expect((await outcome(run, false, options)).result).toEqual(bare)
  expect(readme.includes(words), words).toBe(true)
})
