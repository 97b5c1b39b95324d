import { isSuccess } from '../../core/answer.ts'
import { burst, burstZone, refusalIn } from '../../core/bursts.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { need, Skip } from '../../core/failure.ts'
import { operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { tellingHeaders } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** Number of requests per window after a burst, until the target accepts one. */
const steps = 10

/** Probes of the kind of limiter. §8 does not specify it. */
export const rateLimitProbes: readonly Probe[] = [
  {
    name: 'logging.rate-limit.refusal',
    points: ['logging.rate-limit.headers', 'logging.rate-limit.buckets'],
    effect: 'read',
    burst: true,
    needs,
    observe: async (context) => {
      const zone = burstZone(context, operationOf('query-logs'))
      return context.alone([zone], async () => {
        const answers = await burst(context, operationOf('query-logs'), zone)
        const other = await call(
          context,
          operationOf('read-log-file'),
          { path: { pullZoneId: zone }, query: { end: '1' } },
          { seeRateLimit: true },
        )
        const refusal = refusalIn(answers)
        if (!refusal) throw new Skip('a burst was not refused')
        return {
          'logging.rate-limit.headers': tellingHeaders(refusal),
          'logging.rate-limit.buckets': other.status === 429 ? 'shared' : 'one each',
        }
      })
    },
  },
  {
    name: 'logging.rate-limit.refused-requests',
    points: ['logging.rate-limit.refused-requests'],
    effect: 'read',
    burst: true,
    needs,
    observe: async (context) => {
      const operation = operationOf('query-logs')
      const { requests, windowMs } = need(operation.rateLimit, 'rate limit')
      const zone = burstZone(context, operationOf('query-logs'))
      return context.alone([zone], async (): Promise<Record<string, unknown>> => {
        await burst(context, operation, zone)
        await context.wait(windowMs / 2)
        const refused = await Promise.all(Array.from({ length: requests }, () => isAccepted(context, zone)))
        // If the target accepts some of them by now, these requests cannot show whether refused requests count.
        if (refused.some(Boolean)) return {}
        await context.wait(windowMs * 0.55)
        return { 'logging.rate-limit.refused-requests': (await isAccepted(context, zone)) ? 'not counted' : 'counted' }
      })
    },
  },
  {
    name: 'logging.rate-limit.window',
    points: ['logging.rate-limit.window'],
    effect: 'read',
    burst: true,
    needs,
    observe: async (context) => {
      // A fixed window may end at the end of the first round by chance, but then it does not in the second round.
      const zone = burstZone(context, operationOf('query-logs'))
      const kinds = await context.alone([zone], async () => [
        await kindOfWindow(context, zone),
        await kindOfWindow(context, zone),
      ])
      const clear = kinds.find((kind) => kind !== 'sliding') ?? 'sliding'
      return { 'logging.rate-limit.window': clear }
    },
  },
]

/** Uses up the limit, then observes when the target accepts requests again, and how many at once. */
async function kindOfWindow(context: CheckContext, zone: string): Promise<string> {
  const operation = operationOf('query-logs')
  const { windowMs } = need(operation.rateLimit, 'rate limit')
  if (!refusalIn(await burst(context, operation, zone))) throw new Skip('a burst was not refused')
  for (let step = 1; step <= steps + 1; step++) {
    await context.wait(windowMs / steps)
    if (!(await isAccepted(context, zone))) continue
    if (step >= steps) return 'sliding'
    // At this point a token bucket has refilled the share of one step, but a new fixed window has its whole budget.
    const more = await Promise.all(Array.from({ length: steps }, () => isAccepted(context, zone)))
    return more.every(Boolean) ? 'fixed' : 'bucket'
  }
  return 'longer than stated'
}

async function isAccepted(context: CheckContext, pullZoneId: string): Promise<boolean> {
  return isSuccess(
    await call(
      context,
      operationOf('query-logs'),
      { path: { pullZoneId }, query: { limit: '1' } },
      { seeRateLimit: true },
    ),
  )
}
