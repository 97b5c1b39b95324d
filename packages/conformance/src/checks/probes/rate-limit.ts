import { isSuccess } from '../../core/answer.ts'
import { burstZone, durationOf, limitOf, limitTrace, maxAccepted, refusalIn, versionsTrace } from '../../core/bursts.ts'
import { need, Skip } from '../../core/failure.ts'
import { operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { tellingHeaders } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Probes of the kind of limiter, which §8 does not specify. They inspect the requests of the checks of the rate limit. */
export const rateLimitProbes: readonly Probe[] = [
  {
    name: 'logging.rate-limit.steady',
    points: ['logging.rate-limit.headers', 'logging.rate-limit.refused-requests', 'logging.rate-limit.window'],
    effect: 'read',
    burst: true,
    needs,
    observe: async (context) => {
      const operation = operationOf('query-logs')
      const limit = limitOf(operation)
      const zone = burstZone(context, operation)
      const { all: trace } = await context.alone([zone], () => limitTrace(context, operation, zone))
      const refusal = refusalIn(trace)
      if (!refusal) throw new Skip('no request was refused')
      const times = trace.filter(({ answer }) => isSuccess(answer)).map(({ sentAt }) => sentAt)
      const pauses = times.slice(1).map((time, index) => time - need(times[index], 'time'))
      const longest = Math.max(...pauses)
      // A caller that does not pause is never accepted again if its refused requests count.
      const isResumed = times.length > maxAccepted(limit, 0)
      const shortest = Math.min(...times.slice(limit.requests).map((time, index) => time - need(times[index], 'time')))
      const kind = longest < limit.windowMs / 4 ? 'bucket' : shortest < limit.windowMs * 0.9 ? 'fixed' : 'sliding'
      return {
        'logging.rate-limit.headers': tellingHeaders(refusal),
        'logging.rate-limit.refused-requests': isResumed ? 'not counted' : 'counted',
        ...(isResumed && { 'logging.rate-limit.window': kind }),
      }
    },
  },
  {
    name: 'logging.rate-limit.buckets',
    points: ['logging.rate-limit.buckets'],
    effect: 'read',
    burst: true,
    needs,
    observe: async (context) => {
      const operation = operationOf('query-logs')
      const zone = burstZone(context, operation)
      const trace = await context.alone([zone], () => versionsTrace(context, zone))
      if (!refusalIn(trace)) throw new Skip('no request was refused')
      const through = trace.filter(({ answer }) => isSuccess(answer)).length
      const isShared = through <= maxAccepted(limitOf(operation), durationOf(trace))
      return { 'logging.rate-limit.buckets': isShared ? 'shared' : 'one each' }
    },
  },
]
