import { setTimeout as sleep } from 'node:timers/promises'

import { servePrism } from './mock/prism.ts'
import { withPatience } from './patience.ts'
import type { CheckTarget } from './target.ts'

/** Fixtures of the mock. The mock has no state, so any id will do. */
const fixtures = {
  libraryId: '1',
  zoneId: '1',
  loggedZoneId: '1',
  credentials: {
    accessKey: 'any-key',
    bearer: 'any-token',
  },
}

/** Creates a target with Prism on the full contracts, in this process. */
export async function createMockTarget(): Promise<CheckTarget> {
  const management = await servePrism('management')
  const logging = await servePrism('logging')
  return {
    open: async (_, signal) => ({
      fetch: withPatience(fetch),
      bases: { management: management.url, logging: logging.url },
      fixtures,
      disposable: true,
      shared: new Map(),
      virtualClock: false,
      now: () => new Date(),
      wait: (ms) => sleep(ms, undefined, { signal }),
    }),
    close: async () => {
      await Promise.all([management.close(), logging.close()])
    },
  }
}
