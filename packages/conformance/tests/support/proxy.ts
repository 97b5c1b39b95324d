import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { listen } from '@cdn/kit/testing/listen'
import type { SimulatedTime } from './simulated-time.ts'

/** How a proxy changes the traffic. A network in front of a correct platform may do all of this. */
export interface NetworkConditions {
  /** Share of calls that are answered 502 or 503, without being executed. */
  readonly errorShare?: number
  /** Share of calls whose connection is reset, half of them after the call was executed. */
  readonly resetShare?: number
  /** Time after which an idle connection is closed, in ms of the simulated clock. */
  readonly idleMs?: number
  /** Maximum time after a response until a connection without a call is closed, in ms of the real clock. */
  readonly closesWithinMs?: number
  /** Maximum age of the response to a management read, in ms of the simulated clock. By default, each read has another age. */
  readonly staleMs?: number
  /** Whether each read has the maximum age. */
  readonly isSteady?: boolean
  /** Share of calls that take 3 s longer. */
  readonly slowShare?: number
  readonly edit?: (text: string, type: string) => string
  /** Writes a response in an unusual form of HTTP. */
  readonly write?: (outgoing: ServerResponse, response: ProxiedResponse) => Promise<void> | void
}

export interface ProxiedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A proxy in front of both interfaces, as in company networks. */
export interface Proxy {
  readonly management: URL
  readonly logging: URL
  close(): Promise<void>
}

interface ProxyOptions extends NetworkConditions {
  readonly time: SimulatedTime
  readonly seed: number
  readonly accessKey: string
  readonly onRequest?: ((request: IncomingMessage) => void) | undefined
}

const added = {
  'x-generated-at': '2026-01-01T00:00:00Z',
  via: '1.1 proxy',
  'x-request-id': 'f00',
  'x-frame-options': 'DENY',
  'strict-transport-security': 'max-age=1',
}

/** Serves both interfaces on one origin, each under a path prefix, and adds headers. */
export async function startProxy(urls: { management: URL; logging: URL }, options: ProxyOptions): Promise<Proxy> {
  const { time, onRequest, errorShare = 0, resetShare = 0, slowShare = 0, edit, write = writePlain } = options
  const random = mulberry32(options.seed)
  const replicas = createReplicas(options, random)
  const closeLater = createCloser(time, random, options)
  const server = createServer(async (request, outgoing) => {
    closeLater(request.socket, outgoing)
    onRequest?.(request)
    const [, prefix, rest = '/'] = /^\/api\/(management|logs)(\/.*)?$/.exec(String(request.url)) ?? []
    if (prefix === undefined) return void outgoing.writeHead(404).end('no such path')
    // A path may begin with two slashes, which `new URL` takes for a host.
    const base = prefix === 'management' ? urls.management : urls.logging
    const url = new URL(base.origin + rest)
    const method = request.method ?? 'GET'
    const send = await prepare(request, method, url)
    if (random() < slowShare) await time.take(3_000)
    if (random() < errorShare) {
      const status = random() < 0.5 ? 502 : 503
      return void outgoing
        .writeHead(status, { 'content-type': 'text/html', 'retry-after': '1' })
        .end(`<h1>${status}</h1>`)
    }
    const isReset = random() < resetShare
    if (isReset && random() < 0.5) return void request.socket.resetAndDestroy()
    const response = prefix === 'management' ? await replicas(method, url, send) : await send()
    if (isReset) return void request.socket.resetAndDestroy()
    outgoing.sendDate = !('date' in response.headers)
    await write(outgoing, edited(response, edit))
  })
  // Simulated time is slow on a busy machine, and a client must not send on a connection that is being closed.
  server.keepAliveTimeout = 75_000
  const origin = await listen(server)
  return {
    management: new URL(`${origin}/api/management/`),
    logging: new URL(`${origin}/api/logs/`),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads a request, and returns a function that forwards it without the headers of its connection. */
async function prepare(request: IncomingMessage, method: string, url: URL): Promise<() => Promise<ProxiedResponse>> {
  const body = Buffer.concat(await request.toArray())
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
  // No client of these tests repeats a header.
  const init = { method, headers: headers as Record<string, string>, redirect: 'manual' as const }
  return async () => {
    const response = await fetch(url, body.length > 0 ? { ...init, body } : init)
    const {
      'content-encoding': ____,
      'content-length': _____,
      'transfer-encoding': ______,
      ...own
    } = Object.fromEntries(response.headers)
    return { status: response.status, headers: own, body: Buffer.from(await response.arrayBuffer()) }
  }
}

/** Adds headers to a response, and edits the text of a success. */
function edited({ status, headers, body }: ProxiedResponse, edit: NetworkConditions['edit']): ProxiedResponse {
  const text = status === 200 && edit ? edit(body.toString(), String(headers['content-type'])) : undefined
  return { status, headers: { ...headers, ...added }, body: text === undefined ? body : Buffer.from(text) }
}

/** Closes a connection some time after a response, unless the next call has begun by then. */
function createCloser(time: SimulatedTime, random: () => number, { idleMs, closesWithinMs }: NetworkConditions) {
  const calls = new WeakMap<Socket, number>()
  return (socket: Socket, outgoing: ServerResponse) => {
    const call = (calls.get(socket) ?? 0) + 1
    calls.set(socket, call)
    const close = () => calls.get(socket) === call && socket.destroy()
    outgoing.once('finish', () => {
      if (closesWithinMs !== undefined) setTimeout(close, random() * closesWithinMs)
      if (idleMs !== undefined) void time.clock.sleep(idleMs).then(close)
    })
  }
}

/** Answers reads of one resource from copies of different ages, at most `staleMs` old. */
function createReplicas({ time, staleMs = 0, isSteady = false, accessKey }: ProxyOptions, random: () => number) {
  const copies = new Map<string, { until: number; response: ProxiedResponse }[]>()
  return async (method: string, url: URL, send: () => Promise<ProxiedResponse>): Promise<ProxiedResponse> => {
    const [resource = ''] = /\/(pullzone|videolibrary)\/\d+/.exec(url.pathname) ?? []
    if (staleMs === 0 || resource === '') return send()
    const known = copies.get(resource) ?? []
    copies.set(resource, known)
    if (method === 'GET') {
      const response = await send()
      const at = time.clock.now() - (isSteady ? 1 : random()) * staleMs
      // Only a caller who may read the resource gets a copy of it.
      return (response.status === 200 && known.find(({ until }) => until > at)?.response) || response
    }
    const before = await fetch(new URL(resource, url), { headers: { AccessKey: accessKey } })
    const body = Buffer.from(await before.arrayBuffer())
    const response = await send()
    if (before.ok) known.push({ until: time.clock.now(), response: { status: 200, headers: json, body } })
    return response
  }
}

const json = { 'content-type': 'application/json' }

function writePlain(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse): void {
  outgoing.writeHead(status, headers).end(body)
}
