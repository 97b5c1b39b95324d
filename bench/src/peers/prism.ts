import type { InterfaceName } from '@cdn/api/contract'
import { runCheck, sessionOn } from '@cdn/conformance'
import { type PrismOperations, readPrismOperations, servePrism } from '@cdn/conformance/prism'
import type { Complaints, Peer, Subject } from './peer.ts'
import { neverAborted } from './suite.ts'

/** Prism answers some broken JSON never; the suite must not wait its own time for it. */
const patienceMs = 5_000

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
    management: await readPrismOperations('management', layer),
    logging: await readPrismOperations('logging', layer),
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

async function violations(
  { checks, create }: Subject,
  operations: Readonly<Record<InterfaceName, PrismOperations>>,
): Promise<Complaints> {
  const all = new Set<string>()
  for (const check of checks) {
    const emulator = await create()
    const upstream = await emulator.listen()
    const management = await servePrism(operations.management, upstream.managementUrl)
    const logging = await servePrism(operations.logging, upstream.loggingUrl)
    const watched: typeof fetch = async (input, init) => {
      const request = new Request(input, { ...init, signal: AbortSignal.timeout(patienceMs) })
      const response = await fetch(request)
      const where = `${request.method} ${new URL(request.url).pathname}`
      for (const text of responseViolations(response.headers.get('sl-violations')))
        all.add(general(`${where}: ${text}`))
      return response
    }
    const route = { fetch: watched, management: management.url, logging: logging.url }
    await runCheck(check, { ...sessionOn(emulator), ...route }, { signal: neverAborted })
    await Promise.all([management.close(), logging.close(), upstream.close()])
  }
  return all
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
