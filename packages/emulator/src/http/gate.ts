import type { Operation } from '@cdn/api/contract'
import type { EmulatorContext } from '../platform/handler.ts'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorResponse } from './messages.ts'
import type { ParameterValue } from './parameters.ts'
import { refuse } from './refuse.ts'

/**
 * Returns the status for malformed path parameters: 400 if the operation lists a 400, otherwise 404, because no resource has a
 * malformed id (§7 lists no 400 for delete watermark). For the date of a v1 file, the variant `fileDateForm` is the status.
 *
 * @param values the path parameters that are valid
 */
export function malformedIdStatus(
  operation: Operation,
  values: Readonly<Record<string, ParameterValue | undefined>>,
  { fileDateForm }: Variants,
): number {
  const hasDate = operation.parameters.some(({ name }) => name === 'date')
  if (hasDate && values['date'] === undefined) return fileDateForm
  return operation.responses.some((response) => response.status === '400') ? 400 : 404
}

/**
 * Checks whether the logs of a pull zone can be read (§7): 403 if the zone is suspended or disabled, 404 if logging is off.
 *
 * @returns the refusal, or undefined
 */
export function refuseZone(
  operation: Operation,
  zoneId: string,
  { state, variants }: EmulatorContext,
): EmulatorResponse | undefined {
  const zone = state.zones.get(zoneId)
  if (!zone) return refuse(operation, variants.unknownZone, { message: 'You cannot access this pull zone.' }, variants)
  if (zone.status !== 'active') return refuse(operation, 403, { message: `The pull zone is ${zone.status}.` }, variants)
  if (zone.logging === 'disabled')
    return refuse(operation, 404, { message: 'Logging is not enabled for this pull zone.' }, variants)
  return undefined
}

/**
 * Checks the rate limit of the contract (§8).
 *
 * @returns a 429 response, or undefined
 */
export function refuseRate(
  operation: Operation,
  parameters: Readonly<Record<string, ParameterValue | undefined>>,
  { limiter, variants }: Pick<EmulatorContext, 'limiter' | 'variants'>,
  now: number,
): EmulatorResponse | undefined {
  const limit = operation.rateLimit
  if (!limit) return undefined
  const bucket = variants.rateBuckets === 'one each' ? operation.name : operation.interface
  const wait = limiter.take(`${bucket} ${parameters[limit.per]}`, limit, now)
  if (wait === 0) return undefined
  const response = refuse(operation, 429, { message: 'Too many requests for this pull zone.' }, variants)
  if (variants.retryAfter === 'absent') return response
  return { ...response, headers: { ...response.headers, 'retry-after': String(Math.ceil(wait / 1000)) } }
}
