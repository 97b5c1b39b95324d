import { createEmulator } from '@cdn/emulator'
import { onlyImplemented } from './implemented.ts'
import type { Target } from './target.ts'

/**
 * The emulator on a loopback socket, a fresh one for each session, so that a moved clock or a spent rate limit disturbs
 * no neighbour.
 */
export function createEmulatorTarget(): Target {
  return {
    kind: 'emulator',
    open: async () => {
      const emulator = await createEmulator()
      const listening = await emulator.listen()
      const bases = { management: listening.managementUrl, logging: listening.loggingUrl }
      return {
        fetch: onlyImplemented(fetch, bases),
        ...bases,
        fixtures: emulator.fixtures,
        virtualClock: true,
        now: () => emulator.clock.now(),
        wait: async (ms) => emulator.clock.advance(Math.max(0, ms)),
        close: () => listening.close(),
      }
    },
    close: async () => {},
  }
}
