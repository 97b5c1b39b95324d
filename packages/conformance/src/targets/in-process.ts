import type { Emulator } from '@cdn/emulator'
import type { Fixtures } from '../core/check.ts'
import { createNotes } from '../runner/notes.ts'
import { onlyImplemented } from './implemented.ts'
import type { Session } from './target.ts'

/** Creates a session on an emulator without a socket. Waiting moves the virtual clock, however slow the machine is. */
export function sessionOn(emulator: Emulator): Session {
  const { fetch, managementUrl, loggingUrl } = emulator
  const bases = { management: managementUrl, logging: loggingUrl }
  return { fetch: onlyImplemented(fetch, bases), ...bases, ...onVirtualClock(emulator), close: async () => {} }
}

/** Creates the part that all sessions on an emulator share, with or without a socket. */
export function onVirtualClock(emulator: Emulator): Omit<Session, 'fetch' | 'management' | 'logging' | 'close'> {
  const wait = async (ms: number) => emulator.clock.advance(Math.max(0, ms))
  return {
    fixtures: allFixturesOf(emulator),
    disposable: true,
    shared: new Map(),
    notes: createNotes(),
    virtualClock: true,
    now: () => emulator.clock.now(),
    wait,
    alone: (_, work) => work(),
    rest: (_, quietMs) => wait(quietMs),
  }
}

/** Returns the emulator's fixtures, with additional API keys of single scopes. They include a library id beyond 2^53. */
export function allFixturesOf({ fixtures, state }: Emulator): Fixtures {
  const { credentials } = fixtures
  const keyOf = (scopes: readonly string[]) => {
    const key = `${credentials.accessKey}-${scopes.join('-') || 'none'}`
    state.keys.set(key, { scopes })
    return key
  }
  const distantLibraryId = [...state.libraries.keys()].find((id) => BigInt(id) >= 2n ** 32n)
  return {
    ...fixtures,
    ...(distantLibraryId !== undefined && { distantLibraryId }),
    credentials: {
      ...credentials,
      noScopeKey: keyOf([]),
      keyByScope: Object.fromEntries(Object.keys(credentials.byScope).map((scope) => [scope, keyOf([scope])])),
    },
  }
}
