/** Compares a response of the logs with its predictions. The rules judge what needs no prediction. */

import { assertDefined } from '@cdn/kit/assert-defined'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { type Expected, Failure, type Seen, success, value, wrong } from '../../exchange/failure.ts'
import { lineFields, linesOf, parseLogLine, timeOfLine } from '../../exchange/log-rows.ts'
import { isSuccess, placesIn, statusOf } from '../../exchange/response.ts'
import { expected, type Item, type LogQuery, type Prediction, type Reference } from '../../rules/expected.ts'
import { isMisshapen } from '../../rules/logs.ts'
import { toItem } from './reference.ts'
import { pageOf, rowTime, surplus } from './rows.ts'

/** A difference between a response and its predictions. */
export interface Difference {
  /**
   * `response`: no page or file. `items`: missing, additional or repeated items. `before`, `after`: items outside the range.
   * `more`, `end`: `hasMore` is wrongly true, or wrongly false.
   */
  readonly what: 'response' | 'items' | 'before' | 'after' | 'more' | 'end'
  readonly expected: Expected
  readonly seen: Seen
  /** The response that differs. */
  readonly responses?: readonly ReceivedResponse[]
}

/**
 * Returns how a response differs from its predictions; nothing if it fits one of them. A file with a misshapen line is not compared,
 * because a rule reports that line.
 *
 * @param query the parameters as they were sent
 */
export function differencesOf(reference: Reference, query: LogQuery, response: ReceivedResponse): Difference[] {
  if (!isSuccess(response)) return [{ what: 'response', expected: success(), seen: statusOf(response) }]
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
  const { rows, pagination } = pageOf(response)
  const items = rows.map((row) => toItem('query-logs', row, rowTime(row)))
  const { from = '', to = '', order } = query
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const at = (index: number) => placesIn(response, `data[${index}].timestamp`)
  const [early, late] = [items.findIndex(({ time }) => time < first), items.findIndex(({ time }) => time >= last)]
  const misplaced = [
    ...when(
      early >= 0,
      'before',
      'no row before from',
      wrong('a page has rows from before its range', { at: at(early) }),
    ),
    ...when(
      late >= 0,
      'after',
      'no row from to on',
      wrong('a page has rows from the end of its range or later', { at: at(late) }),
    ),
  ]
  const { differences, fitting } = compare(items, [...expected(reference, query)])
  const hasMore = fitting.map((prediction) => prediction.hasMore)
  const { hasMore: announced } = pagination
  return [
    // A wrong range or order also leads to other rows, which are not a second mistake.
    ...(misplaced.length > 0 || isOutOfOrder(items, order) ? misplaced : differences),
    ...when(
      !hasMore.includes(announced),
      announced ? 'more' : 'end',
      `hasMore ${!announced}`,
      wrong(announced ? 'hasMore is true on the last page' : 'hasMore is false before the last page', {
        at: placesIn(response, 'pagination.hasMore'),
      }),
    ),
  ]
}

function ofFile(reference: Reference, query: LogQuery, response: ReceivedResponse): Difference[] {
  const lines = linesOf(response)
  if (lines.some(isMisshapen)) return []
  const items = lines.map((line) => toItem('read-log-file', parseLogLine(line), timeOfLine(line)))
  // The lines after the range are unknown.
  const inRange = items.filter(({ time }) => !(time >= reference.to))
  const { differences } = compare(inRange, [...expected(reference, query)])
  return isOutOfOrder(items, query['sort']) ? [] : differences
}

function isOutOfOrder(items: readonly Item[], order = 'desc'): boolean {
  const times = items.map(({ time }) => time)
  const sorted = times.toSorted((a, b) => (order === 'asc' ? a - b : b - a))
  return times.join() !== sorted.join()
}

function when(holds: boolean, what: Difference['what'], expected: string, seen: Seen): Difference[] {
  return holds ? [{ what, expected: value(expected), seen }] : []
}

/** Returns the difference from the first prediction if no prediction fits, and the predictions that fit, or else all. */
function compare(items: readonly Item[], predictions: readonly Prediction[]) {
  const [first] = predictions
  const fitting = predictions.filter((prediction) => mismatch(items, prediction) === undefined)
  if (!first || fitting.length > 0) return { differences: [], fitting }
  const count = first.picks ? first.page.filter(first.picks).length : first.page.length
  const seen = mismatch(items, first) ?? wrong('a page does not have the expected rows')
  return { differences: when(true, 'items', `${count} entries`, seen), fitting: predictions }
}

function mismatch(items: readonly Item[], { page, pool, picks }: Prediction): Seen | undefined {
  const keysOf = (of: readonly Item[]) => (picks ? of.filter(picks) : of).map(({ key }) => key)
  const keys = items.map(({ key }) => key)
  // Any items of these milliseconds may be in the page.
  const open = new Set(pool.filter((item) => !page.includes(item)).map(({ time }) => time))
  const missing = surplus(keysOf(page.filter(({ time }) => !open.has(time))), keys).length
  const tooMany = surplus(keys, keysOf(pool)).length
  if (missing + tooMany > 0) {
    const lacking = page.filter(({ key }) => !keys.includes(key))
    const extra = items.filter(({ key }) => !pool.some((item) => item.key === key))
    const text = `${missing} missing, ${tooMany} too many`
    return changedField(lacking, extra) ?? wrong('a response does not have the expected rows', { text })
  }
  const times = (of: readonly Item[]) => of.map(({ time }) => time).join()
  return picks || times(items) === times(page) ? undefined : wrong('rows have other times than in another response')
}

/** Shows the field in which a missing item and an additional one differ; undefined if every such pair differs in several fields. */
function changedField([missing, ...others]: readonly Item[], extra: readonly Item[]): Seen | undefined {
  if (!missing) return undefined
  const expected = missing.line.split('|')
  const pairs = extra.map(({ line }) =>
    line.split('|').flatMap((text, index) => (text === expected[index] ? [] : [index])),
  )
  const [index, ...more] = pairs.find(({ length }) => length === 1) ?? []
  if (index === undefined || more.length > 0)
    return others.length > 0 && extra.length > 0 ? changedField(others, extra) : undefined
  const twin = assertDefined(extra[pairs.findIndex(({ length }) => length === 1)]).line.split('|')
  const { name: field = '' } = lineFields()[index] ?? {}
  return wrong('a field of a row differs between two responses', {
    field,
    text: `${twin[index]} instead of ${expected[index]}`,
  })
}
