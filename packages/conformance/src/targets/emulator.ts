import { createEmulator } from '@cdn/emulator'
import { withDeadline } from './deadline.ts'
import { onlyImplemented } from './implemented.ts'
import { onVirtualClock } from './in-process.ts'
import type { CheckTarget } from './target.ts'

/**
 * Creates a target with the emulator on a loopback socket. Each session has a new emulator, so that a moved clock or a
 * spent rate limit does not affect other checks.
 */
export function createEmulatorTarget(): CheckTarget {
  return {
    kind: 'emulator',
    open: async () => {
      const emulator = await createEmulator()
      const listening = await emulator.listen()
      const bases = { management: listening.managementUrl, logging: listening.loggingUrl }
      return {
        fetch: onlyImplemented(withDeadline(fetch), bases),
        ...bases,
        ...onVirtualClock(emulator),
        close: () => listening.close(),
      }
    },
    close: async () => {},
  }
}
