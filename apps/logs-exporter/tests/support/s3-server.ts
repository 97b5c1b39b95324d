import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Faults of a request to the store. */
export type S3Fault =
  /** The connection is cut before the store receives the request. */
  | 'cut-before'
  /** The connection is cut after half of the body; the store receives nothing. */
  | 'cut-body'
  /** The store performs the request, but the answer is lost. */
  | 'lose-answer'
  /** Half of the answer's body arrives. */
  | 'cut-answer'
  /** The body arrives changed, which the store detects by its digest. */
  | 'garbled'
  /** The listing lags behind and is empty. */
  | 'empty-listing'
  /** A proxy answers with its own page and status 200. */
  | 'page'
  /** The listing is truncated, but has no continuation token. */
  | 'no-token'
  | 'unavailable'
  | 'forbidden'

/** A request to the store. */
export interface S3Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly bytes: number
}

export interface S3Store {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly seen: S3Seen[]
  /** Selects the fault of each request. If undefined, the request is forwarded. */
  fault: (seen: S3Seen) => S3Fault | undefined
  /** Accesses the store without the proxy: `GET`, `PUT` or `DELETE` of a key. */
  raw(method: string, key: string, body?: Uint8Array, headers?: Record<string, string>): Promise<Response>
  /** The sorted keys with a prefix, without the proxy. */
  keys(prefix: string): Promise<string[]>
  stop(): Promise<void>
}

interface S3rver {
  readonly store: {
    listObjects(
      bucket: string,
      options: object,
    ): Promise<{ objects: { readonly key: string; readonly size: number }[] }>
  }
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** s3rver reads many small files for each request, so a disk in memory is faster. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/**
 * Starts s3rver behind a proxy that adds missing features. If an object exists, the proxy answers a PUT with `If-None-Match: *` by
 * 412 (`conditional`). It rejects a body whose digest differs from the signed one, and injects faults. It also splits listings into
 * pages and groups, because s3rver's own tokens need a removed cipher, and its groups omit folders.
 *
 * @param conditional false for a store that ignores If-None-Match
 * @param pageSize maximum number of objects per page of a listing
 */
export async function startS3({ conditional = true, pageSize = 1000 } = {}): Promise<S3Store> {
  const Server: new (options: object) => S3rver = createRequire(import.meta.url)('s3rver')
  const directory = await mkdtemp(join(place, 'exporter-s3-'))
  const bucket = 'logs'
  const store = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await store.run()
  const raw: S3Store['raw'] = (method, key, body, headers = {}) =>
    fetch(`http://127.0.0.1:${port}/${bucket}/${key}`, { method, headers, ...(body && { body: Buffer.from(body) }) })

  const locks = new Map<string, Promise<unknown>>()
  /** Runs `act` alone for a key, so that concurrent writers create an object atomically. */
  async function alone<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (locks.get(key) ?? Promise.resolve()).then(act, act)
    locks.set(key, turn)
    return turn
  }

  const proxy = createServer((incoming, answer) => void serve(incoming, answer).catch(() => incoming.socket.destroy()))
  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming
    // The AWS library adds the operation's name to the query as `x-id`. Real S3 stores ignore that parameter.
    const url = incoming.url?.replace(/[?&]x-id=\w+$/, '') ?? ''
    const one: S3Seen = { method, path: url, headers, bytes: Number(headers['content-length'] ?? 0) }
    self.seen.push(one)
    const fault = self.fault(one)
    if (fault === 'cut-before' || (fault === 'cut-body' && one.bytes === 0)) return void incoming.socket.destroy()
    if (fault === 'cut-body') return void incoming.once('data', () => incoming.socket.destroy())
    const body = await bytesOf(incoming)
    if (fault === 'unavailable') return refuse(answer, 503, 'SlowDown')
    if (fault === 'page') return void answer.end('<html>Please wait</html>')
    if (fault === 'no-token') {
      return void answer.end('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>')
    }
    if (fault === 'forbidden') return refuse(answer, 403, 'AccessDenied')
    if (fault === 'garbled') body[0] = (body[0] ?? 0) ^ 1
    if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) {
      return refuse(answer, 400, 'XAmzContentSHA256Mismatch')
    }
    const { searchParams } = new URL(url, 'http://store')
    if (searchParams.has('list-type')) {
      const { objects } = await store.store.listObjects(bucket, { prefix: searchParams.get('prefix'), maxKeys: 1e9 })
      const listing = page(fault === 'empty-listing' ? [] : objects, searchParams, pageSize)
      if (fault !== 'cut-answer') return void answer.end(listing)
      return void answer.write(listing.slice(0, listing.length / 2), () => incoming.socket.destroy())
    }
    await alone(url, async () => {
      if (conditional && method === 'PUT' && headers['if-none-match'] === '*') {
        const key = decodeURIComponent(url.slice(bucket.length + 2))
        if ((await raw('HEAD', key)).ok) return refuse(answer, 412, 'PreconditionFailed')
      }
      const upstream = request({ host: '127.0.0.1', port, method, path: incoming.url, headers })
      upstream.end(body)
      const [reply] = (await once(upstream, 'response')) as [IncomingMessage] // the event has one value
      const content = await bytesOf(reply)
      if (fault === 'lose-answer') return void incoming.socket.destroy()
      answer.writeHead(reply.statusCode ?? 500, reply.headers)
      if (fault === 'cut-answer')
        return void answer.write(content.subarray(0, content.length / 2), () => incoming.socket.destroy())
      answer.end(content)
    })
  }
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const self: S3Store = {
    endpoint: `http://127.0.0.1:${address.port}`,
    bucket,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    seen: [],
    fault: () => undefined,
    raw,
    async keys(prefix) {
      const { objects } = await store.store.listObjects(bucket, { prefix, maxKeys: 1e9 })
      return objects.map(({ key }) => key).sort()
    },
    async stop() {
      proxy.closeAllConnections()
      proxy.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return self
}

/** A page of ListObjectsV2. */
function page(
  objects: { readonly key: string; readonly size: number }[],
  query: URLSearchParams,
  pageSize: number,
): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')]
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const entries = new Map<string, string>()
  for (const { key, size } of objects.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) + 1 : 0
    const name = end > 0 ? key.slice(0, end) : key
    if (name <= after) continue
    const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    if (end > 0) entries.set(name, `<CommonPrefixes><Prefix>${escaped}</Prefix></CommonPrefixes>`)
    else entries.set(name, `<Contents><Key>${escaped}</Key><Size>${size}</Size></Contents>`)
  }
  const shown = [...entries.keys()].slice(0, pageSize)
  const next = entries.size > shown.length ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : ''
  const truncated = `<IsTruncated>${next !== ''}</IsTruncated>${next}`
  return `<ListBucketResult>${truncated}${shown.map((name) => entries.get(name)).join('')}</ListBucketResult>`
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece)
  return Buffer.concat(pieces)
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml' })
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>test</Message></Error>`)
}
