import { createServer } from 'node:http'
import {
  createLimiter,
  createLoggingClient,
  createManagementClient,
  type ObservedCall,
  readLogFile,
  readLogs,
  unwrap,
  withObserver,
  withRetry,
  withTimeout,
} from '@cdn/api'
import { createEmulator, type FaultName, faultTable } from '@cdn/emulator'
import { attacksOf, describeAttacks, errorOf, leakedSecrets, spellings } from '@cdn/kit/testing/attack'
import { collect } from '@cdn/kit/testing/collect'
import { listen } from '@cdn/kit/testing/listen'
import { hourMs } from '@cdn/kit/time'
import { expect } from 'vitest'

const canary = 'CANARY/key+1=='
const path = '/pullzone/{id}'
const noWait = async () => {}

/** Origins of a server that answers with one status and location, and of a server that no client should call. */
let platformOrigin: string
let thiefOrigin: string
let answer: { status: number; headers: Record<string, string> }
const received: string[] = []
const stolen: string[] = []

async function openServers(): Promise<() => void> {
  const platform = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`)
    response.writeHead(answer.status, answer.headers).end()
  })
  const thief = createServer((request, response) => {
    stolen.push(String(request.url))
    response.end('{}')
  })
  platformOrigin = await listen(platform)
  thiefOrigin = await listen(thief)
  return () => {
    for (const server of [platform, thief]) server.close().closeAllConnections()
  }
}

const locations: Readonly<Record<string, () => string>> = {
  'another origin': () => `${thiefOrigin}/`,
  'another origin without a scheme': () => `${thiefOrigin.slice('http:'.length)}/`,
  'another origin behind a user name': () => thiefOrigin.replace('//', '//management.invalid:80@'),
  'another origin with backslashes': () => thiefOrigin.slice('http:'.length).replace('//', '\\\\'),
  'the same origin': () => '/pullzone/2',
  'a data URL': () => 'data:application/json,{"Id":1}',
}
const redirects = [300, 301, 302, 303, 305, 307, 308, 399].flatMap((status) =>
  Object.entries(locations).flatMap(([where, location]) =>
    (['GET', 'POST'] as const).map((method) => ({
      name: `${method}, ${status} to ${where}`,
      status,
      location,
      method,
    })),
  ),
)

async function redirect({ status, location, method }: (typeof redirects)[number]): Promise<void> {
  answer = { status, headers: { location: location() } }
  received.length = 0
  const client = createManagementClient({ baseUrl: platformOrigin, accessKey: canary })
  const params = { path: { id: 1 } }
  const error = await errorOf(() =>
    method === 'GET'
      ? client.GET(path, { params, redirect: 'follow' })
      : client.POST('/pullzone/{id}/addAllowedReferrer', { params, body: { Hostname: 'a.example' } }),
  )
  expect(error).toMatchObject({ name: 'TransportError', kind: 'redirect', status })
  expect(leakedSecrets(spellings(error), ['CANARY'])).toEqual([])
  expect([received.length, stolen]).toEqual([1, []])
}

function clientOf(respond: (request: Request) => Response | Error, options: object = { accessKey: canary }) {
  const requests: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    requests.push(request)
    const result = respond(request)
    if (result instanceof Error) throw result
    return result
  }
  const management = createManagementClient({ baseUrl: 'https://api.example.com', fetch, retry: false, ...options })
  return { management, requests, fetch }
}

const emptyZone = () => Response.json({ Id: 1 })

const foreignOrigins = [
  'https://elsewhere.example',
  'https://api.example.com.evil.test',
  'https://api.example.com@evil.test',
  'https://api.example.com:444',
  'http://api.example.com',
  'https://api.example.com%2eevil.test',
  'https://xapi.example.com',
  'https://api-example.com',
  'https://example.com',
  '//evil.test',
]

async function changeOrigin(origin: string): Promise<void> {
  for (const change of [
    { baseUrl: origin },
    { middleware: [{ onRequest: () => new Request(new URL('/x', origin)) }] },
  ]) {
    const { management, requests } = clientOf(emptyZone)
    // An invalid URL is refused; then nothing is sent.
    await errorOf(() => management.GET(path, { params: { path: { id: 1 } }, ...change }))
    expect(requests.map(({ headers }) => headers.get('AccessKey'))).not.toContain(canary)
  }
}

const visitor = 'CANARY3'
const sent = ({ headers }: Request) => headers.get('AccessKey') ?? headers.get('Authorization')?.slice(7) ?? ''
const echo = (request: Request) =>
  [
    ...[...request.headers].map(([name, value]) => `${name}: ${value}`),
    encodeURIComponent(sent(request)),
    sent(request),
    'Basic CANARY4',
    `{"authorizationHeader":"${visitor}"}`,
  ].join('\n')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const entities = (text: string) => text.replaceAll(/[^a-z\d]/gi, (one) => `&#${one.charCodeAt(0)};`)
const escapes = (text: string) =>
  text.replaceAll(/[^a-z\d]/gi, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

const echoes: Readonly<Record<string, (request: Request) => Response | Error>> = {
  'an error page repeats the request': (request) => new Response(echo(request), { status: 502 }),
  'a management error repeats the key': (request) =>
    Response.json({ ErrorKey: echo(request), Field: sent(request), Message: sent(request) }, { status: 400 }),
  'a logging error repeats the key': (request) =>
    Response.json(
      { error: { code: sent(request), message: echo(request), details: [sent(request)] } },
      { status: 400 },
    ),
  'a success that is not JSON repeats the request': (request) =>
    new Response(`{"data":[{"authorizationHeader":"${visitor}"}],${echo(request)}`),
  'the key stands where the text is cut': (request) =>
    new Response(`${'x'.repeat(2040)}${sent(request)}`, { status: 500 }),
  'the key stands where the body is cut': (request) =>
    new Response(`${'x'.repeat(65_530)}${sent(request)}`, { status: 500 }),
  'a row is cut in its credential': () => new Response(`{"data":[{"authorizationHeader":"${visitor}`),
  'a broken connection repeats the request': (request) =>
    new TypeError(echo(request), {
      cause: Object.assign(new Error(echo(request)), { headers: { key: sent(request) }, code: sent(request) }),
    }),
  'a redirect repeats the request': (request) =>
    new Response(null, {
      status: 302,
      headers: { Location: `https://x.invalid/?${encodeURIComponent(echo(request))}` },
    }),
  'a page for another zone repeats the request': (request) =>
    Response.json({ data: [{ authorizationHeader: visitor }], text: echo(request) }),
  'the status text and the request id repeat the key': (request) =>
    new Response('', { status: 400, statusText: sent(request), headers: { 'CDN-RequestId': sent(request) } }),
  'the key in base64': (request) => Response.json({ Message: base64(sent(request)) }, { status: 400 }),
  'a header with the key in base64': (request) =>
    Response.json({ Message: base64(`AccessKey: ${sent(request)}`) }, { status: 400 }),
  'the key in HTML entities': (request) => new Response(`<p>${entities(sent(request))}</p>`, { status: 502 }),
  'the key with JSON escapes': (request) => new Response(`{"Message":"${escapes(sent(request))}`, { status: 502 }),
  'the key percent-encoded twice': (request) =>
    new Response(encodeURIComponent(encodeURIComponent(sent(request))), { status: 502 }),
}
/** Texts that reveal a secret, in each encoding. In base64, the letters depend on the position of the secret. */
const pieces = [canary, 'CANARY.jwt.2'].flatMap((secret) => [
  base64(secret).slice(0, 12),
  base64(`AccessKey: ${secret}`).slice(16, 28),
  entities(secret),
  escapes(secret),
])

async function echoBack(respond: (request: Request) => Response | Error): Promise<void> {
  for (const credentials of [{ accessKey: canary }, { bearer: 'CANARY.jwt.2' }]) {
    const { management, fetch } = clientOf(respond, credentials)
    const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, retry: false, ...credentials })
    const zone = () => management.GET(path, { params: { path: { id: 1 } } })
    const page = () => logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
    const shown = (call: Promise<{ error?: unknown }>) => call.then(({ error }) => error).catch(() => undefined)
    const failures = [
      await errorOf(() => unwrap(zone())),
      await shown(zone()),
      await errorOf(() => unwrap(page())),
      await shown(page()),
      await errorOf(() => collect(readLogs(logging, { pullZoneId: 1, from: 0, to: 1000, retry: { sleep: noWait } }))),
      await errorOf(() => collect(readLogFile(logging, { pullZoneId: 1, date: 0, retry: { sleep: noWait } }))),
    ].filter(Boolean)
    const text = failures.map((failure) => `${spellings(failure)}${spellings(Object(failure).cause)}`).join('\n')
    expect(failures.length).toBeGreaterThan(0)
    expect(leakedSecrets(text, ['CANAR', ...pieces])).toEqual([])
  }
}

/** Calls a platform with a fault, and searches the observers, results and errors of every call for the credential. */
async function watch(name: FaultName): Promise<void> {
  const emulator = await createEmulator()
  const { fixtures, managementUrl, loggingUrl, clock } = emulator
  const { accessKey, bearer } = fixtures.credentials
  emulator.faults.add(name)
  const outputs: unknown[] = []
  const origins = new Set<string>()
  const fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init)
    origins.add(new URL(request.url).origin)
    return emulator.fetch(request)
  }
  const tell = (call: ObservedCall, more?: unknown) => outputs.push(call, more)
  const events = { request: tell, response: tell, retry: tell, wait: tell }
  const wrap = [withObserver(events), withRetry({ attempts: 2, sleep: noWait }), withObserver(events), withTimeout(20)]
  const limiter = createLimiter({ requests: 1e6 })
  for (const credential of [{ accessKey }, { bearer }]) {
    const management = createManagementClient({ baseUrl: managementUrl, fetch, wrap, ...credential })
    const logging = createLoggingClient({ baseUrl: loggingUrl, fetch, wrap, limiter, ...credential })
    const params = { path: { id: BigInt(fixtures.zoneId) } }
    const library = { path: { id: BigInt(fixtures.libraryId) } }
    for (const call of [
      () => management.GET(path, { params }),
      () => management.POST('/pullzone/{id}/addAllowedReferrer', { params, body: { Hostname: 'canary.example' } }),
      () => management.DELETE('/videolibrary/{id}/watermark', { params: library }),
    ]) {
      outputs.push(await call().catch((error: unknown) => error))
      outputs.push(await unwrap<unknown>(call()).catch((error: unknown) => error))
    }
    const to = clock.now().getTime()
    const common = { pullZoneId: BigInt(fixtures.loggedZoneId), idleTimeout: 20, retry: { sleep: noWait } }
    for (const rows of [
      readLogs(logging, { ...common, from: to - hourMs, to, pageSize: 20 }),
      readLogFile(logging, { ...common, date: clock.now() }),
    ])
      outputs.push(
        await errorOf(async () => {
          for await (const _row of rows) clock.advance(1000)
        }),
      )
  }
  const text = outputs.map(spellings).join('\n')
  expect(outputs.length).toBeGreaterThan(10)
  expect(leakedSecrets(text, [accessKey, bearer])).toEqual([])
  expect([...origins].sort()).toEqual([managementUrl.origin, loggingUrl.origin].sort())
}

/** Attacks on the credentials of the client library. */
describeAttacks([
  {
    name: 'client: redirects',
    holds: 'no second request is sent, and no credential reaches another server or the error',
    open: openServers,
    attacks: redirects.map((row) => ({ name: row.name, run: () => redirect(row) })),
  },
  {
    name: 'client: foreign origins',
    holds: 'the credential is sent only to the origin of the base URL',
    attacks: attacksOf(foreignOrigins, changeOrigin),
  },
  {
    name: 'client: echoes of the credential',
    holds: 'no error contains a credential, in any encoding',
    attacks: attacksOf(echoes, echoBack),
  },
  {
    name: 'client: faults of the platform',
    holds: 'no credential in errors and events, or at another origin',
    // The keys of the table are the names.
    attacks: attacksOf(Object.keys(faultTable) as FaultName[], watch),
  },
])
