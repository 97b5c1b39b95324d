/** Rules about the pages of version 2 and the files of version 1 that need no predicted rows (§2, §4). */

import { contracts, type Operation } from '@cdn/api/contract'
import { memoize } from '@cdn/kit/memoize'
import { isRecord, toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import type { Exchange, ReceivedResponse } from '../exchange/exchange.ts'
import { oneStatus, type Place, value, wrong } from '../exchange/failure.ts'
import { misreadIds, noSuchText } from '../exchange/hostile-input.ts'
import { isDropped, lineFields, linesOf, parseLogLine, type Row } from '../exchange/log-rows.ts'
import { dayOf, dayParameterOf, idParameterOf } from '../exchange/resources.ts'
import { isSuccess, parseBody, placesIn, seenStatus } from '../exchange/response.ts'
import { defaultLimit, logFilters } from './predictions.ts'
import { credentialStatusOf, isPlainQuery, type Rule } from './rule.ts'

const isPage = ({ name }: Operation) => name === 'query-logs'
const isFile = ({ name }: Operation) => name === 'read-log-file'
const isOfLogs = (operation: Operation) => isPage(operation) || isFile(operation)

/** The lines (of a file only), the rows, and the times of the rows in ms since 1970. */
interface Content {
  readonly lines: readonly string[]
  readonly rows: readonly Row[]
  /** Empty if a row has no valid time. Only the supplement names the field of the time. */
  readonly times: readonly number[]
}

/** All rules read the same response, so it is parsed once. */
const contentIn = memoize((response: ReceivedResponse, operation: Operation): Content => {
  const lines = isSuccess(response) && isFile(operation) ? linesOf(response) : []
  const { data } = isSuccess(response) && isPage(operation) ? toRecord(parseBody(response)) : {}
  const rows = isFile(operation) ? lines.map(parseLogLine) : Array.isArray(data) ? data.filter(isRecord) : []
  const timeOf = ({ timestamp }: Row) => (isFile(operation) ? Number(timestamp) : Date.parse(String(timestamp)))
  const times = rows.map(timeOf)
  return { lines, rows, times: times.some(Number.isNaN) ? [] : times }
})
const contentOf = ({ operation, response }: Exchange) => contentIn(response, operation)

/** The evidence of a row: its field in version 2, its line in version 1. */
function placesOf({ operation, response }: Exchange, field: string, ...rows: readonly number[]): Place[] {
  if (isPage(operation)) return placesIn(response, ...rows.map((index) => `data[${index}].${field}`))
  const { lines } = contentIn(response, operation)
  return rows.map((index) => ({ path: `line ${index + 1}`, text: lines[index] ?? '' }))
}

/** The fields of a line of version 1, and the permitted numbers of fields: without and with extended logging. */
const fields = lineFields()
const lengths: readonly number[] = [fields.filter(({ extended }) => !extended).length, fields.length]

/** Whether a line of version 1 has a wrong number of fields, or text in a field that the contract states as an integer. */
export function isMalformedLine(line: string): boolean {
  return notCountIn(line) !== undefined || !lengths.includes(line.split('|').length)
}

/** Returns the name of the first field of a line that must be a non-negative integer, but has another text. */
function notCountIn(line: string): string | undefined {
  const row = parseLogLine(line)
  return fields.find(({ name, type }) => type === 'integer' && !/^\d+$/.test(row[name] ?? '0'))?.name
}

/** Returns the index of the first time that should come after the next one; -1 if all times are in order. */
export function indexOutOfOrder(times: readonly number[], order: string): number {
  const isWrong = (time: number, next = time) => (order === 'asc' ? time > next : time < next)
  return times.findIndex((time, index) => isWrong(time, times[index + 1]))
}

/** Whether a query states both ends of its range, and both have passed: nothing states the end of a range in the future. */
const isFixed = ({ query, at }: Exchange) => query.has('from') && Date.parse(query.get('to') ?? '') <= at.getTime()

/** Returns the names of the filters that search for `noSuchText`. */
const filtersByNothing = (query: URLSearchParams) =>
  Object.keys(logFilters['query-logs']).filter((name) => query.get(name) === noSuchText)

const hasRows = (exchange: Exchange) => contentOf(exchange).rows.length > 0
const hasLines = (exchange: Exchange) => contentOf(exchange).lines.length > 0
const cacheStatuses: readonly unknown[] = contracts.logging.openapi.spec.components.schemas?.['CacheStatus']?.enum ?? []

export const logRules: readonly Rule[] = [
  {
    decides: '<interface>.cache-status.values',
    of: isOfLogs,
    cases: ['queries'],
    applies: hasRows,
    violation: (exchange) => {
      const { rows } = contentOf(exchange)
      const odd = rows.findIndex(({ cacheStatus }) => !cacheStatuses.includes(String(cacheStatus)))
      if (odd < 0) return undefined
      const at = placesOf(exchange, 'cacheStatus', odd)
      return {
        expected: value(`one of ${cacheStatuses.join(', ')}`),
        seen: wrong('a field of a row has a value that the spec does not list', { field: 'cacheStatus', at }),
      }
    },
  },
  {
    decides: '<operation>.zone',
    of: isOfLogs,
    cases: ['queries', 'misread-ids'],
    applies: hasRows,
    violation: (exchange, { fixtures: { loggedZoneId = '' } }) => {
      const zone = exchange.path[idParameterOf(exchange.operation) ?? ''] ?? ''
      const isMisread = misreadIds(loggedZoneId).includes(zone)
      const strange = contentOf(exchange).rows.findIndex(({ pullZoneId }) => isMisread || String(pullZoneId) !== zone)
      if (strange < 0) return undefined
      return {
        expected: value('entries of the pull zone in the path only'),
        seen: wrong('an entry is of another pull zone', { at: placesOf(exchange, 'pullZoneId', strange) }),
      }
    },
  },
  {
    decides: '<operation>.no-match',
    of: isPage,
    cases: ['no-match'],
    // A refusal is permitted, too: no source states the form of most filters.
    applies: ({ response, query }) => isSuccess(response) && isPlainQuery(query) && filtersByNothing(query).length > 0,
    violation: (exchange) => {
      const { rows } = contentOf(exchange)
      const [filter = ''] = filtersByNothing(exchange.query)
      // A pull zone that drops addresses ignores the filter by address (supplement).
      const isIgnored = filter === 'remoteIp' && rows.every(({ remoteIp = '::' }) => isDropped(remoteIp))
      if (rows.length === 0 || isIgnored) return undefined
      const seen = wrong('a filter that no entry matches selects entries', {
        field: filter,
        at: placesOf(exchange, filter, 0),
      })
      return { expected: value(`no entry for ${filter}=${noSuchText}`), seen }
    },
  },
  {
    decides: '<operation>.day',
    of: isFile,
    cases: ['days'],
    applies: hasLines,
    violation: ({ path, ...exchange }) => {
      const text = path[dayParameterOf(exchange.operation) ?? ''] ?? ''
      const [month, day, year] = text.split('-').map(Number)
      const midnight = Date.UTC(2000 + Number(year), Number(month) - 1, day)
      const isDay = !Number.isNaN(midnight) && dayOf(new Date(midnight)) === text
      const at = (index: number) => placesOf({ path, ...exchange }, 'timestamp', index)
      if (!isDay)
        return {
          expected: value('no lines of a day that does not exist'),
          seen: wrong('a day that does not exist has lines', { at: at(0) }),
        }
      // The server may round a time up to the next millisecond.
      const isOfDay = (time: number) => time >= midnight && time <= midnight + dayMs
      const other = contentOf({ ...exchange, path }).times.findIndex((time) => !isOfDay(time))
      if (other < 0) return undefined
      return {
        expected: value('times of the day in the path'),
        seen: wrong('a line is of another day', { at: at(other) }),
      }
    },
  },
  {
    decides: '<operation>.limit-bounds',
    of: isPage,
    cases: ['limits'],
    applies: (exchange, known) =>
      isPlainQuery(exchange.query) &&
      exchange.query.size === 3 &&
      isFixed(exchange) &&
      /^-?\d+$/.test(exchange.query.get('limit') ?? '') &&
      exchange.response.status !== 429 &&
      exchange.path[idParameterOf(exchange.operation) ?? ''] === known.fixtures.loggedZoneId &&
      credentialStatusOf(exchange, known) === 'sufficient',
    violation: ({ operation, query, at, response }) => {
      const { minimum = 0, maximum = 0 } = operation.parameters.find(({ name }) => name === 'limit')?.schema ?? {}
      const limit = Number(query.get('limit'))
      const isRecent = Date.parse(query.get('from') ?? '') > at.getTime() - 2 * dayMs
      const expected = limit < minimum || limit > maximum ? 400 : 200
      if (response.status === expected || !isRecent) return undefined
      return { expected: oneStatus([expected], `limit=${limit}`), seen: seenStatus(response) }
    },
  },
  {
    decides: '<operation>.order',
    of: isOfLogs,
    cases: ['queries', 'orders', 'combined'],
    applies: (exchange) => contentOf(exchange).times.length > 1 && isPlainQuery(exchange.query),
    violation: (exchange) => {
      const order = exchange.query.get(isFile(exchange.operation) ? 'sort' : 'order') ?? 'desc'
      const first = indexOutOfOrder(contentOf(exchange).times, order)
      if (first < 0) return undefined
      const at = placesOf(exchange, 'timestamp', first, first + 1)
      return {
        expected: value(`times in order ${order}`),
        seen: wrong('two rows are not in the requested order of time', { at }),
      }
    },
  },
  {
    decides: '<operation>.pipe-delimited',
    of: isFile,
    cases: ['queries'],
    applies: hasLines,
    violation: (exchange) => {
      const undivided = contentOf(exchange).lines.findIndex((line) => !line.includes('|'))
      if (undivided < 0) return undefined
      return {
        expected: value('fields joined by |'),
        seen: wrong('a line has no separator "|"', { at: placesOf(exchange, '', undivided) }),
      }
    },
  },
  {
    decides: '<operation>.line',
    of: isFile,
    cases: ['queries'],
    applies: hasLines,
    violation: (exchange) => {
      const { lines } = contentOf(exchange)
      const odd = lines.findIndex(isMalformedLine)
      if (odd < 0) return undefined
      const at = placesOf(exchange, '', odd)
      const field = notCountIn(lines[odd] ?? '')
      if (field !== undefined)
        return {
          expected: value('integers that are not negative'),
          seen: wrong('a field of a line is not a count', { field, at }),
        }
      const text = `${lines[odd]?.split('|').length} fields`
      return {
        expected: value(`${lengths.join(' or ')} fields`),
        seen: wrong('a line has the wrong number of fields', { text, at }),
      }
    },
  },
  {
    decides: '<operation>.echo',
    of: isPage,
    cases: ['pages'],
    applies: (exchange) => {
      const page = toRecord(parseBody(exchange.response))
      return (
        isSuccess(exchange.response) &&
        isPlainQuery(exchange.query) &&
        isFixed(exchange) &&
        isRecord(page['pagination']) &&
        isRecord(page['query'])
      )
    },
    violation: ({ operation, path, query, response }) => {
      const { pagination, query: named, data } = toRecord(parseBody(response))
      const { offset, limit, returned } = toRecord(pagination)
      const { pullZoneId, from, to, order } = toRecord(named)
      const timeOf = (text: unknown) => Date.parse(String(text))
      const fields: readonly (readonly [part: string, field: string, shown: unknown, effective: unknown])[] = [
        // A number beyond 2^53 is rounded in the same way on both sides.
        ['pagination', 'offset', Number(offset), Number(query.get('offset') ?? 0)],
        ['pagination', 'limit', Number(limit), Number(query.get('limit') ?? defaultLimit)],
        ['pagination', 'returned', Number(returned), Array.isArray(data) ? data.length : 0],
        ['query', 'pullZoneId', pullZoneId, path[idParameterOf(operation) ?? '']],
        ['query', 'from', timeOf(from), timeOf(query.get('from'))],
        ['query', 'to', timeOf(to), timeOf(query.get('to'))],
        ['query', 'order', order, query.get('order') ?? 'desc'],
      ]
      const other = fields.find(([, , shown, effective]) => String(shown) !== String(effective))
      if (!other) return undefined
      const [part, field] = other
      const at = placesIn(response, `${part}.${field}`)
      return {
        expected: value('the effective query'),
        seen: wrong('the response repeats the query wrongly', { field, at }),
      }
    },
  },
]
