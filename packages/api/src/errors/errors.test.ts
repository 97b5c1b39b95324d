import { expect, test } from 'vitest'
import { type AnyOptions, failure, getZone, management, params, path } from '../../tests/fake-fetch.ts'
import { ApiError, createManagementClient, isApiError, TransportError, unwrap } from '../index.ts'

test.each([
  [
    '{"ErrorKey":"pullZone.not_found","Field":"Id","Message":"gone"}',
    'pullZone.not_found',
    ': pullZone.not_found: (Id) gone',
  ],
  ['{"ErrorKey":null,"Field":null,"Message":null}', undefined, ''],
  ['{"ErrorKey":7,"Message":{}}', undefined, ''],
  [
    '{"error":{"code":"rate_limited","message":"slow down","details":["a",1]}}',
    'rate_limited',
    ': rate_limited: slow down a',
  ],
  [
    '{"error":{"code":"invalid_request","message":"too old","details":["too old"]}}',
    'invalid_request',
    ': invalid_request: too old',
  ],
  ['{"error":"not found"}', undefined, ': not found'],
  ['{"error":null}', undefined, ''],
  ['null', undefined, ': The resource with the requested ID does not exist.'],
  ['[1]', undefined, ''],
  ['<html>Bad Gateway</html>', undefined, ''],
])('a call with an error response resolves, and unwrap throws an ApiError: %s', async (body, code, sentence) => {
  const call = () => getZone(() => new Response(body, { status: 404 }))
  const { data, error, response } = await call()
  expect(data).toBeUndefined()
  expect(response.status).toBe(404)
  expect(error).toEqual(body.startsWith('<') ? body : (JSON.parse(body) ?? {}))
  const thrown = await failure(unwrap(call()))
  expect(thrown).toBeInstanceOf(ApiError)
  expect(isApiError(thrown)).toBe(true)
  const message = `GET /pullzone/{id} at management.invalid was answered 404${sentence}`
  expect(thrown).toMatchObject({ name: 'ApiError', status: 404, code, operation: `GET ${path}`, message })
  expect(Object(thrown).body).toEqual(body === 'null' ? undefined : error)
})

test.each([
  ['no body', () => new Response(null, { status: 401 })],
  ['an empty body', () => new Response('', { status: 401 })],
  ['a stated length of 0', () => new Response('', { status: 401, headers: { 'Content-Length': '0' } })],
])('an error with %s still resolves as an error', async (_name, respond) => {
  const { error } = await getZone(respond)
  expect(error).toEqual({})
  expect(await failure(unwrap(getZone(respond)))).toMatchObject({ status: 401, code: undefined, body: undefined })
})

test('the headers of an error response are those of the server, also if the body is redacted', async () => {
  const body = JSON.stringify({ Message: 'Bearer hunter2 für é' })
  const length = String(new TextEncoder().encode(body).length)
  const headers = { 'Content-Length': length, 'Content-Type': 'application/json' }
  const { error, response } = await getZone(() => new Response(body, { status: 400, headers }))
  expect(error).toEqual({ Message: 'Bearer [redacted] für é' })
  expect(response.headers.get('Content-Length')).toBe(length)
})

test('the message of an error is one line, with the request id if the response has one', async () => {
  const respond = () =>
    Response.json({ Message: 'a\u001b[31m\nb' }, { status: 400, headers: { 'CDN-RequestId': 'r1' } })
  const thrown = await failure(unwrap(getZone(respond)))
  expect(thrown).toMatchObject({ requestId: 'r1', message: expect.stringMatching(/answered 400: a \[31m b$/) })
  expect(JSON.parse(JSON.stringify(thrown))).toMatchObject({ name: 'ApiError', status: 400, requestId: 'r1' })
})

test.each<[string, () => Response | Error, number | undefined]>([
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
  ['body', () => new Response('{"Id":'), 200],
  ['body', () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error('cut')) })), 200],
])('an unusable response rejects with a TransportError: %s %#', async (kind, respond, status) => {
  const error = await failure(getZone(respond))
  expect(error).toBeInstanceOf(TransportError)
  expect(error).toMatchObject({ kind, status, host: 'management.invalid' })
})

test.each(['text', 'blob', 'arrayBuffer'] as const)('a truncated body also rejects as %s', async (parseAs) => {
  const body = () => new ReadableStream({ start: (controller) => controller.error(new Error('cut')) })
  const { client } = management(() => new Response(body()))
  expect(await failure(client.GET(path, { params, parseAs }))).toMatchObject({ name: 'TransportError', kind: 'body' })
})

test('the cause of a broken connection is kept, and the message includes its code', async () => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
  expect(await failure(getZone(() => cause))).toMatchObject({
    message: 'GET /pullzone/{id} at management.invalid got no response (ECONNREFUSED)',
    cause: { name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNREFUSED' } },
  })
})

test.each([401, 403])('the message of a %d says if no credential is configured', async (status) => {
  const refusal = async (options: AnyOptions) =>
    Object(await failure(unwrap(management(() => Response.json({}, { status }), options).client.GET(path, { params }))))
      .message
  expect(await refusal({ accessKey: undefined })).toMatch(/answered 40[13] \(no credential is configured\)/)
  expect(await refusal({})).not.toContain('no credential')
  expect(await refusal({ accessKey: undefined, headers: { AccessKey: 'own' } })).not.toContain('no credential')
})

test('the redaction of a short credential changes neither other words nor the code of the error', async () => {
  const body = { ErrorKey: 'pullzone.key_invalid', Message: 'the key took too long' }
  const { client } = management(() => Response.json(body, { status: 400 }), { accessKey: 'key' })
  const thrown = await failure(unwrap(client.GET(path, { params })))
  expect(thrown).toMatchObject({ code: 'pullzone.key_invalid', body })
})

/** A response as Node's fetch delivers it: with any status of three digits, and any status text. */
function oddResponse(status: number, statusText = ''): Response {
  const response = Response.json({ Id: 1 })
  const isOk = status >= 200 && status < 300
  return Object.defineProperties(response, {
    status: { value: status },
    statusText: { value: statusText },
    ok: { value: isOk },
  })
}

test('each status from 100 to 999, and odd status texts, give data, an ApiError or a TransportError', async () => {
  for (let status = 100; status <= 999; status++) {
    const { client } = management(() => oddResponse(status, '\u001b[2J\u0100'))
    const thrown = await failure(unwrap(client.GET(path, { params })))
    const name =
      status >= 200 && status < 300 ? undefined : status >= 400 && status < 600 ? 'ApiError' : 'TransportError'
    expect([status, Object(thrown).name]).toEqual([status, name])
    for (const parseAs of ['text', 'stream'] as const)
      expect(await failure(unwrap(client.GET(path, { params, parseAs })))).not.toBeInstanceOf(RangeError)
  }
})

test('a port that fetch refuses is named as the cause', async () => {
  const call = createManagementClient({ baseUrl: 'http://127.0.0.1:1', retry: false }).GET('/pullzone')
  await expect(call).rejects.toMatchObject({ kind: 'network', cause: { cause: { message: 'bad port' } } })
})
