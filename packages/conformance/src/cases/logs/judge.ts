/** Compares a response of the logs with its predictions. */
import { contracts } from '@cdn/api/contract'
import { Failure } from '../../run/failure.ts'
import { isSuccess, type ReceivedResponse, withBody } from '../../run/response.ts'
import { defaultLimit, expected, type Item, type LogQuery, type Prediction, type Reference } from './expected.ts'
import { toItem } from './reference.ts'
import { lineFields, linesOf, pageOf, parseLogLine, type Row, rowTime, surplus, timeOfLine } from './rows.ts'

/** A difference between a response and its predictions. */
export interface Difference {
  /**
   * `response`: no page or file. `items`: missing, additional or repeated items. `before`, `after`: items outside the range. `order`:
   * another order. `more`, `end`: a wrong `hasMore`. `echo`: another query is named. `delimiter`, `line`: a line without pipes, or
   * with other fields. `zone`: an item of another pull zone. `cacheStatus`: an unlisted one.
   */
  readonly what:
    | 'response'
    | 'items'
    | 'before'
    | 'after'
    | 'order'
    | 'more'
    | 'end'
    | 'echo'
    | 'delimiter'
    | 'line'
    | 'zone'
    | 'cacheStatus'
  readonly expected: string
  readonly seen: string
}

/** Returns the differences of a response from all predictions. The query is the one that was sent. */
export function differencesOf(reference: Reference, query: LogQuery, response: ReceivedResponse): Difference[] {
  if (!isSuccess(response)) return [{ what: 'response', expected: 'a success', seen: withBody(response) }]
  try {
    return reference.operation === 'query-logs'
      ? ofPage(reference, query, response)
      : ofFile(reference, query, response)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ what: 'response', expected: error.expected, seen: error.seen }]
  }
}

function ofPage(reference: Reference, query: LogQuery, response: ReceivedResponse): Difference[] {
  const { rows, pagination, query: named } = pageOf(response)
  const items = rows.map((row) => toItem('query-logs', row, rowTime(row)))
  const { from = '', to = '', order = 'desc', limit = defaultLimit, offset = '0' } = query
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const [isEarly, isLate] = [items.some(({ time }) => time < first), items.some(({ time }) => time >= last)]
  const misplaced = [
    ...when(isEarly, 'before', 'no row before from', 'some'),
    ...when(isLate, 'after', 'no row from to on', 'some'),
    ...outOfOrder(items, order),
  ]
  const { differences, fitting } = compare(items, [...expected(reference, query)])
  const hasMore = fitting.map((prediction) => prediction.hasMore)
  const { hasMore: announced } = pagination
  const page = [pagination.offset, pagination.limit, pagination.returned].map(Number)
  const echo = [...page, named.pullZoneId, Date.parse(named.from), Date.parse(named.to), named.order].join(', ')
  // Both numbers are rounded in the same way, if they are beyond 2^53.
  const effective = [Number(offset), limit, rows.length, reference.zone, first, last, order].join(', ')
  return [
    ...ofFields(reference, rows),
    // In another order or range, a page has other rows.
    ...(misplaced.length > 0 ? misplaced : differences),
    ...when(!hasMore.includes(announced), announced ? 'more' : 'end', `hasMore ${!announced}`, `${announced}`),
    ...when(echo !== effective, 'echo', `the effective query ${effective}`, echo),
  ]
}

function ofFile(reference: Reference, query: LogQuery, response: ReceivedResponse): Difference[] {
  const lines = linesOf(response)
  const undivided = lines.filter((line) => !line.includes('|'))
  const fields = lineFields()
  const lengths = [fields.filter(({ extended }) => !extended).length, fields.length]
  const rows = lines.map(parseLogLine)
  const odd = lines.filter((line, index) => {
    const isOdd = ({ name, type }: (typeof fields)[number]) =>
      type === 'integer' && !/^\d+$/.test(rows[index]?.[name] ?? '0')
    return !lengths.includes(line.split('|').length) || fields.some(isOdd)
  })
  const misshapen = [
    ...when(undivided.length > 0, 'delimiter', 'fields joined by |', JSON.stringify(undivided[0])),
    ...when(odd.length > 0, 'line', `${lengths.join(' or ')} fields, the stated ones integers`, JSON.stringify(odd[0])),
  ]
  if (misshapen.length > 0) return misshapen
  const items = rows.map((row, index) => toItem('read-log-file', row, timeOfLine(lines[index] ?? '')))
  const misplaced = outOfOrder(items, query['sort'])
  // The lines after the range are unknown.
  const inRange = items.filter(({ time }) => !(time >= reference.to))
  const { differences } = compare(inRange, [...expected(reference, query)])
  return [...ofFields(reference, rows), ...(misplaced.length > 0 ? misplaced : differences)]
}

/** Finds rows of another pull zone, and cache statuses that are not listed (§2). */
function ofFields({ zone }: Reference, rows: readonly Row[]): Difference[] {
  const strange = rows.find(({ pullZoneId }) => String(pullZoneId) !== zone)
  const listed = contracts.logging.openapi.spec.components.schemas?.['CacheStatus']?.enum ?? []
  const odd = rows.find(({ cacheStatus }) => !listed.includes(String(cacheStatus)))
  return [
    ...when(strange !== undefined, 'zone', `entries of ${zone} only`, `one of ${String(strange?.['pullZoneId'])}`),
    ...when(
      odd !== undefined,
      'cacheStatus',
      `one of ${listed.join(', ')}`,
      JSON.stringify(odd?.['cacheStatus']) ?? 'none',
    ),
  ]
}

function outOfOrder(items: readonly Item[], order = 'desc'): Difference[] {
  const times = items.map(({ time }) => time)
  const sorted = times.toSorted((a, b) => (order === 'asc' ? a - b : b - a))
  return when(times.join() !== sorted.join(), 'order', `times in order ${order}`, 'another order')
}

function when(holds: boolean, what: Difference['what'], expected: string, seen: string): Difference[] {
  return holds ? [{ what, expected, seen }] : []
}

/** Returns the difference from the first prediction if no prediction fits, and the predictions that fit, or else all. */
function compare(items: readonly Item[], predictions: readonly Prediction[]) {
  const [first] = predictions
  const fitting = predictions.filter((prediction) => mismatch(items, prediction) === undefined)
  if (!first || fitting.length > 0) return { differences: [], fitting }
  const count = first.picks ? first.page.filter(first.picks).length : first.page.length
  return { differences: when(true, 'items', `${count} entries`, mismatch(items, first) ?? ''), fitting: predictions }
}

function mismatch(items: readonly Item[], { page, pool, picks }: Prediction): string | undefined {
  const keysOf = (of: readonly Item[]) => (picks ? of.filter(picks) : of).map(({ key }) => key)
  const keys = items.map(({ key }) => key)
  // Any items of these milliseconds may be in the page.
  const open = new Set(pool.filter((item) => !page.includes(item)).map(({ time }) => time))
  const missing = surplus(keysOf(page.filter(({ time }) => !open.has(time))), keys).length
  const tooMany = surplus(keys, keysOf(pool)).length
  if (missing + tooMany > 0) return `${missing} missing, ${tooMany} too many`
  const times = (of: readonly Item[]) => of.map(({ time }) => time).join()
  return picks || times(items) === times(page) ? undefined : `${items.length} at other times`
}
