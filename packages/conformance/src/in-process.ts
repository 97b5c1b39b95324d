import type { Emulator } from '@cdn/emulator'
import { onlyImplemented } from './targets/implemented.ts'
import type { Session } from './targets/target.ts'

/** A session on an emulator without a socket. Waiting moves its virtual clock, however slow the machine is. */
export function sessionOn({ fetch, managementUrl, loggingUrl, fixtures, clock }: Emulator): Session {
  const bases = { management: managementUrl, logging: loggingUrl }
  return {
    fetch: onlyImplemented(fetch, bases),
    ...bases,
    fixtures,
    virtualClock: true,
    now: () => clock.now(),
    wait: async (ms) => clock.advance(Math.max(0, ms)),
    close: async () => {},
  }
}
