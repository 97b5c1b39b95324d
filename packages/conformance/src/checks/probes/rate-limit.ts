import {
  acceptedOf,
  burstZone,
  durationOf,
  limitOf,
  limitTrace,
  maxAccepted,
  refusalIn,
  versionsTrace,
} from '../../core/bursts.ts'
import { Skip } from '../../core/failure.ts'
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
      const { all, last } = await context.alone([zone], () => limitTrace(context, operation, zone))
      const refusal = refusalIn(all)
      if (!refusal) throw new Skip('no request was refused')
      const times = acceptedOf(all).map(({ sentAt }) => sentAt)
      const pauses = times.sort((a, b) => a - b).map((time, index) => time - (times[index - 1] ?? time))
      // A caller that does not pause is hardly ever accepted again if its refused requests count.
      const isCounted = times.length < limit.requests * 1.5
      const isFixed = acceptedOf(last).length > limit.requests / 2
      const other = Math.max(...pauses) < limit.windowMs / 4 ? 'bucket' : 'sliding'
      return {
        'logging.rate-limit.headers': tellingHeaders(refusal),
        'logging.rate-limit.refused-requests': isCounted ? 'counted' : 'not counted',
        ...(!isCounted && { 'logging.rate-limit.window': isFixed ? 'fixed' : other }),
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
      const isShared = acceptedOf(trace).length <= maxAccepted(limitOf(operation), durationOf(trace))
      return { 'logging.rate-limit.buckets': isShared ? 'shared' : 'one each' }
    },
  },
]
