import { createEmulator, type Emulator, implemented } from '@cdn/emulator'
import { Skip } from '../failure.ts'
import { requestedOperation, toRequest } from '../requested-operation.ts'
import { withPatience } from './patience.ts'
import type { CheckTarget, Session } from './target.ts'

/**
 * Creates a target with the emulator on a loopback socket. Each session has a new emulator, so that a moved clock or a
 * spent rate limit does not affect other checks.
 */
export function createEmulatorTarget(): CheckTarget {
  const send = withPatience(fetch)
  // All emulators begin in the same state, so that what one of them shows is true of the others.
  const shared: Session['shared'] = new Map()
  return {
    open: async () => {
      const emulator = await createEmulator()
      const { close, ...urls } = await emulator.listen()
      return { ...sessionAt(emulator, send, urls), shared, close }
    },
  }
}

/** Creates a session on an emulator without a socket. */
export function sessionOn(emulator: Emulator): Session {
  return sessionAt(emulator, emulator.fetch, emulator)
}

/**
 * Waiting moves the virtual clock, so that the session takes little time, however slow the machine is. A check of an operation
 * that the emulator does not implement is skipped, because a 501 proves nothing.
 */
function sessionAt(
  emulator: Emulator,
  send: typeof fetch,
  { managementUrl, loggingUrl }: Pick<Emulator, 'managementUrl' | 'loggingUrl'>,
): Session {
  const bases = { management: managementUrl, logging: loggingUrl }
  const wait = async (ms: number) => emulator.clock.advance(Math.max(0, ms))
  return {
    ...{ bases, disposable: true, virtualClock: true },
    fixtures: emulator.fixtures,
    shared: new Map(),
    async fetch(input, init) {
      const request = toRequest(input, init)
      const operation = requestedOperation(request, bases)?.operation
      if (operation && !implemented.has(operation.name))
        throw new Skip(`the emulator does not implement ${operation.name} yet: it has no handler of that name`)
      return send(request)
    },
    now: () => emulator.clock.now(),
    wait,
    alone: (_, work) => work(),
    rest: (_, quietMs) => wait(quietMs),
    close: async () => {},
  }
}
