/** Mistakes about who may read logs, how often, and for how long (§5, §7, §8). */
import type { RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs } from '@cdn/kit/time'
import { alterCall, alterResponse, swapStatus, withHeader } from '../alter-calls.ts'
import {
  alterLines,
  bothVersions,
  createBehaviour,
  hasFixedRange,
  logError,
  v1,
  v2,
  zoneInPath,
} from '../alter-logs.ts'
import { type Behaviour, mutantsOf, onOperations, type ServerUnderTest } from '../mutant.ts'

const minute = 60_000
const ofBoth = (end: string) => bothVersions.map((name) => `${name}.${end}`).join(' ')

/** Accepts a sent key as a known key if `isTaken` holds for the two. */
const takenFor = (isTaken: (known: string, sent: string) => boolean): Behaviour =>
  alterCall(bothVersions, (call, { emulator: { state } }) => {
    const sent = call.headers.get('AccessKey')
    const known = sent && [...state.keys.keys()].find((key) => isTaken(key, sent))
    return known ? withHeader(call, 'AccessKey', known) : call
  })

/** Serves a request to the pull zone of a fixture as if the zone were active and logged, if `isOpen` holds for the request. */
const opening = (
  names: readonly string[],
  fixture: 'suspendedZoneId' | 'disabledZoneId' | 'unloggedZoneId',
  isOpen: (seen: { query: URLSearchParams; token: string | null }) => boolean,
): Behaviour =>
  createBehaviour(names, ({ state, fixtures }) => async ({ call, query, next }) => {
    const zone = state.zones.get(fixtures[fixture])
    const isMeant = zone && call.path.includes(zone.id) && isOpen({ query, token: call.headers.get('Authorization') })
    if (!isMeant) return next(call)
    const before = { ...zone }
    Object.assign(zone, { status: 'active', logging: 'enabled' })
    return next(call).finally(() => void Object.assign(zone, before))
  })

const credentialMutants = mutantsOf('logging', {
  'credential: only the first 32 characters of a key are compared': [
    'authentication.invalid',
    takenFor((known, sent) => sent.length >= 32 && known.startsWith(sent.slice(0, 32))),
  ],
  'credential: the case of the letters of a key does not matter': [
    'authentication.invalid',
    takenFor((known, sent) => known.toLowerCase() === sent.toLowerCase()),
  ],
  'credential: the last characters of the signature of a token may be missing': [
    'authentication.invalid',
    alterCall(bothVersions, (call, { emulator }) => {
      const good = `Bearer ${emulator.fixtures.credentials.bearer}`
      const sent = call.headers.get('Authorization') ?? ''
      return sent.length >= good.length - 3 && good.startsWith(sent) ? withHeader(call, 'Authorization', good) : call
    }),
  ],
  'credential: two invalid ones at once are accepted': [
    'authentication.invalid',
    alterCall(bothVersions, (call, { emulator }) =>
      call.headers.get('AccessKey') && call.headers.get('Authorization')
        ? withHeader(withHeader(call, 'Authorization', null), 'AccessKey', emulator.fixtures.credentials.accessKey)
        : call,
    ),
  ],
  'credential: a cached page is given to a caller with an invalid one': [
    'authentication.invalid',
    createBehaviour(v2, () => {
      const pages = new Map<string, ReturnType<typeof logError>>()
      return async ({ call, query, next }) => {
        const response = await next(call)
        const key = `${call.path}?${call.query}`
        if (response.status === 200 && hasFixedRange(query)) pages.set(key, response)
        return response.status === 403 ? (pages.get(key) ?? response) : response
      }
    }),
  ],
  'zone: a suspended one is shown to a token': [
    ofBoth('403-suspended'),
    opening(bothVersions, 'suspendedZoneId', ({ token }) => token !== null),
  ],
  'zone: a disabled one is shown to a token': [
    ofBoth('403-disabled'),
    opening(bothVersions, 'disabledZoneId', ({ token }) => token !== null),
  ],
  'zone: one without logging is shown to a token': [
    ofBoth('404'),
    opening(bothVersions, 'unloggedZoneId', ({ token }) => token !== null),
  ],
  'zone: a query for a request id shows a suspended one': [
    'query-logs.403-suspended',
    opening(v2, 'suspendedZoneId', ({ query }) => query.has('requestId')),
  ],
  'retention: version 1 keeps today and the two previous days': [
    'retention.3-days agreement.v1-v2 service.raw-logs',
    onOperations(v1, ({ clock }) => async (call, operation, next) => {
      const [, month, date, year] = /(\d\d)-(\d\d)-(\d\d)/.exec(call.path) ?? []
      const age = clock.now().getTime() - Date.UTC(2000 + Number(year), Number(month) - 1, Number(date))
      return age > 3 * dayMs ? { status: 404, headers: {}, body: null } : next(call, operation)
    }),
  ],
  'retention: a file loses its first line once its day is over': [
    'retention.3-days agreement.v1-v2',
    alterLines((all, { call, emulator }) =>
      call.path.includes(emulator.clock.now().toISOString().slice(5, 10)) ? all : all.slice(1),
    ),
  ],
})

/** Counts a request to a pull zone. Returns whether the request is refused. */
type RequestFilter = (now: number, query: string) => boolean

/** Replaces the rate limit by one limiter per pull zone, which counts the requests of both versions. */
function limited(create: (limit: RateLimit) => RequestFilter): Behaviour {
  return createBehaviour(bothVersions, ({ clock }) => {
    const zones = new Map<string, RequestFilter>()
    return async ({ call, operation, ask }) => {
      const response = await ask(call)
      // Requests that fail for another reason do not reach the limiter.
      if ([401, 403, 404].includes(response.status)) return response
      const refuses = zones.get(zoneInPath(call.path)) ?? create(assertDefined(operation.rateLimit))
      zones.set(zoneInPath(call.path), refuses)
      return refuses(clock.now().getTime(), call.query) ? logError(operation, 429) : response
    }
  })
}

/** Creates a limiter with a sliding window. A call may set another limit, or not count. */
function sliding({ requests, windowMs }: RateLimit) {
  let taken: number[] = []
  return (now: number, { counts = true, limit = requests } = {}) => {
    taken = taken.filter((time) => time > now - windowMs)
    if (taken.length >= limit) return true
    if (counts) taken.push(now)
    return false
  }
}

/** Changes `Retry-After` in each 429. */
const advising = (value: string): Behaviour =>
  alterResponse(bothVersions, (response) =>
    response.status === 429 ? { ...response, headers: { ...response.headers, 'retry-after': value } } : response,
  )

const limitMutants = mutantsOf('logging', {
  'limit: a refused request empties the count': [
    'rate-limit.429 rate-limit.accepted',
    limited(({ requests }) => {
      let count = 0
      return () => {
        count = (count + 1) % (requests + 1)
        return count === 0
      }
    }),
  ],
  'limit: a request that repeats the previous one does not count': [
    'rate-limit.429',
    limited((limit) => {
      const window = sliding(limit)
      let previous: string | undefined
      return (now, query) => {
        const isRepeated = query === previous
        previous = query
        return !isRepeated && window(now)
      }
    }),
  ],
  'limit: after a minute without requests, it is twice as high for one window': [
    'rate-limit.429',
    limited((limit) => {
      const window = sliding(limit)
      let last = Number.POSITIVE_INFINITY
      let doubledUntil = 0
      return (now) => {
        if (now - last >= minute) doubledUntil = now + limit.windowMs
        last = now
        return window(now, { limit: now < doubledUntil ? 2 * limit.requests : limit.requests })
      }
    }),
  ],
  'limit: after a refusal, the pull zone is blocked for a minute': [
    'rate-limit.accepted',
    limited((limit) => {
      const window = sliding(limit)
      let blockedUntil = 0
      return (now) => {
        if (now >= blockedUntil && window(now)) blockedUntil = now + minute
        return now < blockedUntil
      }
    }),
  ],
  'limit: a caller whose requests come evenly is taken for a robot': [
    'rate-limit.accepted',
    limited((limit) => {
      const window = sliding(limit)
      let times: number[] = []
      return (now) => {
        times = [...times, now].slice(-8)
        const gaps = new Set(times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 10)))
        return (times.length === 8 && gaps.size === 1 && !gaps.has(0)) || window(now)
      }
    }),
  ],
  'limit: Retry-After is one second, whatever the limiter does': [ofBoth('retry-after'), advising('1')],
  'limit: Retry-After is a minute': [ofBoth('retry-after'), advising('60')],
  'limit: Retry-After is neither a number nor a date': [ofBoth('retry-after'), advising('soon')],
  'limit: beyond it, the server answers 503': ['rate-limit.429', alterResponse(bothVersions, swapStatus(429, 503))],
  'limit: requests with a token have one of their own': [
    'rate-limit.429',
    onOperations(bothVersions, () => (call, stated, next) => {
      const { rateLimit } = stated
      // The emulator counts the requests per value of the path parameter `per`. No parameter is named `bearer`.
      const isOther = call.headers.get('Authorization') && rateLimit
      return next(call, isOther ? { ...stated, rateLimit: { ...rateLimit, per: 'bearer' } } : stated)
    }),
  ],
})

export const accessMutants: readonly ServerUnderTest[] = [...credentialMutants, ...limitMutants]
