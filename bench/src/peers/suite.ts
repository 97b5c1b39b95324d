import { runCheck } from '@cdn/conformance'
import type { Emulator } from '@cdn/emulator'
import type { Complaints, Peer, Subject } from './peer.ts'

/** The conformance suite of this repository, in process; it complains by the ids of the checks that fail. */
export function createSuite(layer: Peer['layer']): Peer {
  return {
    name: 'this suite',
    layer,
    async examine(subjects) {
      const all: Complaints[] = []
      for (const subject of subjects) all.push(await failing(subject, layer))
      return all
    },
  }
}

async function failing({ checks, create }: Subject, layer: Peer['layer']): Promise<Complaints> {
  const failed = new Set<string>()
  for (const check of checks.filter(({ through }) => layer === 'full' || through === 'document')) {
    const emulator = await create()
    const { result } = await runCheck(check, sessionOf(emulator), { signal: neverAborted })
    if (result.outcome === 'fail') failed.add(check.id)
  }
  return failed
}

/** Where a check sends its requests, if not to the emulator in process. */
export interface Route {
  readonly fetch: typeof fetch
  readonly management: URL
  readonly logging: URL
}

/** What `runCheck` needs to know of an emulator. */
export function sessionOf(emulator: Emulator, route?: Route): Parameters<typeof runCheck>[1] {
  return {
    fetch: emulator.fetch,
    management: emulator.managementUrl,
    logging: emulator.loggingUrl,
    ...route,
    fixtures: emulator.fixtures,
    virtualClock: true,
    now: () => emulator.clock.now(),
    wait: async (ms) => emulator.clock.advance(Math.max(0, ms)),
    close: async () => {},
  }
}

export const neverAborted: AbortSignal = new AbortController().signal
