import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'
import { startProxy } from './faulty-proxy.ts'

interface StoredObject {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Starts a stand-in for Google Cloud Storage behind a proxy that injects faults. It follows the reference of the XML API (PUT with
 * `x-goog-if-generation-match`, GET, HEAD) and of the JSON API (list), and issues tokens as the Security Token Service does.
 */
export async function startGoogle({ pageSize = 1_000 } = {}) {
  const bucket = 'logs'
  const objects = new Map<string, StoredObject>()
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://store')
    const bytes = await buffer(incoming)
    if (pathname === '/token') {
      const token = { access_token: 'canary-token', expires_in: 3600, token_type: 'Bearer', issued_token_type: 'a' }
      return void outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(token))
    }
    if (incoming.headers.authorization !== 'Bearer canary-token') return void outgoing.writeHead(401).end()
    if (pathname === `/storage/v1/b/${bucket}/o`)
      return void outgoing.end(JSON.stringify(listing(objects, searchParams, pageSize)))
    const key = decodeURIComponent(pathname.slice(bucket.length + 2))
    if (!pathname.startsWith(`/${bucket}/`)) return void outgoing.writeHead(404).end()
    const found = objects.get(key)
    if (incoming.method === 'PUT') {
      if (found && incoming.headers['x-goog-if-generation-match'] === '0') return void outgoing.writeHead(412).end()
      const kept = Object.entries(incoming.headers).filter(([name]) => /^x-goog-meta-|^content-type$/.test(name))
      const headers = { ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])) }
      objects.set(key, { bytes, headers: { ...headers, 'x-goog-generation': String(Date.now()) } })
      return void outgoing.writeHead(200, { 'x-goog-generation': '1' }).end()
    }
    if (!found) return void outgoing.writeHead(404).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? '') ?? []
    const part = from === undefined ? found.bytes : found.bytes.subarray(Number(from), Number(to) + 1)
    outgoing.writeHead(from === undefined ? 200 : 206, { ...found.headers, 'content-length': part.length })
    outgoing.end(incoming.method === 'HEAD' ? undefined : part)
  }
  const proxy = await startProxy(await listen(server))
  return Object.assign(proxy, {
    ...{ endpoint: proxy.url, bucket, objects },
    /** Credentials of a workload identity, whose tokens the stand-in issues. @param file with the token of the machine */
    credentials: (file: string) =>
      JSON.stringify({
        type: 'external_account',
        audience: 'test',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${proxy.url}/token`,
        credential_source: { file },
      }),
    async stop() {
      proxy.close()
      server.closeAllConnections()
      server.close()
    },
  })
}

/** A page of `objects.list`. */
function listing(objects: ReadonlyMap<string, StoredObject>, query: URLSearchParams, pageSize: number) {
  const [prefix, delimiter, token] = [query.get('prefix') ?? '', query.get('delimiter'), query.get('pageToken') ?? '']
  const names = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter ? key.indexOf(delimiter, prefix.length) + 1 : 0
      return end > 0 ? key.slice(0, end) : key
    })
  const rest = [...new Set(names)].sort().filter((name) => name > token)
  const shown = rest.slice(0, pageSize)
  return {
    kind: 'storage#objects',
    prefixes: shown.filter((name) => delimiter && name.endsWith(delimiter)),
    items: shown.filter((name) => !delimiter || !name.endsWith(delimiter)).map((name) => ({ name })),
    ...(rest.length > shown.length && { nextPageToken: shown.at(-1) }),
  }
}
