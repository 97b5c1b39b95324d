import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter, type Limiter } from '@cdn/api'
import { contracts, type RateLimit } from '@cdn/api/contract'

import type { Fixtures } from '../check.ts'
import { type Bases, requestedOperation, toRequest } from '../requested-operation.ts'

import { withCodedBytes } from './coding.ts'
import { createLocks, type Use } from './locks.ts'
import { withPatience } from './patience.ts'
import { type CheckTarget, type CheckUse, platformMs } from './target.ts'

/** The clock of a live run. Tests pass a simulated clock. */
export interface LiveClock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface LiveOptions {
  readonly clock: LiveClock
  readonly fetch: typeof fetch
  /** How far the target's clock is ahead of the local one, in ms. */
  readonly clockOffsetMs: number
}

/** The clock of the machine. */
export const realClock: LiveClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
}

/** A 429 lowers the request rate of a pull zone to this share, because another caller uses the limit. */
const slowdownShare = 2 / 3
const maxSlowdowns = 4

interface ZoneTraffic {
  limiter: Limiter
  slowdowns: number
  /** Number of requests that were refused with 429, although the suite stayed below the limit. */
  refused: number
  /** Time of the last request or response. */
  lastAt: number
  /** Paced requests wait until this time, because a burst or an earlier program has spent the budget. */
  busyUntil: number
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
  const patient = withPatience(withCodedBytes(options.fetch))
  const locks = createLocks()
  const shared = new Map<string, Promise<unknown>>()
  const zones = new Map<string, ZoneTraffic>()
  const begunAt = clock.now()
  const trafficOf = (zone: string, limit: RateLimit) => {
    // The preflight or an earlier run may have sent requests.
    const busyUntil = begunAt + limit.windowMs
    const fresh = {
      limiter: limiterOf(limit, 0, clock),
      slowdowns: 0,
      refused: 0,
      lastAt: Number.NEGATIVE_INFINITY,
      busyUntil,
    }
    const traffic = zones.get(zone) ?? fresh
    zones.set(zone, traffic)
    return traffic
  }
  const send = async (input: RequestInfo | URL, init: RequestInit | undefined, own: ReadonlySet<string>) => {
    const request = toRequest(input, init)
    const { operation, parameters = {} } = requestedOperation(request, bases) ?? {}
    const limit = operation?.rateLimit
    const zone = limit && parameters[limit.per]
    const traffic = limit && zone && /^\d+$/.test(zone) ? trafficOf(zone, limit) : undefined
    const timed = async () => {
      const sentAt = clock.now()
      if (traffic) traffic.lastAt = sentAt
      const response = await patient(request)
      const receivedAt = clock.now()
      if (traffic) traffic.lastAt = receivedAt
      platformMs.set(response, Math.max(0, receivedAt - sentAt))
      return response
    }
    if (!limit || !zone || !traffic || own.has(zone)) return timed()
    const { signal } = request
    for (;;) {
      while (traffic.busyUntil > clock.now()) await clock.sleep(traffic.busyUntil - clock.now(), signal)
      const { limiter } = traffic
      // A request that waited for its turn meanwhile takes the lower rate.
      const work = async () => (traffic.limiter === limiter ? timed() : undefined)
      const response = await limiter.run(BigInt(zone), work, signal)
      if (!response) continue
      if (response.status === 429) traffic.refused++
      if (response.status === 429 && traffic.limiter === limiter && traffic.slowdowns < maxSlowdowns) {
        traffic.slowdowns++
        traffic.limiter = limiterOf(limit, traffic.slowdowns, clock)
        traffic.busyUntil = clock.now() + limit.windowMs
      }
      return response
    }
  }
  return {
    open: async (check, signal) => {
      const reserved = new Set<string>()
      const release = await locks.take(usesOf(check, fixtures), signal)
      return {
        fetch: (input, init) => send(input, init, reserved),
        bases,
        fixtures,
        disposable: false,
        shared,
        virtualClock: false,
        now: () => new Date(clock.now() + clockOffsetMs),
        wait: (ms) => clock.sleep(Math.max(0, ms), signal),
        refusedBelowLimit: (zone) => zones.get(zone)?.refused ?? 0,
        rest: async (zone, quietMs) => {
          const quietSince = zones.get(zone)?.lastAt ?? Number.NEGATIVE_INFINITY
          await clock.sleep(Math.max(0, quietSince + quietMs - clock.now()), signal)
        },
        alone: async (ids, work) => {
          const giveBack = await locks.take(new Map(ids.map((zone) => [lockOf(zone), 'alone'])), signal)
          for (const zone of ids) reserved.add(zone)
          try {
            return await work()
          } finally {
            for (const zone of ids) {
              reserved.delete(zone)
              const traffic = zones.get(zone)
              if (traffic) traffic.busyUntil = traffic.lastAt + maxWindowMs
            }
            giveBack()
          }
        },
        close: async () => release(),
      }
    },
  }
}

const maxWindowMs = Math.max(
  ...Object.values(contracts).flatMap(({ operations }) => operations.map(({ rateLimit }) => rateLimit?.windowMs ?? 0)),
)

function limiterOf({ requests, windowMs }: RateLimit, slowdowns: number, clock: LiveClock): Limiter {
  return createLimiter({ ...clock, requests: Math.floor(requests * slowdownShare ** slowdowns), windowMs })
}

const lockOf = (zone: string) => `logs of ${zone}`

/**
 * Returns how a check uses the resources of the fixtures. A check that writes reserves them from its start. A check with
 * a burst reserves its logged pull zones later, with `alone`.
 */
function usesOf({ effect, needs, uses: others = [], burst }: CheckUse, fixtures: Fixtures) {
  const uses = new Map<string, Use>()
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
