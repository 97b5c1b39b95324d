import type { Operation } from '@cdn/api/contract'
import type { Platform } from '../platform.ts'
import type { Answer } from './call.ts'
import type { ParameterValue } from './parameters.ts'
import { refuse } from './refuse.ts'

/**
 * Whether a pull zone's logs can be read (§7): 403 where it is suspended or disabled, 404 where it does not log.
 *
 * @returns the refusal, or undefined
 */
export function refuseZone(operation: Operation, zoneId: string, { state, variants }: Platform): Answer | undefined {
  const zone = state.zones.get(zoneId)
  if (!zone)
    return refuse(operation, variants.unknownZone, { message: 'This pull zone is not yours to read.' }, variants)
  if (zone.status !== 'active') return refuse(operation, 403, { message: `The pull zone is ${zone.status}.` }, variants)
  if (zone.logging === 'disabled')
    return refuse(operation, 404, { message: 'Logging is not enabled for this pull zone.' }, variants)
  return undefined
}

/**
 * Whether the rate limit of the contract lets the request through (§8).
 *
 * @returns 429, or undefined
 */
export function refuseRate(
  operation: Operation,
  parameters: Readonly<Record<string, ParameterValue | undefined>>,
  { limiter, variants }: Platform,
  now: number,
): Answer | undefined {
  const limit = operation.rateLimit
  if (!limit) return undefined
  const bucket = variants.rateBuckets === 'one each' ? operation.name : operation.interface
  const wait = limiter.take(`${bucket} ${parameters[limit.per]}`, limit, now)
  if (wait === 0) return undefined
  const answer = refuse(operation, 429, { message: 'Too many requests for this pull zone.' }, variants)
  if (variants.retryAfter === 'absent') return answer
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(wait / 1000)) } }
}
