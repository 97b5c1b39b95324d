import { type Operation, operations, type RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import { alterOperation } from '../alter-calls.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'

/** Rate limits that are off by one, too long, too short, shared or missing (§8): the broken requirement, and the limit. */
const shifts: Readonly<Record<string, readonly [sharedEnd: string, to: (limit: RateLimit) => RateLimit | undefined]>> =
  {
    'one-less': ['rate-limit.accepted', (limit) => ({ ...limit, requests: limit.requests - 1 })],
    'one-more': ['rate-limit.429', (limit) => ({ ...limit, requests: limit.requests + 1 })],
    'window-shorter': ['rate-limit.429', (limit) => ({ ...limit, windowMs: limit.windowMs * 0.9 })],
    'window-longer': ['rate-limit.accepted', (limit) => ({ ...limit, windowMs: limit.windowMs * 1.1 })],
    unlimited: ['rate-limit.429', () => undefined],
    shared: ['rate-limit.per-pull-zone', (limit) => ({ ...limit, per: 'account' })],
  }

export const rateLimitMutants: readonly ServerUnderTest[] = operations
  .filter(({ rateLimit }) => rateLimit)
  .flatMap((operation) =>
    Object.entries(shifts).map(([id, [sharedEnd, to]]) =>
      mutant(
        `rate-limit.${operation.name}.${id}`,
        [requirementIdOf(operation, sharedEnd, sharedEnd)],
        alterOperation([operation.name], ({ rateLimit, ...rest }) => {
          const other = rateLimit && to(rateLimit)
          return other ? { ...rest, rateLimit: other } : rest
        }),
      ),
    ),
  )

/** Changes of the retention. A longer one breaks only the supplement, because the spec states a minimum of 3 days. */
const retentions = {
  'second-shorter': -1_000,
  'hour-shorter': -hourMs,
  'day-shorter': -dayMs,
  'day-longer': dayMs,
}

/** Further requirements that a retention of files breaks if it is shorter by an hour or more, and if it is shorter by a day or more. */
function breaksBeyond({ name }: Operation, byMs: number): readonly string[] {
  if (name !== 'read-log-file' || byMs > -hourMs) return []
  return ['logging.agreement.v1-v2', ...(byMs <= -dayMs ? ['logging.service.raw-logs'] : [])]
}

export const retentionMutants: readonly ServerUnderTest[] = operations
  .filter(({ retentionMs }) => retentionMs !== undefined)
  .flatMap((operation) =>
    Object.entries(retentions).map(([id, byMs]) => {
      const outside = operation.name === 'query-logs' ? 'retention-refused' : 'retention-gone'
      const end = byMs > 0 ? outside : 'retention.3-days'
      return mutant(
        `retention.${operation.name}.${id}`,
        [requirementIdOf(operation, end, end), ...breaksBeyond(operation, byMs)],
        alterOperation([operation.name], (stated) => ({
          ...stated,
          retentionMs: assertDefined(stated.retentionMs) + byMs,
        })),
      )
    }),
  )
