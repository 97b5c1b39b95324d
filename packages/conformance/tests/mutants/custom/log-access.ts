import { type Operation, operations } from '@cdn/api/contract'
import {
  alterCall,
  alterOperation,
  alterResponse,
  editLines,
  editRows,
  swapStatus,
  withHeader,
  withStatus,
} from '../alter.ts'
import { mutant, on, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'

const logging = operations.filter((operation) => operation.interface === 'logging')
const names = logging.map(({ name }) => name)
const minute = 60_000
const day = 1_440 * minute

function ofBoth(slug: string): string[] {
  return logging.map((operation) => requirementIdOf(operation, slug, slug))
}

/** Mistakes about who may read logs, how often, and for how long (§5, §7, §8). */
export const logAccessMutants: readonly ServerUnderTest[] = [
  mutant(
    'zone.suspended-as-unlogged',
    'A suspended pull zone is answered like one without logging.',
    ofBoth('403-suspended'),
    alterResponse(names, (response, { call, emulator }) =>
      call.path.includes(emulator.fixtures.suspendedZoneId) ? withStatus(response, 404) : response,
    ),
  ),
  ...(
    [
      ['suspended', 'suspendedZoneId', '403-suspended'],
      ['disabled', 'disabledZoneId', '403-disabled'],
      ['unlogged', 'unloggedZoneId', '404'],
    ] as const
  ).map(([id, role, slug]) =>
    mutant(
      `zone.${id}-served-to-bearer`,
      `The logs of a ${id} pull zone are shown to a caller with a bearer token.`,
      ofBoth(slug),
      on(names, (emulator) => async (call, operation, next) => {
        const zone = emulator.state.zones.get(emulator.fixtures[role])
        if (!zone || !call.headers.get('Authorization') || !call.path.includes(zone.id)) return next(call, operation)
        const { status, logging: wasLogging } = zone
        Object.assign(zone, { status: 'active', logging: 'enabled' })
        try {
          return await next(call, operation)
        } finally {
          Object.assign(zone, { status, logging: wasLogging })
        }
      }),
    ),
  ),
  mutant(
    'credential.wrong-key-as-none',
    'A wrong key is answered like a missing one.',
    ['logging.authentication.invalid'],
    alterCall(names, (call, { emulator }) => {
      const key = call.headers.get('AccessKey')
      return key && !emulator.state.keys.has(key) ? withHeader(call, 'AccessKey', null) : call
    }),
  ),
  mutant(
    'credential.expired-token-as-none',
    'An expired token is answered like a missing one.',
    ['logging.authentication.invalid'],
    alterCall(names, (call, { emulator }) =>
      call.headers.get('Authorization')?.endsWith(emulator.fixtures.credentials.expired)
        ? withHeader(call, 'Authorization', null)
        : call,
    ),
  ),
  ...logging.flatMap((operation) => [
    limited(
      operation,
      { id: 'refusal-forgets', text: 'a refused request empties the count', topic: 'rate-limit.429' },
      ({ requests }) => {
        let count = 0
        return () => {
          count = (count + 1) % (requests + 1)
          return count === 0
        }
      },
    ),
    limited(
      operation,
      { id: 'every-other', text: 'only every other request counts', topic: 'rate-limit.429' },
      ({ requests, windowMs }) => {
        let taken: number[] = []
        let requestCount = 0
        return (now) => {
          taken = taken.filter((time) => time > now - windowMs)
          if (taken.length >= requests) return true
          if (requestCount++ % 2 === 0) taken.push(now)
          return false
        }
      },
    ),
    limited(
      operation,
      { id: 'refusal-blocks', text: 'after a 429 a zone is blocked for a minute', topic: 'rate-limit.accepted' },
      ({ requests, windowMs }) => {
        let taken: number[] = []
        let blockedUntil = 0
        return (now) => {
          taken = taken.filter((time) => time > now - windowMs)
          if (now < blockedUntil) return true
          if (taken.length >= requests) blockedUntil = now + minute
          else taken.push(now)
          return now < blockedUntil
        }
      },
    ),
  ]),
  ...logging.flatMap((operation) => [
    mutant(
      `rate-limit.${operation.name}.per-credential`,
      `${operation.name} counts the requests of each credential separately.`,
      [requirementIdOf(operation, 'rate-limit.429', 'rate-limit.429')],
      on([operation.name], () => (call, stated, next) => {
        const { rateLimit, ...rest } = stated
        const scheme = call.headers.get('Authorization') ? 'bearer' : 'key'
        // The emulator counts requests per operation and per value of the path parameter `per`. Because no parameter is
        // named `bearer`, requests with a token have a separate count.
        const changed =
          scheme === 'bearer' && rateLimit
            ? { ...rest, name: stated.name, rateLimit: { ...rateLimit, per: scheme } }
            : stated
        return next(call, changed)
      }),
    ),
    mutant(
      `rate-limit.${operation.name}.per-second`,
      `${operation.name} accepts the limit of a window in each second.`,
      [requirementIdOf(operation, 'rate-limit.429', 'rate-limit.429')],
      alterOperation([operation.name], ({ rateLimit, ...rest }) => ({
        ...rest,
        ...(rateLimit && { rateLimit: { ...rateLimit, windowMs: 1_000 } }),
      })),
    ),
    mutant(
      `rate-limit.${operation.name}.503`,
      `${operation.name} answers 503 beyond the limit.`,
      [requirementIdOf(operation, 'rate-limit.429', 'rate-limit.429')],
      alterResponse([operation.name], swapStatus(429, 503)),
    ),
  ]),
  mutant(
    'retention.v2-thinned',
    'Every other entry older than two days is dropped.',
    ['logging.retention.3-days'],
    alterResponse(['query-logs'], (response, { emulator }) =>
      editRows(response, (rows) =>
        rows.filter((row, index) => {
          const age = emulator.clock.now().getTime() - Date.parse(String(row['timestamp']))
          return age < 2 * day || index % 2 === 0
        }),
      ),
    ),
  ),
  mutant(
    'retention.v1-two-days',
    'Version 1 retains today and the two previous days.',
    ['logging.retention.3-days'],
    on(['read-log-file'], ({ clock }) => async (call, operation, next) => {
      const [, month, date, year] = /(\d\d)-(\d\d)-(\d\d)/.exec(call.path) ?? []
      const age = clock.now().getTime() - Date.UTC(2000 + Number(year), Number(month) - 1, Number(date))
      return age > 3 * day ? { status: 404, headers: {}, body: null } : next(call, operation)
    }),
  ),
  mutant(
    'retention.v1-line-lost',
    'A file loses its first line once its day is over.',
    ['logging.retention.3-days'],
    alterResponse(['read-log-file'], (response, { call, emulator }) => {
      const isToday = call.path.includes(emulator.clock.now().toISOString().slice(5, 10))
      return isToday ? response : editLines(response, (all) => all.slice(1))
    }),
  ),
]

type Limiter = (limit: NonNullable<Operation['rateLimit']>) => (now: number) => boolean

/** A mistake in a rate limit. `text` says what the operation does; `topic` names the requirement that the mistake breaks. */
interface LimitMistake {
  readonly id: string
  readonly text: string
  readonly topic: string
}

/** Creates a mutant that replaces the rate limit by a limiter per zone. The limiter returns whether to refuse a request. */
function limited(operation: Operation, { id, text, topic }: LimitMistake, limiter: Limiter): ServerUnderTest {
  return mutant(
    `rate-limit.${operation.name}.${id}`,
    `In ${operation.name} ${text}.`,
    [requirementIdOf(operation, topic, topic)],
    on([operation.name], ({ clock }) => {
      const zones = new Map<string, (now: number) => boolean>()
      return async (call, { rateLimit, ...unlimited }, next) => {
        const refuses = zones.get(call.path) ?? (rateLimit && limiter(rateLimit))
        if (!refuses) return next(call, unlimited)
        zones.set(call.path, refuses)
        const code = unlimited.responses.find(({ status }) => status === '429')?.errorCode
        return refuses(clock.now().getTime())
          ? { status: 429, headers: {}, body: JSON.stringify({ error: { code, message: '' } }) }
          : next(call, unlimited)
      }
    }),
  )
}
