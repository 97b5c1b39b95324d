import { isSuccess } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { need, Skip } from '../failure.ts'
import { burst } from '../laws/rate-limit.ts'
import { operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { tellingHeaders } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** After a burst the target is asked this often in a window until it lets a request through. */
const steps = 10

/** What kind of limiter there is (§8 gives the figures alone). */
export const rateLimitProbes: readonly Probe[] = [
  {
    name: 'logging.rate-limit.refusal',
    points: ['logging.rate-limit.headers', 'logging.rate-limit.buckets'],
    effect: 'read',
    burst: true,
    needs,
    look: async (context) => {
      const answers = await burst(context, operationOf('query-logs'))
      const other = await call(context, operationOf('read-log-file'), { query: { end: '1' } }, { seeRateLimit: true })
      const refusal = answers.find(({ status }) => status === 429)
      if (!refusal) throw new Skip('a burst was not refused')
      return {
        'logging.rate-limit.headers': tellingHeaders(refusal),
        'logging.rate-limit.buckets': other.status === 429 ? 'shared' : 'one each',
      }
    },
  },
  {
    name: 'logging.rate-limit.refused-requests',
    points: ['logging.rate-limit.refused-requests'],
    effect: 'read',
    burst: true,
    needs,
    look: async (context) => {
      const operation = operationOf('query-logs')
      const { requests, windowMs } = need(operation.rateLimit, 'rate limit')
      await burst(context, operation)
      await context.wait(windowMs / 2)
      const refused = await Promise.all(Array.from({ length: requests }, () => isAccepted(context)))
      // Where some get through by now, the window is not one in which this can be told.
      if (refused.some(Boolean)) return {}
      await context.wait(windowMs * 0.55)
      return { 'logging.rate-limit.refused-requests': (await isAccepted(context)) ? 'not counted' : 'counted' }
    },
  },
  {
    name: 'logging.rate-limit.window',
    points: ['logging.rate-limit.window'],
    effect: 'read',
    burst: true,
    needs,
    look: async (context) => {
      // A window that is fixed and happens to end with the first round does not with the second.
      const kinds = [await kindOfWindow(context), await kindOfWindow(context)]
      const clear = kinds.find((kind) => kind !== 'sliding') ?? 'sliding'
      return { 'logging.rate-limit.window': clear }
    },
  },
]

/** Spends the limit and looks when, and for how many requests, the target gives way again. */
async function kindOfWindow(context: CheckContext): Promise<string> {
  const operation = operationOf('query-logs')
  const { windowMs } = need(operation.rateLimit, 'rate limit')
  const answers = await burst(context, operation)
  if (!answers.some(({ status }) => status === 429)) throw new Skip('a burst was not refused')
  for (let step = 1; step <= steps + 1; step++) {
    await context.wait(windowMs / steps)
    if (!(await isAccepted(context))) continue
    if (step >= steps) return 'sliding'
    // A bucket has gained one step's share by now; a new window has all of it.
    const more = await Promise.all(Array.from({ length: steps }, () => isAccepted(context)))
    return more.every(Boolean) ? 'fixed' : 'bucket'
  }
  return 'longer than stated'
}

async function isAccepted(context: CheckContext): Promise<boolean> {
  return isSuccess(await call(context, operationOf('query-logs'), { query: { limit: '1' } }, { seeRateLimit: true }))
}
