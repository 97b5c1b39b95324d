import { createEmulator, type Emulator, implemented, type Variants } from '@cdn/emulator'
import { Skip } from '../../exchange/failure.ts'
import { createHistory } from '../../exchange/history.ts'
import { requestedOperation, toRequest } from '../../exchange/requested-operation.ts'
import type { CheckTarget, Session } from './target.ts'

/**
 * Creates a target with a new emulator for each session, so that a moved clock or a spent rate limit does not affect other checks.
 */
export function createEmulatorTarget(variants: Partial<Variants> = {}): CheckTarget {
  // Sessions can share values, because all emulators begin in the same state.
  const shared: Session['shared'] = new Map()
  return { open: async () => ({ ...sessionOn(await createEmulator({ variants })), shared }) }
}

/**
 * Creates a session on an emulator, without a socket. Waiting moves the virtual clock, so that the session takes little time, however
 * slow the machine is. A check of an operation that the emulator does not implement is skipped, because a 501 proves nothing.
 */
export function sessionOn(emulator: Emulator): Session {
  const bases = { management: emulator.managementUrl, logging: emulator.loggingUrl }
  return {
    ...{ bases, disposable: true, virtualClock: true },
    fixtures: emulator.fixtures,
    shared: new Map(),
    history: createHistory(emulator.clock.now().getTime()),
    async fetch(input, init) {
      const request = toRequest(input, init)
      const operation = requestedOperation(request, bases)?.operation
      if (operation && !implemented.has(operation.name))
        throw new Skip(`the emulator does not implement ${operation.name} yet: it has no handler of that name`)
      return emulator.fetch(request)
    },
    now: () => emulator.clock.now(),
    wait: async (ms) => emulator.clock.advance(Math.max(0, ms)),
  }
}
