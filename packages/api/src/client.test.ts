import { expect, test } from 'vitest'
import { fakeFetch } from '../tests/fake-fetch.ts'
import { contracts } from './contract/index.ts'
import {
  type ClientOptions,
  createLoggingClient,
  createManagementClient,
  LoggingError,
  ManagementError,
  TransportError,
} from './index.ts'

const baseUrl = 'https://management.invalid'
type Answer = Parameters<typeof fakeFetch>[0]

function management(answer: Answer, options: Partial<ClientOptions> = {}) {
  const { fetch, requests } = fakeFetch(answer)
  return {
    client: createManagementClient({ baseUrl, accessKey: 'key-1', fetch, ...options } as ClientOptions),
    requests,
  }
}
const zone = (answer: Answer) => management(answer).client.GET('/pullzone/{id}', { params: { path: { id: 1 } } })

test('a request: method, path, body and the key in the header of the contract', async () => {
  const { client, requests } = management(() => new Response(null, { status: 204 }), {
    baseUrl: new URL(`${baseUrl}/api/`),
  })
  const body = { Hostname: 'a.example' }
  const result = await client.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id: 2n ** 60n } }, body })
  expect(result).toMatchObject({ data: undefined, error: undefined, response: { status: 204 } })
  const [request] = requests
  expect(request?.method).toBe('POST')
  expect(request?.url).toBe(`${baseUrl}/api/pullzone/1152921504606846976/addAllowedReferrer`)
  expect(request?.redirect).toBe('manual')
  expect(request?.headers.get('Content-Type')).toBe('application/json')
  expect(await request?.json()).toEqual(body)
})

test('without a base URL the public platform is called', async () => {
  const called: string[] = []
  const fetch = async (input: RequestInfo | URL) => {
    called.push(new Request(input).url)
    return Response.json({})
  }
  await createManagementClient({ fetch }).GET('/pullzone/{id}', { params: { path: { id: 7 } } })
  await createLoggingClient({ fetch }).GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 7 } } })
  const { management, logging } = contracts
  expect(called).toEqual([`${management.publicUrl}/pullzone/7`, `${logging.publicUrl}/v2/pullzones/7/logs`])
})

test('each scheme of the contract has its header', async () => {
  const headerOf = async (options: Partial<ClientOptions>) => {
    const { client, requests } = management(() => new Response(null, { status: 204 }), options)
    await client.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: 1 } } })
    return requests[0]?.headers
  }
  const [key, bearer] = ['key', 'bearer'].map(
    (kind) => contracts.management.schemes.find((scheme) => scheme.kind === kind)?.header ?? '',
  )
  expect((await headerOf({ accessKey: 'k' }))?.get(key ?? '')).toBe('k')
  const withBearer = await headerOf({ accessKey: undefined, bearer: 'j.w.t' } as Partial<ClientOptions>)
  expect([withBearer?.get(bearer ?? ''), withBearer?.has(key ?? '')]).toEqual(['Bearer j.w.t', false])
  const withNone = await headerOf({ accessKey: undefined } as Partial<ClientOptions>)
  expect([withNone?.has(bearer ?? ''), withNone?.has(key ?? '')]).toEqual([false, false])
})

test('raw bytes are sent as they are', async () => {
  const { client, requests } = management(() => new Response(null, { status: 204 }))
  await client.PUT('/videolibrary/{id}/watermark', {
    params: { path: { id: 1 } },
    body: new Uint8Array([137, 80, 255]),
  })
  expect(requests[0]?.headers.get('Content-Type')).toBe('application/octet-stream')
  expect(new Uint8Array((await requests[0]?.arrayBuffer()) ?? [])).toEqual(new Uint8Array([137, 80, 255]))
})

test('an answer: long ids exactly, unknown fields as they are', async () => {
  const { data } = await zone(() => new Response('{"Id":9007199254740993,"Name":"n","New":[1]}'))
  expect(data).toEqual({ Id: 9007199254740993n, Name: 'n', New: [1] })
})

test.each([
  ['', { errorKey: undefined, field: undefined, reason: undefined, text: '' }],
  [
    '{"ErrorKey":"pullZone.not_found","Field":"Id","Message":"gone"}',
    { errorKey: 'pullZone.not_found', field: 'Id', reason: 'gone' },
  ],
  ['{"ErrorKey":null,"Field":null,"Message":null}', { errorKey: undefined, field: undefined, reason: undefined }],
  ['{"ErrorKey":7,"Message":{}}', { errorKey: undefined, reason: undefined }],
  ['null', { errorKey: undefined, text: 'null' }],
  ['<html>Bad Gateway</html>', { errorKey: undefined, text: '<html>Bad Gateway</html>' }],
  [`<p>${'x'.repeat(100_000)}`, { text: `<p>${'x'.repeat(2045)}` }],
])('management error body %#', async (body, fields) => {
  const { data, error, response } = await zone(() => new Response(body, { status: 404 }))
  expect(data).toBeUndefined()
  expect(error).toBeInstanceOf(ManagementError)
  expect(error).toMatchObject({ name: 'ManagementError', status: 404, operation: 'GET /pullzone/{id}', ...fields })
  expect(response?.status).toBe(404)
})

test.each([
  [
    '{"error":{"code":"rate_limited","message":"slow down","details":["a",1]}}',
    { code: 'rate_limited', reason: 'slow down', details: ['a'] },
  ],
  ['{"error":"not found"}', { code: undefined, reason: 'not found', details: [] }],
  ['{"error":null}', { code: undefined, reason: undefined }],
  ['', { code: undefined, reason: undefined, text: '' }],
])('logging error body %s', async (body, fields) => {
  const { fetch } = fakeFetch(() => new Response(body, { status: 429 }))
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch })
  const { error } = await client.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
  expect(error).toBeInstanceOf(LoggingError)
  expect(error).toMatchObject({ status: 429, ...fields })
})

test('an error is one line', async () => {
  const { error } = await zone(() => Response.json({ Message: 'a\u001b[31m\nb' }, { status: 400 }))
  expect(error?.message).toBe('GET /pullzone/{id} answered 400: a [31m b')
})

test.each([
  ['redirect', () => new Response(null, { status: 302, headers: { Location: 'https://elsewhere.invalid' } }), 302],
  ['redirect', () => new Response(null, { status: 304 }), 304],
  ['redirect', () => Object.defineProperty(Response.json({}), 'redirected', { value: true }), 200],
  [
    'network',
    () => new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
    undefined,
  ],
  ['body', () => new Response('<html>'), 200],
  ['body', () => new Response(''), 200],
  ['body', () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error('cut')) })), 200],
] as [string, () => Response | Error, number | undefined][])(
  'no usable answer: %s %#',
  async (kind, answer, status) => {
    const { data, error } = await zone(answer)
    expect(data).toBeUndefined()
    expect(error).toBeInstanceOf(TransportError)
    expect(error).toMatchObject({ kind, status })
  },
)

test('the cause of a broken connection is kept', async () => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
  const { error } = await zone(() => cause)
  expect(error).toMatchObject({
    cause: { name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNREFUSED' } },
  })
})

test('a redirect is one request, to the configured origin', async () => {
  const { client, requests } = management(() => Response.redirect('https://elsewhere.invalid', 307))
  await client.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: 1 } } })
  expect(requests.map((request) => new URL(request.url).origin)).toEqual([baseUrl])
  // @ts-expect-error a path is one of the contract
  await expect(client.GET('@elsewhere.invalid/', {})).rejects.toThrow(TypeError)
  expect(requests).toHaveLength(1)
})

test('an aborted call is a value too', async () => {
  const { client } = management(() => Response.json({}))
  const { error } = await client.GET('/pullzone/{id}', { params: { path: { id: 1 } }, signal: AbortSignal.abort() })
  expect(error).toMatchObject({ kind: 'aborted' })
})

test('a write may succeed without a body, whatever its 2xx', async () => {
  const { client } = management(() => new Response('', { status: 201 }))
  const options = { params: { path: { id: 1 } }, body: { Hostname: 'a.example' } }
  expect(await client.POST('/pullzone/{id}/addAllowedReferrer', options)).toMatchObject({ error: undefined })
})

test('wrong parameters are refused before anything is sent', async () => {
  const { client, requests } = management(() => Response.json({}))
  await expect(client.GET('/pullzone/{id}', { params: { path: { id: 2 ** 53 } } })).rejects.toThrow(RangeError)
  // @ts-expect-error ids are required
  await expect(client.GET('/pullzone/{id}', {})).rejects.toThrow('Path parameter id is missing')
  // @ts-expect-error ids are numbers
  await expect(client.GET('/pullzone/{id}', { params: { path: { id: '..' } } })).rejects.toThrow(TypeError)
  expect(requests).toHaveLength(0)
})

test.each([
  [{ baseUrl: 'no url' }, 'baseUrl must be'],
  [{ baseUrl: 'file:///tmp' }, 'baseUrl must be'],
  [{ baseUrl: 'https://user:hunter2@h.invalid' }, 'baseUrl must be'],
  [{ baseUrl, accessKey: 'a', bearer: 'hunter2' }, 'both accessKey and bearer'],
  [{ baseUrl, accessKey: '' }, 'accessKey must be'],
  [{ baseUrl, bearer: 'hunter2\n' }, 'bearer must be'],
])('options refused: %#', (options, message) => {
  const make = () => createManagementClient(options as ClientOptions)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
  expect(make).not.toThrow('hunter2')
})
