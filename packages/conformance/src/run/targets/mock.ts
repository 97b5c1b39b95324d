import { setTimeout as sleep } from 'node:timers/promises'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { platformInterfaces } from '../../cases/resources.ts'
import { readPrismOperations, servePrism } from './mock/prism.ts'
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
    imported: Object.fromEntries(
      Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ variable }) => [variable, 'any-credential'])),
    ),
  },
}

/**
 * Creates a target with Prism on the full contracts, in this process.
 *
 * @param interfaces names of the imported interfaces to serve, in addition to those of the spec
 */
export async function createMockTarget(interfaces: readonly InterfaceName[] = []): Promise<CheckTarget> {
  const names = [...platformInterfaces, ...interfaces.filter((name) => !platformInterfaces.includes(name))]
  const servers = await Promise.all(
    names.map(async (name) => [name, await servePrism(readPrismOperations(name))] as const),
  )
  const bases = Object.fromEntries(servers.map(([name, { url }]) => [name, url]))
  return {
    open: async (_, signal) => ({
      fetch: withPatience(fetch),
      bases,
      fixtures,
      disposable: true,
      shared: new Map(),
      virtualClock: false,
      now: () => new Date(),
      wait: (ms) => sleep(ms, undefined, { signal }),
      alone: (_, work) => work(),
      rest: (_, quietMs) => sleep(quietMs, undefined, { signal }),
      close: async () => {},
    }),
    close: async () => {
      await Promise.all(servers.map(([, server]) => server.close()))
    },
  }
}
