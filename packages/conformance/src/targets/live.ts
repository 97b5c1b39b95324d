import { setTimeout as sleep } from 'node:timers/promises'
import type { Fixtures } from '../check.ts'
import type { Target } from './target.ts'

/**
 * Any pair of URLs. All sessions share the platform, so checks run one after the other.
 *
 * @param urls the two base URLs; never taken from the contract
 */
export function createLiveTarget(urls: { management: URL; logging: URL }, fixtures: Fixtures): Target {
  return {
    kind: 'live',
    open: async () => ({
      fetch,
      ...urls,
      fixtures,
      virtualClock: false,
      now: () => new Date(),
      wait: (ms) => sleep(Math.max(0, ms)),
      close: async () => {},
    }),
    close: async () => {},
  }
}
