import type { EmulatorResponse } from '@cdn/emulator'
import { alterResponse, withQuery } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { errorWith, logError, logNames, pageNames, seeing } from './parts.ts'

const v2 = 'logging.query-logs'

/** Whether a query names its whole range, so that its response can be cached. */
const isFixed = (query: URLSearchParams) => query.has('from') && query.has('to')

/** Mistakes in what a server remembers of earlier requests. */
export const memoryMutants: readonly ServerUnderTest[] = [
  mutant(
    'memory.page-of-other-zone',
    'The cache of pages knows the query but not the pull zone, so that the same query of another one gets its page.',
    [`${v2}.zone`],
    seeing(pageNames, () => {
      const pages = new Map<string, EmulatorResponse>()
      return async ({ call, query, next }) => {
        const response = await next(call)
        if (response.status !== 200 || !isFixed(query)) return response
        const page = pages.get(call.query) ?? response
        pages.set(call.query, page)
        return page
      }
    }),
  ),
  mutant(
    'memory.cached-before-authentication',
    'A page in the cache is given to a caller with invalid credentials.',
    ['logging.authentication.invalid'],
    seeing(pageNames, () => {
      const pages = new Map<string, EmulatorResponse>()
      return async ({ call, query, next }) => {
        const response = await next(call)
        const key = `${call.path}?${call.query}`
        if (response.status === 200 && isFixed(query)) pages.set(key, response)
        return response.status === 403 ? (pages.get(key) ?? response) : response
      }
    }),
  ),
  mutant(
    'memory.order-stays',
    'A query without order has the order of the previous query of the pull zone.',
    [`${v2}.order`],
    seeing(pageNames, () => {
      const orders = new Map<string, string>()
      return ({ call, query, next }) => {
        const order = query.get('order') ?? orders.get(call.path)
        if (order !== 'asc' && order !== 'desc') return next(call)
        orders.set(call.path, order)
        return next(withQuery(call, (other) => other.set('order', order)))
      }
    }),
  ),
]

const window = 10_000
const allowed = 30

/** Mistakes in the rate limit (§8). The window is a sliding one; the limit holds for both versions together. */
export const limiterMutants: readonly ServerUnderTest[] = [
  mutant(
    'limit.repetition-free',
    'A request that repeats the previous one of the pull zone does not count.',
    ['logging.rate-limit.429'],
    seeing(logNames, () => {
      const previous = new Map<string, string>()
      return ({ call, next, ask }) => {
        const isRepeated = previous.get(call.path) === call.query
        previous.set(call.path, call.query)
        return isRepeated ? ask(call) : next(call)
      }
    }),
  ),
  mutant(
    'limit.burst-after-idle',
    'After a minute without requests, a pull zone gets twice the limit for one window.',
    ['logging.rate-limit.429'],
    counting(() => {
      let last = Number.POSITIVE_INFINITY
      let doubledUntil = 0
      return (_times, _version, now) => {
        if (now - last >= 60_000) doubledUntil = now + window
        last = now
        return now < doubledUntil ? 2 * allowed : allowed
      }
    }),
  ),
  mutant(
    'limit.refusal-spreads',
    'After the refusal of one pull zone, the next request of another one is refused too.',
    ['logging.rate-limit.per-pull-zone'],
    seeing(logNames, () => {
      let refused: string | undefined
      return async ({ call, operation, next }) => {
        const response = await next(call)
        const zone = zoneOf(call.path)
        if (response.status === 429) refused = zone
        if (response.status !== 200 || refused === undefined || refused === zone) return response
        refused = undefined
        return logError(operation, 429)
      }
    }),
  ),
]

/** A 429 with another `Retry-After`. */
const advising = (seconds: number) =>
  alterResponse(logNames, (response) =>
    response.status === 429 ? { ...response, headers: { ...response.headers, 'retry-after': `${seconds}` } } : response,
  )

/** Mistakes that only a caller below the limit, or one that believes the response, notices. */
export const limitAdviceMutants: readonly ServerUnderTest[] = [
  mutant(
    'limit.advice-too-short',
    'Retry-After is one second, whatever the limiter does.',
    ['logging.rate-limit.accepted'],
    advising(1),
  ),
  mutant('limit.advice-too-long', 'Retry-After is a minute.', ['logging.rate-limit.429'], advising(60)),
  mutant(
    'limit.even-pauses',
    'A caller whose requests come evenly is taken for a robot, and refused.',
    ['logging.rate-limit.accepted'],
    seeing(logNames, ({ clock }) => {
      const zones = new Map<string, number[]>()
      return ({ call, operation, next }) => {
        const times = [...(zones.get(zoneOf(call.path)) ?? []), clock.now().getTime()].slice(-8)
        zones.set(zoneOf(call.path), times)
        const gaps = new Set(times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 10)))
        const isEven = times.length === 8 && gaps.size === 1 && !gaps.has(0)
        return isEven ? Promise.resolve(logError(operation, 429)) : next(call)
      }
    }),
  ),
]

/** Decides on a request: may forget the times of the last window, and returns how many requests a window allows. */
type Rule = (times: number[], version: string, now: number) => number

/** Replaces the rate limit by a sliding window of its own. Requests that fail for another reason do not reach it. */
function counting(createRule: () => Rule) {
  return seeing(logNames, ({ clock }) => {
    const zones = new Map<string, { readonly rule: Rule; times: number[] }>()
    return async ({ call, operation, ask }) => {
      const response = await ask(call)
      if ([401, 403, 404].includes(response.status)) return response
      const now = clock.now().getTime()
      const zone = zones.get(zoneOf(call.path)) ?? { rule: createRule(), times: [] }
      zones.set(zoneOf(call.path), zone)
      zone.times = zone.times.filter((time) => time > now - window)
      const limit = zone.rule(zone.times, operation.name, now)
      if (zone.times.length >= limit) return errorWith(429, 'rate_limited', 'Too many requests.')
      zone.times.push(now)
      return response
    }
  })
}

function zoneOf(path: string): string {
  return /(\d+)(?:\.log|\/logs)/.exec(path)?.[1] ?? path
}
