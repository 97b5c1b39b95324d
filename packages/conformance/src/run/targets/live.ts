import type { RateLimit } from '@cdn/api/contract'
import { sleep } from '@cdn/kit/wait'

import type { Fixtures } from '../../exchange/check.ts'
import { withCodedBytes } from '../../exchange/coding.ts'
import { createHistory } from '../../exchange/history.ts'
import { type Bases, requestedOperation, toRequest } from '../../exchange/requested-operation.ts'
import { createLocks, type Use } from './locks.ts'
import { type CheckTarget, type CheckUse, type LiveClock, platformMs, type Shared } from './target.ts'
import { withTimeOuts } from './time-outs.ts'
import { createTraffic, type ZoneTraffic } from './traffic.ts'

export interface LiveOptions {
  readonly clock: LiveClock
  readonly fetch: typeof fetch
  /** How far the target's clock is ahead of the local one, in ms. */
  readonly clockOffsetMs: number
}

/** The clock of the machine. Tests use a simulated clock instead. */
export const realClock: LiveClock = {
  now: () => Date.now(),
  sleep,
}

/**
 * Creates a target at any pair of URLs. All sessions share the platform. Requests to a pull zone's logs are delayed to
 * obey its rate limit (§8), unless their session has reserved the zone. While a session writes to a resource, no other
 * session uses the resource.
 *
 * @param bases the base URLs; never from the contract
 */
export function createLiveTarget(bases: Bases, fixtures: Fixtures, options: LiveOptions): CheckTarget {
  const { clock, clockOffsetMs } = options
  const patient = withTimeOuts(withCodedBytes(options.fetch))
  const locks = createLocks()
  const shared = new Map<string, Shared>()
  const begunAt = clock.now()
  const history = createHistory(begunAt + clockOffsetMs)
  const zones = new Map<string, ZoneTraffic>()
  const trafficOf = (zone: string, limit: RateLimit) => {
    const traffic = zones.get(zone) ?? createTraffic(BigInt(zone), limit, clock, begunAt + limit.windowMs)
    zones.set(zone, traffic)
    return traffic
  }
  const send = async (request: Request, own: ReadonlySet<string>): Promise<Response> => {
    const { operation, parameters = {} } = requestedOperation(request, bases) ?? {}
    const limit = operation?.rateLimit
    const zone = limit ? parameters[limit.per] : undefined
    const timed = async () => {
      const sentAt = clock.now()
      const response = await patient(request)
      platformMs.set(response, Math.max(0, clock.now() - sentAt))
      return response
    }
    if (!limit || !zone || !/^\d+$/.test(zone)) return timed()
    const traffic = trafficOf(zone, limit)
    return own.has(zone) ? traffic.send(timed) : traffic.sendPaced(timed, request.signal)
  }
  return {
    open: async (check, signal) => {
      const reserved = new Set<string>()
      const release = await locks.take(usesOf(check, fixtures), signal)
      return {
        fetch: (input, init) => send(toRequest(input, init), reserved),
        bases,
        fixtures,
        disposable: false,
        shared,
        history,
        virtualClock: false,
        now: () => new Date(clock.now() + clockOffsetMs),
        wait: (ms) => clock.sleep(ms, signal),
        rest: async (zone, quietMs) => {
          const quietSince = zones.get(zone)?.lastAt() ?? begunAt
          await clock.sleep(quietSince + quietMs - clock.now(), signal)
        },
        alone: async (ids, work) => {
          const giveBack = await locks.take(new Map(ids.map((zone) => [lockOf(zone), 'alone'])), signal)
          for (const zone of ids) reserved.add(zone)
          try {
            return await work()
          } finally {
            for (const zone of ids) {
              reserved.delete(zone)
              zones.get(zone)?.rest()
            }
            giveBack()
          }
        },
        close: async () => release(),
      }
    },
  }
}

const lockOf = (zone: string) => `logs of ${zone}`

/**
 * Returns how a check uses the resources of the fixtures. A check that writes reserves its resources from its start, and is the only one
 * that writes. A check with a burst reserves its logged pull zones later, with `alone`.
 */
function usesOf({ effect, needs, uses: others = [], burst }: CheckUse, fixtures: Fixtures) {
  // Only one check writes at a time, so that a change has few suspects.
  const uses = new Map<string, Use>(effect === 'read' ? [] : [['writes', 'alone']])
  const values: Readonly<Record<string, unknown>> = { ...fixtures }
  for (const need of [...needs, ...others]) {
    const id = values[need]
    if (typeof id !== 'string') continue
    if (isLogged(need)) {
      if (!burst && effect === 'read') uses.set(lockOf(id), 'shared')
    } else if (need.endsWith('Id')) uses.set(`${need} ${id}`, effect === 'read' ? 'shared' : 'alone')
  }
  return uses
}

function isLogged(need: string): boolean {
  return need === 'loggedZoneId' || need === 'otherLoggedZoneId'
}
