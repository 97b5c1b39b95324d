import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'
import type { SinkConfigOf } from '../../src/config/config.ts'
import { startProxy } from './faulty-proxy.ts'
import { memoryPlace } from './worker-bundle.ts'

export type S3Store = Awaited<ReturnType<typeof startS3>>

interface S3rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/**
 * Starts s3rver behind a server that adds missing features, and a proxy that injects faults. If an object exists, a PUT with
 * `If-None-Match: *` is answered by 412 (`conditional`). A body whose digest differs from the signed one is rejected. Listings are
 * split into pages and groups, because s3rver's own tokens need a removed cipher, and its groups omit folders.
 *
 * @param conditional false for a store that ignores If-None-Match
 * @param pageSize maximum number of objects per page of a listing
 */
export async function startS3({ conditional = true, pageSize = 1000 } = {}) {
  const Server: new (options: object) => S3rver = createRequire(import.meta.url)('s3rver')
  const directory = await mkdtemp(join(memoryPlace, 'exporter-s3-'))
  const bucket = 'logs'
  const store = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await store.run()
  /** Accesses the store without the proxy: `GET`, `PUT` or `DELETE` of a key. */
  const raw = (method: string, key: string, body?: Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/${bucket}/${key}`, { method, headers, ...(body && { body: Buffer.from(body) }) })

  /** The sorted keys with a prefix. s3rver's own listing reads the metadata of each object. */
  function keys(prefix: string): string[] {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const path = join(directory, bucket, folder)
    const names = existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []
    return names
      .filter((name) => name.endsWith(objectEnd))
      .map((name) => folder + name.replaceAll('\\', '/').slice(0, -objectEnd.length))
      .filter((key) => key.startsWith(prefix))
      .sort()
  }

  const locks = new Map<string, Promise<unknown>>()
  /** Runs `act` alone for a key, so that concurrent writers create an object atomically. */
  async function alone<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (locks.get(key) ?? Promise.resolve()).then(act, act)
    locks.set(key, turn)
    return turn
  }

  const server = createServer((incoming, answer) => void serve(incoming, answer).catch(() => incoming.socket.destroy()))
  async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', headers, url = '' } = incoming
    const { pathname, searchParams } = new URL(url, 'http://store')
    const body = await buffer(incoming)
    if (headers['x-amz-content-sha256'] !== hash('sha256', body))
      return refuse(answer, 400, 'XAmzContentSHA256Mismatch')
    if (searchParams.has('list-type'))
      return void answer.end(page(keys(searchParams.get('prefix') ?? ''), searchParams, pageSize))
    await alone(pathname, async () => {
      if (conditional && method === 'PUT' && headers['if-none-match'] === '*') {
        const key = decodeURIComponent(pathname.slice(bucket.length + 2))
        if ((await raw('HEAD', key)).ok) return refuse(answer, 412, 'PreconditionFailed')
      }
      const upstream = request({ host: '127.0.0.1', port, method, path: url, headers })
      upstream.end(body)
      const [reply] = (await once(upstream, 'response')) as [IncomingMessage] // the event has one value
      answer.writeHead(reply.statusCode ?? 500, reply.headers)
      answer.end(await buffer(reply))
    })
  }
  const proxy = await startProxy(await listen(server))
  return Object.assign(proxy, {
    ...{ endpoint: proxy.url, bucket, region: 'us-east-1', raw },
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    keys,
    async stop() {
      proxy.close()
      server.closeAllConnections()
      server.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  })
}

/** The configuration of a sink in a store, and the environment with its secrets. */
export function s3Sink({ endpoint, bucket, region, credentials }: S3Store, changes: Partial<SinkConfigOf<'s3'>> = {}) {
  const config: SinkConfigOf<'s3'> = {
    ...{ type: 's3', endpoint, bucket, region, prefix: '', format: 'ndjson', compression: 'zstd' },
    credentials: { accessKeyId: { env: 'S3_KEY' }, secretAccessKey: { env: 'S3_SECRET' } },
    ...changes,
  }
  return { config, env: { S3_KEY: credentials.accessKeyId, S3_SECRET: credentials.secretAccessKey } }
}

/** End of the file that has the content of an object. */
const objectEnd = '._S3rver_object'

/** A page of ListObjectsV2. @param keys sorted */
function page(keys: readonly string[], query: URLSearchParams, pageSize: number): string {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')]
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const entries = new Map<string, string>()
  for (const key of keys) {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) + 1 : 0
    const name = end > 0 ? key.slice(0, end) : key
    if (name <= after) continue
    const escaped = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    if (end > 0) entries.set(name, `<CommonPrefixes><Prefix>${escaped}</Prefix></CommonPrefixes>`)
    else entries.set(name, `<Contents><Key>${escaped}</Key></Contents>`)
  }
  const shown = [...entries.keys()].slice(0, pageSize)
  const next = entries.size > shown.length ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : ''
  const truncated = `<IsTruncated>${next !== ''}</IsTruncated>${next}`
  return `<ListBucketResult>${truncated}${shown.map((name) => entries.get(name)).join('')}</ListBucketResult>`
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { 'content-type': 'application/xml' })
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>test</Message></Error>`)
}
