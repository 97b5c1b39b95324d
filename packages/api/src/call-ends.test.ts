/** After each way in which a call can end, nothing of it stays: no timer, no listener on the caller's signal, no open body. */
import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Middleware } from 'openapi-fetch'
import { expect, test } from 'vitest'
import { type AnyOptions, failure, management, params, path } from '../tests/fake-fetch.ts'
import {
  type Clock,
  createLoggingClient,
  type FetchWrapper,
  readLogFile,
  readLogs,
  withIdleTimeout,
  withRetry,
  withTimeout,
} from './index.ts'

const stop = new Error('stop')
const zone = '{"Id":1}'
/** Counts the bodies of `endless`, and how many of them were cancelled. */
const open = { count: 0, cancelled: 0 }
const endless = (status = 200, start = '{"Id":') => {
  open.count++
  const source = {
    start: (one: ReadableStreamDefaultController) => one.enqueue(new TextEncoder().encode(start)),
    cancel: () => void open.cancelled++,
  }
  return new Response(new ReadableStream(source), { status })
}
const broken = () => new Response(new ReadableStream({ pull: (one) => one.error(new TypeError('terminated')) }))
const silent = (request: Request) =>
  new Promise<Response>((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
const like = (body: unknown) => {
  const bytes = new TextEncoder().encode(zone)
  return {
    ok: true,
    status: 200,
    headers: new Headers(),
    url: '',
    body,
    arrayBuffer: async () => bytes.buffer,
  } as unknown as Response
}

interface End {
  readonly respond: (request: Request, n: number) => Response | Error | Promise<Response | Error>
  readonly options?: AnyOptions
  readonly call?: AnyOptions & { middleware?: Middleware[]; parseAs?: string }
  /** When the caller aborts: at a sleep, or as soon as a request was sent. */
  readonly abort?: 'in the pause' | 'once sent' | 'before'
  /** Whether the time limit fires once the request was sent. */
  readonly fires?: true
  /** What the caller does with the result. */
  readonly use?: (data: ReadableStream) => Promise<unknown>
}

const ok = () => new Response(zone)
const busy = () => endless(503)
const unavailable = () => new Response('{}', { status: 503 })
const throwing = (): never => {
  throw stop
}
const inWrapper: FetchWrapper =
  (fetch) =>
  async (...request) => {
    await fetch(...request)
    throw stop
  }

const ends: Readonly<Record<string, End>> = {
  'a success': { respond: ok },
  'a success with an idle limit': { respond: ok, options: { idleTimeout: 1000 } },
  'no body': { respond: () => new Response(null, { status: 204 }) },
  'a body of length 0': { respond: () => new Response('', { headers: { 'content-length': '0' } }) },
  'an error': { respond: () => new Response(zone, { status: 404 }) },
  'an error without a body': { respond: () => new Response(null, { status: 404 }) },
  'an error that never ends, cut': { respond: () => endless(404, 'x'.repeat(70_000)) },
  'a success that is not JSON': { respond: () => new Response('<') },
  'a body that breaks': { respond: broken },
  'a body that is too long': { respond: () => endless(200, zone.repeat(100)), options: { maxBodyBytes: 100 } },
  'a redirect': { respond: () => new Response('', { status: 302 }) },
  'a refused connection': { respond: refused },
  'the last of several failures': {
    respond: (_, n) => (n < 2 ? busy() : unavailable()),
    options: { retry: { attempts: 3 } },
  },
  'a success after failures': { respond: (_, n) => (n < 2 ? busy() : ok()), options: { retry: {} } },
  'a renewed credential': {
    respond: (_, n) => (n === 0 ? endless(401) : ok()),
    options: { accessKey: () => `key-${Math.random()}` },
  },
  'a failed credential': { respond: ok, options: { accessKey: throwing } },
  'an abort before the call': { respond: ok, abort: 'before' },
  'an abort while the platform is silent': { respond: silent, abort: 'once sent' },
  'an abort in the pause of a retry': { respond: busy, options: { retry: {} }, abort: 'in the pause' },
  'an abort while the body arrives': { respond: () => endless(), abort: 'once sent' },
  'a time-out': { respond: silent, fires: true },
  'a time-out while the body arrives': { respond: () => endless(), fires: true },
  'an idle time-out': { respond: silent, options: { timeout: false, idleTimeout: 1000 }, fires: true },
  'a time-out of all attempts': {
    respond: busy,
    options: { retry: {}, wrap: [withTimeout(1e6)] },
    abort: 'in the pause',
  },
  'a time-out while the error of a stream arrives': {
    respond: () => endless(404),
    call: { parseAs: 'stream' },
    fires: true,
  },
  'a middleware that throws at the request': { respond: ok, call: { middleware: [{ onRequest: throwing }] } },
  'a middleware that throws at the response': {
    respond: () => endless(),
    call: { middleware: [{ onResponse: throwing }] },
  },
  'a middleware that responds': { respond: ok, call: { middleware: [{ onRequest: () => Response.json({}) }] } },
  'a middleware that replaces the request': {
    respond: ok,
    call: { middleware: [{ onRequest: ({ request }) => new Request(request, { headers: { a: 'b' } }) }] },
  },
  'a wrapper that throws after the response': { respond: () => endless(), options: { wrap: [inWrapper] } },
  'a wrapper that throws outside of withIdleTimeout': {
    respond: () => endless(),
    options: { wrap: [inWrapper, withRetry(), withIdleTimeout(1e6)] },
  },
  'a body that is a stream of Node': { respond: () => like(Readable.from([Buffer.from(zone)])) },
  'a runtime without streams': { respond: () => like(undefined) },
  'a stream that is read': {
    respond: ok,
    call: { parseAs: 'stream', idleTimeout: 1000 },
    use: (data) => new Response(data).text(),
  },
  'a stream that is cancelled': {
    respond: () => endless(),
    call: { parseAs: 'stream', idleTimeout: 1000 },
    use: (data) => data.cancel(),
  },
  'a mistake of the caller': { respond: ok, call: { headers: { 'x-a': '\u2028' } } },
}

/** A clock that knows its timers, and calls `onSleep` instead of waiting. */
function knownClock(onSleep: () => void) {
  const timers = new Set<() => void>()
  let now = 0
  const clock: Clock = {
    now: () => now,
    async sleep(_ms, signal) {
      onSleep()
      signal?.throwIfAborted()
    },
    timer(fire) {
      timers.add(fire)
      return () => timers.delete(fire)
    },
  }
  /** Fires the first timer, after a long time. */
  const fire = () => {
    now += 1e9
    for (const first of [...timers].slice(0, 1)) {
      timers.delete(first)
      first()
    }
  }
  return { clock, timers, fire }
}

test.each(Object.entries(ends))(
  'after %s, nothing of the call stays',
  async (_name, { respond, options, call, abort, fires, use }) => {
    const controller = new AbortController()
    const { signal } = controller
    if (abort === 'before') controller.abort(stop)
    const { clock, timers, fire } = knownClock(() => abort === 'in the pause' && controller.abort(stop))
    let sent = 0
    const answer = async (request: Request) => {
      const response = await respond(request, sent++)
      return response
    }
    Object.assign(open, { count: 0, cancelled: 0 })
    const { client } = management(answer, { clock, ...options })
    const ended = client.GET(path, { params, signal, ...(call as object) }).catch((error: unknown) => error)
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    if (abort === 'once sent') controller.abort(stop)
    if (fires) fire()
    const { data } = Object(await ended)
    await use?.(data)
    await setImmediate()
    expect(timers.size).toBe(0)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(open.cancelled).toBe(open.count)
  },
)

test('a stream that nobody reads keeps no timer beyond its idle limit', async () => {
  const { clock, timers, fire } = knownClock(() => {})
  const { client } = management(() => endless(), { clock, idleTimeout: 1000 })
  const { data } = await client.GET(path, { params, parseAs: 'stream' })
  fire()
  expect(timers.size).toBe(0)
  const read = data?.getReader().read()
  await setImmediate()
  expect(timers.size).toBe(1)
  await read
})

test('an abort ends a stream at once, although it has no time limit but an idle limit', async () => {
  const controller = new AbortController()
  const { client } = management(() => endless(), { clock: knownClock(() => {}).clock, idleTimeout: 1000 })
  const { data } = await client.GET(path, { params, parseAs: 'stream', signal: controller.signal })
  const reader = data?.getReader()
  await reader?.read()
  const rest = failure(Promise.resolve(reader?.read()))
  controller.abort(stop)
  expect(await Promise.race([rest, setImmediate('still open')])).toBe(stop)
})

test.each([
  [
    'readLogs',
    (client: ReturnType<typeof createLoggingClient>, signal: AbortSignal) =>
      readLogs(client, { pullZoneId: 1, from: 0, to: 1000, signal }),
  ],
  [
    'readLogFile',
    (client: ReturnType<typeof createLoggingClient>, signal: AbortSignal) =>
      readLogFile(client, { pullZoneId: 1, date: 0, signal }),
  ],
] as const)('%s, aborted in the pause of a retry', async (_name, read) => {
  const controller = new AbortController()
  const { clock, timers } = knownClock(() => controller.abort(stop))
  Object.assign(open, { count: 0, cancelled: 0 })
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch: async () => unavailable(), clock })
  expect(await failure(read(client, controller.signal).next())).toBe(stop)
  await setImmediate()
  expect([timers.size, getEventListeners(controller.signal, 'abort').length, open.cancelled]).toEqual([
    0,
    0,
    open.count,
  ])
})

test('a clone of a response that nobody reads stops neither a retry nor a renewal', async () => {
  const clones: Response[] = []
  for (const [status, options] of [
    [503, { retry: { sleep: async () => {} } }],
    [401, { accessKey: () => `key-${Math.random()}` }],
  ] as const) {
    let sent = 0
    const answer = () => {
      const response = sent++ === 0 ? new Response('{}', { status }) : ok()
      clones.push(response.clone())
      return response
    }
    expect((await management(answer, options).client.GET(path, { params })).data).toEqual({ Id: 1 })
  }
})
