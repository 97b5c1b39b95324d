import { createEmulator, type Emulator, implemented } from '@cdn/emulator'
import { Skip } from '../core/failure.ts'
import { type Bases, requestedOperation } from '../core/requested-operation.ts'
import { toRequest } from '../core/to-request.ts'
import { openNotes } from '../runner/notes.ts'
import { withDeadline } from './patience.ts'
import type { CheckTarget, Session } from './target.ts'

/**
 * Creates a target with the emulator on a loopback socket. Each session has a new emulator, so that a moved clock or a
 * spent rate limit does not affect other checks.
 */
export function createEmulatorTarget(): CheckTarget {
  return {
    open: async () => {
      const emulator = await createEmulator()
      const { managementUrl, loggingUrl, close } = await emulator.listen()
      return sessionOf(emulator, withDeadline(fetch), { management: managementUrl, logging: loggingUrl }, close)
    },
    close: async () => {},
  }
}

/** Creates a session on an emulator without a socket. */
export function sessionOn(emulator: Emulator): Session {
  const { fetch, managementUrl, loggingUrl } = emulator
  return sessionOf(emulator, fetch, { management: managementUrl, logging: loggingUrl }, async () => {})
}

/** Waiting moves the virtual clock, so that the session takes little time, however slow the machine is. */
function sessionOf(
  emulator: Emulator,
  send: typeof fetch,
  bases: Pick<Session, 'management' | 'logging'>,
  close: Session['close'],
): Session {
  const wait = async (ms: number) => emulator.clock.advance(Math.max(0, ms))
  return {
    fetch: onlyImplemented(send, { ...bases }),
    ...bases,
    fixtures: emulator.fixtures,
    disposable: true,
    shared: new Map(),
    notes: openNotes(),
    virtualClock: true,
    now: () => emulator.clock.now(),
    wait,
    alone: (_, work) => work(),
    rest: (_, quietMs) => wait(quietMs),
    close,
  }
}

/**
 * Skips a check of an operation that the emulator does not implement yet. The emulator answers 501 to such an
 * operation, which proves nothing.
 */
function onlyImplemented(send: typeof fetch, bases: Bases): typeof fetch {
  return async (input, init) => {
    const request = toRequest(input, init)
    const operation = requestedOperation(request, bases)?.operation
    if (operation && !implemented.has(operation.name))
      throw new Skip(`the emulator does not implement ${operation.name} yet: it has no handler of that name`)
    return send(request)
  }
}
