import { setTimeout as sleep } from 'node:timers/promises'
import { readPrismOperations, servePrism } from '../mock/prism.ts'
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
  const management = await servePrism(await readPrismOperations('management', 'full'))
  const logging = await servePrism(await readPrismOperations('logging', 'full'))
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
