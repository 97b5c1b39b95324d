import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type Limiter } from '@cdn/api'
import { contracts, route } from '@cdn/api/contract'
import type { Fixtures } from '../check.ts'
import { withPatience } from './patience.ts'
import type { Target } from './target.ts'

/** The longest window of a rate limit in the contract, in milliseconds. */
const restMs = Math.max(...contracts.logging.operations.map(({ rateLimit }) => rateLimit?.windowMs ?? 0))

/**
 * Any pair of URLs. All sessions share the platform and its rate limit, so checks run one after the other and their
 * requests are paced; a check that bursts on purpose is not, and is followed by a rest.
 *
 * @param urls the two base URLs; never taken from the contract
 */
export function createLiveTarget(urls: { management: URL; logging: URL }, fixtures: Fixtures): Target {
  const limiter = createLimiter()
  const patient = withPatience(fetch)
  return {
    kind: 'live',
    open: async ({ burst }, signal) => {
      let bursting = false
      const unpaced: typeof fetch = (input, init) => {
        bursting = true
        return patient(input, init)
      }
      return {
        fetch: burst ? unpaced : paced(patient, urls.logging, limiter),
        ...urls,
        fixtures,
        virtualClock: false,
        now: () => new Date(),
        wait: (ms) => sleep(Math.max(0, ms)),
        close: async () => {
          // What ends a run early ends its rests too.
          if (bursting) await sleep(restMs, undefined, { signal }).catch(() => {})
        },
      }
    },
    close: async () => {},
  }
}

/** A fetch that keeps to the rate limit of each pull zone (§8). */
function paced(send: typeof fetch, logging: URL, limiter: Limiter): typeof fetch {
  const folder = logging.pathname.replace(/\/$/, '')
  return (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const found =
      url.origin === logging.origin ? route('logging', request.method, url.pathname.slice(folder.length)) : undefined
    const operation = found && 'operation' in found ? found.operation : undefined
    const zone =
      operation?.rateLimit && found && 'parameters' in found ? found.parameters[operation.rateLimit.per] : undefined
    return zone && /^\d+$/.test(zone) ? limiter.run(BigInt(zone), () => send(request), request.signal) : send(request)
  }
}
