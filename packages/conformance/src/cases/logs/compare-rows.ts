/** Compares lists of log rows, and a response with its predictions. The rules judge what needs no prediction. */

import { assertDefined } from '@cdn/kit/assert-defined'
import type { Answered, ReceivedResponse } from '../../exchange/exchange.ts'
import { type Expected, Failure, type Seen, success, value, wrong } from '../../exchange/failure.ts'
import { lineFields, linesOf, parseLogLine, type Row, rowText, timeOfLine } from '../../exchange/log-rows.ts'
import { isSuccess, placesIn, seenStatus } from '../../exchange/response.ts'
import { indexOutOfOrder, isMalformedLine } from '../../rules/logs.ts'
import {
  type LogItem,
  type LogOperation,
  type LogQuery,
  type Prediction,
  predictPages,
  type Reference,
} from '../../rules/predictions.ts'
import { parsePage, rowTime } from './rows.ts'

/**
 * Returns the items of a page of version 2.
 *
 * @param as the version with whose items the rows are compared
 */
export function itemsOfPage({ rows }: { readonly rows: readonly Row[] }, as: LogOperation = 'query-logs'): LogItem[] {
  return rows.map((row) => toItem(as, row, rowTime(row)))
}

/** Returns the items of the lines of a file. */
export function itemsOfLines(lines: readonly string[]): LogItem[] {
  return lines.map((line) => toItem('read-log-file', parseLogLine(line), timeOfLine(line)))
}

/** In version 1, the key is the line: texts without pipes and line breaks, and `-` for null and for an empty text (supplement). */
function toItem(as: LogOperation, row: Row, time: number): LogItem {
  const fields = lineFields().map(({ name }) => String(name === 'timestamp' ? time : (row[name] ?? '-')))
  const texts = fields.map((field) => field.toWellFormed().replaceAll(/[|\r\n]/g, ''))
  const key = as === 'query-logs' ? rowText(row) : texts.map((text) => text || '-').join('|')
  return { time, row, line: texts.join('|'), key }
}

/** @param order the order that the query requests; the default is `desc` */
export function isOutOfOrder(items: readonly LogItem[], order = 'desc'): boolean {
  const times = items.map(({ time }) => time)
  return indexOutOfOrder(times, order) >= 0
}

/** Returns the items of the first list that are missing in the second. Duplicates count separately. */
export function itemsOnlyInFirst(these: readonly LogItem[], those: readonly LogItem[]): LogItem[] {
  const left = Map.groupBy(those, ({ key }) => key)
  return these.filter(({ key }) => left.get(key)?.pop() === undefined)
}

/** Returns the items that only one of two lists has. */
export function itemsInOnlyOne(these: readonly LogItem[], those: readonly LogItem[]): LogItem[] {
  return [...itemsOnlyInFirst(these, those), ...itemsOnlyInFirst(those, these)]
}

/** A difference between a response and its predictions. */
export interface Difference {
  /**
   * `response`: no page or file. `items`: missing, additional or repeated items. `before`, `after`: items outside the range.
   * `more`, `end`: `hasMore` is wrongly true, or wrongly false.
   */
  readonly what: 'response' | 'items' | 'before' | 'after' | 'more' | 'end'
  readonly expected: Expected
  readonly seen: Seen
}

/**
 * Returns how a response differs from its predictions; nothing if it fits one of them. A file with a misshapen line is not compared,
 * because a rule reports that line.
 */
export function differencesOf(reference: Reference, response: Answered): Difference[] {
  const query: LogQuery = Object.fromEntries(response.sent.query)
  if (!isSuccess(response)) return [{ what: 'response', expected: success(), seen: seenStatus(response) }]
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
  const page = parsePage(response)
  const items = itemsOfPage(page)
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
      'no row at to or later',
      wrong('a page has rows from the end of its range or later', { at: at(late) }),
    ),
  ]
  const { differences, fitting } = compare(items, [...predictPages(reference, query)])
  const hasMore = fitting.map((prediction) => prediction.hasMore)
  const { hasMore: announced } = page.pagination
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
  if (lines.some(isMalformedLine)) return []
  const items = itemsOfLines(lines)
  // The lines after the range are unknown.
  const inRange = items.filter(({ time }) => !(time >= reference.to))
  const { differences } = compare(inRange, [...predictPages(reference, query)])
  return isOutOfOrder(items, query['sort']) ? [] : differences
}

function when(holds: boolean, what: Difference['what'], expected: string, seen: Seen): Difference[] {
  return holds ? [{ what, expected: value(expected), seen }] : []
}

/**
 * Returns the difference from the first prediction if no prediction fits, and the predictions that fit, or all predictions if none fits.
 */
function compare(items: readonly LogItem[], predictions: readonly Prediction[]) {
  const [first] = predictions
  const fitting = predictions.filter((prediction) => mismatch(items, prediction) === undefined)
  if (!first || fitting.length > 0) return { differences: [], fitting }
  const count = first.picks ? first.page.filter(first.picks).length : first.page.length
  const seen = mismatch(items, first) ?? wrong('a page does not have the expected rows')
  return { differences: when(true, 'items', `${count} entries`, seen), fitting: predictions }
}

function mismatch(items: readonly LogItem[], { page, pool, picks }: Prediction): Seen | undefined {
  const picked = (of: readonly LogItem[]) => (picks ? of.filter(picks) : of)
  // Any items of these milliseconds may be in the page.
  const open = new Set(pool.filter((item) => !page.includes(item)).map(({ time }) => time))
  const missing = itemsOnlyInFirst(picked(page.filter(({ time }) => !open.has(time))), items)
  const tooMany = itemsOnlyInFirst(items, picked(pool))
  if (missing.length + tooMany.length > 0) {
    const text = `${missing.length} missing, ${tooMany.length} too many`
    return changedField(missing, tooMany) ?? wrong('a response does not have the expected rows', { text })
  }
  const times = (of: readonly LogItem[]) => of.map(({ time }) => time).join()
  return picks || times(items) === times(page) ? undefined : wrong('rows have other times than in another response')
}

/** Shows the field in which a missing item and an additional one differ; undefined if every such pair differs in several fields. */
export function changedField([missing, ...others]: readonly LogItem[], extra: readonly LogItem[]): Seen | undefined {
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
