import { setTimeout as sleep } from 'node:timers/promises'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'

import type { Target } from './target.ts'

/** Ids that any mock accepts: it keeps no state, so nothing exists and nothing is absent. */
const fixtures = {
  libraryId: '1',
  zoneId: '1',
  loggedZoneId: '1',
  credentials: { accessKey: 'any-key', bearer: 'any-token' },
}

/** Prism on both full contracts, in process; the same that `pnpm mock` starts by its command line. */
export async function createMockTarget(): Promise<Target> {
  const management = await serve('management')
  const logging = await serve('logging')
  return {
    kind: 'mock',
    open: async () => ({
      fetch,
      management: management.url,
      logging: logging.url,
      fixtures,
      virtualClock: false,
      now: () => new Date(),
      wait: (ms) => sleep(ms),
      close: async () => {},
    }),
    close: async () => {
      await Promise.all([management.close(), logging.close()])
    },
  }
}

async function serve(name: InterfaceName): Promise<{ url: URL; close(): Promise<void> }> {
  // Prism resolves references in place, so it gets a copy.
  const operations = await getHttpOperationsFromSpec(structuredClone(contracts[name].openapi.full))
  const server = createServer(operations, {
    cors: false,
    components: { logger: createLogger(name, { level: 'silent' }) },
    config: {
      isProxy: false,
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
