/** Converts cases of the logs to stored calls, and stored calls to cases. */
import { dayMs } from '@cdn/kit/time'
import type { CaseCall } from '../../exchange/case.ts'
import type { LogQuery, Reference } from '../../rules/predictions.ts'
import { isValidQuery, parameterValues, type QueryCase } from './query-cases.ts'

/** Returns the calls of a case. A stored query without `from` and `to` covers the range of the reference. */
export function callsOfQueryCase({ reference, bearer, query }: QueryCase): CaseCall[] {
  const { operation, zone } = reference
  return [{ operation, credential: bearer ? 'bearer' : 'AccessKey', path: { pullZoneId: zone }, query }]
}

/**
 * Returns the case of stored calls. If an end of its range lies outside the reference, it moves to a day of the reference, at the
 * same time of day.
 *
 * @param known the references; the case queries one of them
 * @returns undefined if no case of these references could have these calls
 */
export function queryCaseOfCalls(calls: readonly CaseCall[], known: readonly Reference[]): QueryCase | undefined {
  const [call, ...others] = calls
  const reference = known.find(
    ({ zone, operation }) => zone === call?.path?.['pullZoneId'] && operation === call.operation,
  )
  if (!call || !reference || others.length > 0) return undefined
  const query: LogQuery = Object.fromEntries(
    Object.entries(call.query ?? {}).map(([name, value]) => [name, isEnd(name) ? onDayOf(reference, value) : value]),
  )
  const isKnown = Object.entries(query).every(
    ([name, value]) => name in parameterValues(reference) && !(isEnd(name) && isOutside(reference, value)),
  )
  return isKnown && isValidQuery(reference, query)
    ? { reference, bearer: call.credential === 'bearer', query }
    : undefined
}

function isEnd(name: string): boolean {
  return name === 'from' || name === 'to'
}

/** Moves a time outside the reference to the first day on which the same time of day is within it. The time of day keeps its text. */
function onDayOf(reference: Reference, value: string): string {
  if (!isOutside(reference, value)) return value
  const time = value.slice(value.indexOf('T'))
  const days = [reference.from, reference.from + dayMs].map((day) => new Date(day).toISOString().slice(0, 10) + time)
  return days.find((moved) => !isOutside(reference, moved)) ?? value
}

function isOutside({ from, to }: Reference, value: string): boolean {
  return !(Date.parse(value) >= from && Date.parse(value) <= to)
}
