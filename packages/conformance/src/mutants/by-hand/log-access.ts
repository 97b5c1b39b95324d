import { type Operation, operations } from '@cdn/api/contract'
import type { Emulator } from '@cdn/emulator'
import { requirementIdOf } from '../../laws/law.ts'
import { alterAnswer, alterCall, editLines, editRows, withHeader, withStatus } from '../alter.ts'
import { type Mutant, mutant, on } from '../mutant.ts'

const logging = operations.filter((operation) => operation.interface === 'logging')
const names = logging.map(({ name }) => name)
const minute = 60_000
const day = 1_440 * minute

/** A requirement of each version. */
function ofBoth(slug: string): string[] {
  return logging.map((operation) => requirementIdOf(operation, slug, slug))
}

/** Mistakes about who may read logs, how often, and for how long (§5, §7, §8). */
export const logAccessMutants: readonly Mutant[] = [
  {
    id: 'zone.suspended-served',
    text: 'The logs of a suspended pull zone are shown.',
    breaks: ofBoth('403-suspended'),
    apply: (emulator) => revive(emulator, 'suspendedZoneId'),
  },
  {
    id: 'zone.disabled-served',
    text: 'The logs of a disabled pull zone are shown.',
    breaks: ofBoth('403-disabled'),
    apply: (emulator) => revive(emulator, 'disabledZoneId'),
  },
  {
    id: 'zone.unlogged-served',
    text: 'A pull zone without logging is answered with an empty log.',
    breaks: ofBoth('404'),
    apply: (emulator) => revive(emulator, 'unloggedZoneId'),
  },
  mutant(
    'zone.suspended-as-unlogged',
    'A suspended pull zone is answered like one without logging.',
    ofBoth('403-suspended'),
    alterAnswer(names, (answer, { call, emulator }) =>
      call.path.includes(emulator.fixtures.suspendedZoneId) ? withStatus(answer, 404) : answer,
    ),
  ),
  mutant(
    'credential.wrong-key-as-none',
    'A wrong key is answered like none.',
    ['logging.authentication.invalid'],
    alterCall(names, (call, { emulator }) => {
      const key = call.headers.get('AccessKey')
      return key && !emulator.state.keys.has(key) ? withHeader(call, 'AccessKey', null) : call
    }),
  ),
  mutant(
    'credential.expired-token-as-none',
    'An expired token is answered like none.',
    ['logging.authentication.invalid'],
    alterCall(names, (call, { emulator }) =>
      call.headers.get('Authorization')?.endsWith(emulator.fixtures.credentials.expired)
        ? withHeader(call, 'Authorization', null)
        : call,
    ),
  ),
  ...logging.flatMap((operation) => [
    limited(operation, 'refusal-forgets', 'a refused request empties the count', 'rate-limit.429', ({ requests }) => {
      let count = 0
      return () => {
        count = (count + 1) % (requests + 1)
        return count === 0
      }
    }),
    limited(operation, 'every-other', 'only every other request counts', 'rate-limit.429', ({ requests, windowMs }) => {
      let taken: number[] = []
      let asked = 0
      return (now) => {
        taken = taken.filter((time) => time > now - windowMs)
        if (taken.length >= requests) return true
        if (asked++ % 2 === 0) taken.push(now)
        return false
      }
    }),
    limited(
      operation,
      'refusal-blocks',
      'after a 429 a zone is blocked for a minute',
      'rate-limit.accepted',
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
  mutant(
    'retention.v2-thinned',
    'Of entries older than two days every other one is dropped.',
    ['logging.retention.3-days'],
    alterAnswer(['query-logs'], (answer, { emulator }) =>
      editRows(answer, (rows) =>
        rows.filter((row, index) => {
          const age = emulator.clock.now().getTime() - Date.parse(String(row['timestamp']))
          return age < 2 * day || index % 2 === 0
        }),
      ),
    ),
  ),
  mutant(
    'retention.v1-two-days',
    'Version 1 keeps today and the two days before.',
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
    alterAnswer(['read-log-file'], (answer, { call, emulator }) => {
      const isToday = call.path.includes(emulator.clock.now().toISOString().slice(5, 10))
      return isToday ? answer : editLines(answer, (all) => all.slice(1))
    }),
  ),
]

/** A zone that should be closed is open. */
function revive({ state, fixtures }: Emulator, role: 'suspendedZoneId' | 'disabledZoneId' | 'unloggedZoneId'): void {
  const zone = state.zones.get(fixtures[role])
  if (zone) Object.assign(zone, { status: 'active', logging: 'enabled' })
}

type Limiter = (limit: NonNullable<Operation['rateLimit']>) => (now: number) => boolean

/** The platform with a limiter of its own for each zone: the function it makes says whether a request is refused. */
function limited(operation: Operation, id: string, text: string, topic: string, limiter: Limiter): Mutant {
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
