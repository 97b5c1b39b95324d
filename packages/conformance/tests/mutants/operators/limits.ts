import { type Operation, operations, type RateLimit } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { alterOperation } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'

interface Shift {
  readonly id: string
  readonly text: string
  readonly topic: string
  to(limit: RateLimit): RateLimit | undefined
}

/** Rate limits that are off by one, too long, too short, shared or missing (§8). */
const shifts: readonly Shift[] = [
  {
    id: 'one-less',
    text: 'accepts one request less',
    topic: 'rate-limit.accepted',
    to: (limit) => ({ ...limit, requests: limit.requests - 1 }),
  },
  {
    id: 'one-more',
    text: 'accepts one request more',
    topic: 'rate-limit.429',
    to: (limit) => ({ ...limit, requests: limit.requests + 1 }),
  },
  {
    id: 'window-shorter',
    text: 'counts over nine tenths of the window',
    topic: 'rate-limit.429',
    to: (limit) => ({ ...limit, windowMs: limit.windowMs * 0.9 }),
  },
  {
    id: 'window-longer',
    text: 'counts over eleven tenths of the window',
    topic: 'rate-limit.accepted',
    to: (limit) => ({ ...limit, windowMs: limit.windowMs * 1.1 }),
  },
  { id: 'unlimited', text: 'has no rate limit', topic: 'rate-limit.429', to: () => undefined },
  {
    id: 'shared',
    text: 'counts all pull zones together',
    topic: 'rate-limit.per-pull-zone',
    to: (limit) => ({ ...limit, per: 'account' }),
  },
]

export const rateLimitMutants: readonly ServerUnderTest[] = operations.flatMap((operation) =>
  operation.rateLimit ? shifts.map((shift) => shifted(operation, shift)) : [],
)

function shifted(operation: Operation, { id, text, topic, to }: Shift): ServerUnderTest {
  return mutant(
    `rate-limit.${operation.name}.${id}`,
    `${operation.name} ${text}.`,
    [requirementIdOf(operation, topic, topic)],
    alterOperation([operation.name], ({ rateLimit, ...rest }) => {
      const other = rateLimit && to(rateLimit)
      return other ? { ...rest, rateLimit: other } : rest
    }),
  )
}

const second = 1_000
const hour = 3_600 * second

/**
 * Changes of the retention. A shorter retention breaks the spec. A longer retention breaks only the supplement, because the spec
 * states a minimum of 3 days.
 */
const retentions = [
  { id: 'second-shorter', text: 'a second less than stated', byMs: -second },
  { id: 'hour-shorter', text: 'an hour less than stated', byMs: -hour },
  { id: 'day-shorter', text: 'a day less than stated', byMs: -24 * hour },
  { id: 'day-longer', text: 'a day longer than stated', byMs: 24 * hour },
] as const

export const retentionMutants: readonly ServerUnderTest[] = operations.flatMap((operation) =>
  operation.retentionMs === undefined
    ? []
    : retentions.map(({ id, text, byMs }) => {
        const outside = operation.name === 'query-logs' ? 'retention-refused' : 'retention-gone'
        const slug = byMs > 0 ? outside : 'retention.3-days'
        return mutant(
          `retention.${operation.name}.${id}`,
          `${operation.name} retains logs ${text}.`,
          [requirementIdOf(operation, slug, slug)],
          alterOperation([operation.name], (stated) => ({
            ...stated,
            retentionMs: defined(stated.retentionMs) + byMs,
          })),
        )
      }),
)
