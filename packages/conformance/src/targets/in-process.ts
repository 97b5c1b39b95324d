import type { Emulator } from '@cdn/emulator'
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
    fixtures: emulator.fixtures,
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
