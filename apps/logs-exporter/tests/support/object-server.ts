import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'
import { startProxy } from './faulty-proxy.ts'

export interface StoredObject {
  readonly bytes: Buffer
  /** The headers that an answer with the object has. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ObjectRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A page of a listing: keys, and folders that end with the delimiter. */
export interface ListedPage {
  readonly folders: readonly string[]
  readonly keys: readonly string[]
  readonly next: string | undefined
}

/** How the interface of a product differs from the others. */
interface Dialect {
  /** Answers a request that is refused, or that is not about one object. */
  answer(request: ObjectRequest, list: (prefix: string, delimiter: string, token: string) => ListedPage): Answer
  /** Whether a PUT fails if the object exists. */
  isConditional(headers: IncomingHttpHeaders): boolean
  /** Headers of a PUT that are stored with the object. */
  readonly kept: RegExp
  /** Headers of every answer about an object. */
  readonly proof: Readonly<Record<string, string>>
}

type Answer = { readonly status: number; readonly text: string } | undefined

export const bucket = 'logs'

/** Starts an object store in memory, behind a proxy that injects faults. @param pageSize maximum number of names per page of a listing */
export async function startObjectStore({ answer, isConditional, kept, proof }: Dialect, pageSize: number) {
  const objects = new Map<string, StoredObject>()
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))

  function list(prefix: string, delimiter: string, token: string): ListedPage {
    const names = [...objects.keys()].flatMap((key) => {
      const end = delimiter ? key.indexOf(delimiter, prefix.length) + 1 : 0
      return key.startsWith(prefix) ? [end > 0 ? key.slice(0, end) : key] : []
    })
    const rest = [...new Set(names)].sort().filter((name) => name > token)
    const [shown, isFolder] = [rest.slice(0, pageSize), (name: string) => delimiter !== '' && name.endsWith(delimiter)]
    return {
      folders: shown.filter(isFolder),
      keys: shown.filter((name) => !isFolder(name)),
      next: rest.length > shown.length ? shown.at(-1) : undefined,
    }
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming
    const url = new URL(incoming.url ?? '', 'http://store')
    const body = await buffer(incoming)
    const other = answer({ method, url, headers, body }, list)
    if (other) return void outgoing.writeHead(other.status).end(other.text)
    const key = decodeURIComponent(url.pathname.slice(bucket.length + 2))
    const object = objects.get(key)
    if (method === 'PUT') {
      if (object && isConditional(headers)) return void outgoing.writeHead(412).end()
      const named = Object.entries(headers).filter(([name]) => kept.test(name))
      objects.set(key, {
        bytes: body,
        headers: Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
      })
      return void outgoing.writeHead(200, proof).end()
    }
    if (!object || !url.pathname.startsWith(`/${bucket}/`)) return void outgoing.writeHead(404).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const part = from === undefined ? object.bytes : object.bytes.subarray(Number(from), Number(to) + 1)
    outgoing.writeHead(from === undefined ? 200 : 206, { ...object.headers, ...proof, 'content-length': part.length })
    outgoing.end(method === 'HEAD' ? undefined : part)
  }
  const proxy = await startProxy(await listen(server))
  return Object.assign(proxy, {
    ...{ endpoint: proxy.url, bucket, objects },
    async stop() {
      proxy.close()
      server.closeAllConnections()
      server.close()
    },
  })
}
