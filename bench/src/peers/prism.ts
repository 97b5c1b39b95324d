import { contracts, type InterfaceName } from '@cdn/api/contract'
import { runCheck } from '@cdn/conformance'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'
import type { Complaints, Peer, Subject } from './peer.ts'
import { neverAborted, sessionOf } from './suite.ts'

/** Prism answers some broken JSON never; the suite must not wait its own time for it. */
const patienceMs = 5_000

type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/**
 * Prism as a validating proxy in front of the server, under the requests of the suite's checks; it complains by what it
 * says of an answer.
 *
 * It runs without its `--errors`: with it, Prism itself refuses each request that breaks the contract on purpose, such as
 * one without credentials, and the server's answer to it would never be judged. What it says of requests is left out for
 * the same reason. Both are in its favour.
 */
export async function createPrism(layer: Peer['layer']): Promise<Peer> {
  const operations = {
    management: await read('management', layer),
    logging: await read('logging', layer),
  }
  return {
    name: 'Prism proxy',
    layer,
    async examine(subjects) {
      const all: Complaints[] = []
      for (const subject of subjects) all.push(await violations(subject, operations))
      return all
    },
  }
}

/** Prism resolves references in place, so it gets a copy. */
function read(name: InterfaceName, layer: Peer['layer']): Promise<Operations> {
  return getHttpOperationsFromSpec(structuredClone(contracts[name].openapi[layer]))
}

async function violations(
  { checks, create }: Subject,
  operations: Readonly<Record<InterfaceName, Operations>>,
): Promise<Complaints> {
  const all = new Set<string>()
  for (const check of checks) {
    const emulator = await create()
    const upstream = await emulator.listen()
    const management = await proxy(operations.management, upstream.managementUrl)
    const logging = await proxy(operations.logging, upstream.loggingUrl)
    const watched: typeof fetch = async (input, init) => {
      const request = new Request(input, { ...init, signal: AbortSignal.timeout(patienceMs) })
      const response = await fetch(request)
      const where = `${request.method} ${new URL(request.url).pathname}`
      for (const text of responseViolations(response.headers.get('sl-violations')))
        all.add(general(`${where}: ${text}`))
      return response
    }
    const route = { fetch: watched, management: management.url, logging: logging.url }
    await runCheck(check, sessionOf(emulator, route), { signal: neverAborted })
    await Promise.all([management.close(), logging.close(), upstream.close()])
  }
  return all
}

async function proxy(operations: Operations, upstream: URL): Promise<{ url: URL; close(): Promise<void> }> {
  const server = createServer(operations, {
    cors: false,
    components: { logger: createLogger('peers', { level: 'silent' }) },
    config: {
      isProxy: true,
      upstream,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
  })
  const url = new URL(await server.listen(0, '127.0.0.1'))
  return { url, close: () => server.close() }
}

/** What the header says of the answer; it is cut where it grew too long, so it cannot be parsed as a whole. */
function responseViolations(header: string | null): string[] {
  const found = header?.matchAll(
    /"location":\["response"([^\]]*)\],"severity":"Error"[^{}]*?"message":"((?:[^"\\]|\\.)*)"/g,
  )
  return [...(found ?? [])].map(([, place = '', message = '']) => `${place} ${message}`)
}

/** Numbers, such as an index or an id, make no other complaint. */
function general(text: string): string {
  return text.replace(/\d+/g, '#')
}
