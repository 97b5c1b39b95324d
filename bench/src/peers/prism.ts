import { runCheck, sessionOn } from '@cdn/conformance'
import { type PrismOperations, proxyWithPrism, readWithPrism } from '../prism.ts'
import type { Complaints, Peer, Subject } from './peer.ts'
import { neverAborted } from './suite.ts'

/** Time-out of a request, because Prism never responds to some invalid JSON. */
const timeoutMs = 5_000

/**
 * Runs the suite's checks through Prism, which is a validating proxy in front of the server. Its complaints are the violations
 * that Prism reports for responses.
 *
 * Prism runs without `--errors`. With `--errors`, Prism would refuse intentionally invalid requests, such as one without
 * credentials, and would never validate the server's responses to them. Violations of requests are ignored, because such requests
 * are intentional. Both choices favour Prism.
 */
export async function createPrism(layer: Peer['layer']): Promise<Peer> {
  const operations = {
    management: await readWithPrism('management', layer),
    logging: await readWithPrism('logging', layer),
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
  operations: Readonly<Record<'management' | 'logging', PrismOperations>>,
): Promise<Complaints> {
  const all = new Set<string>()
  for (const check of checks) {
    const emulator = await create()
    const upstream = await emulator.listen()
    const management = await proxyWithPrism(operations.management, upstream.managementUrl)
    const logging = await proxyWithPrism(operations.logging, upstream.loggingUrl)
    const watched: typeof fetch = async (input, init) => {
      const request = new Request(input, { ...init, signal: AbortSignal.timeout(timeoutMs) })
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

/** Returns the violations of the response from the header. Prism truncates long headers, so the value may be invalid JSON. */
function responseViolations(header: string | null): string[] {
  const matches = header?.matchAll(
    /"location":\["response"([^\]]*)\],"severity":"Error"[^{}]*?"message":"((?:[^"\\]|\\.)*)"/g,
  )
  return [...(matches ?? [])].map(([, place, message]) => `${place} ${message}`)
}

/** Replaces numbers, such as an index or an id, because they do not distinguish kinds of problems. */
function general(text: string): string {
  return text.replace(/\d+/g, '#')
}
