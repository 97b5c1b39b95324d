/** Rules about the pages of version 2 and the files of version 1 that need no predicted rows (§2, §4). */

import { contracts, type Operation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import type { Exchange } from '../exchange/exchange.ts'
import { misreadIds, noSuchText } from '../exchange/hostile.ts'
import { isDropped, lineFields, linesOf, parseLogLine, type Row } from '../exchange/log-rows.ts'
import { dayOf, dayParameterOf, idParameterOf } from '../exchange/resources.ts'
import { isSuccess, parseBody, type ReceivedResponse } from '../exchange/response.ts'
import { defaultLimit, logFilters } from './expected.ts'
import { isPlain, type Rule, type Violation, worthOf } from './rule.ts'

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
const contents = new WeakMap<ReceivedResponse, Content>()

function contentOf({ operation, response }: Exchange): Content {
  const known = contents.get(response)
  if (known) return known
  const lines = isSuccess(response) && isFile(operation) ? linesOf(response) : []
  const { data } = isSuccess(response) && isPage(operation) ? toRecord(parseBody(response)) : {}
  const rows = isFile(operation) ? lines.map(parseLogLine) : Array.isArray(data) ? data.filter(isRecord) : []
  const timeOf = ({ timestamp }: Row) => (isFile(operation) ? Number(timestamp) : Date.parse(String(timestamp)))
  const times = rows.map(timeOf)
  const content = { lines, rows, times: times.some(Number.isNaN) ? [] : times }
  contents.set(response, content)
  return content
}

function when(isBroken: boolean, expected: string, seen: string): Violation | undefined {
  return isBroken ? { expected, seen } : undefined
}

/** The fields of a line of version 1, and the permitted numbers of fields: without and with extended logging. */
const fields = lineFields()
const lengths: readonly number[] = [fields.filter(({ extended }) => !extended).length, fields.length]

/** Whether a line of version 1 has a wrong number of fields, or text in a field that the contract states as an integer. */
export function isMisshapen(line: string): boolean {
  const row = parseLogLine(line)
  const isRight = fields.every(({ name, type }) => type !== 'integer' || /^\d+$/.test(row[name] ?? '0'))
  return !isRight || !lengths.includes(line.split('|').length)
}

/** Whether a query states both ends of its range. */
const isFixed = (query: URLSearchParams) => query.has('from') && query.has('to')

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
      const odd = contentOf(exchange).rows.find(({ cacheStatus }) => !cacheStatuses.includes(String(cacheStatus)))
      return when(
        odd !== undefined,
        `one of ${cacheStatuses.join(', ')}`,
        JSON.stringify(odd?.['cacheStatus']) ?? 'none',
      )
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
      const isStrange = isMisread || contentOf(exchange).rows.some(({ pullZoneId }) => String(pullZoneId) !== zone)
      return when(isStrange, 'entries of the pull zone in the path only', 'an entry of another pull zone')
    },
  },
  {
    decides: '<operation>.no-match',
    of: isPage,
    cases: ['no-match'],
    // A refusal is permitted, too: no source states the form of most filters.
    applies: ({ response, query }) => isSuccess(response) && isPlain(query) && filtersByNothing(query).length > 0,
    violation: (exchange) => {
      const { rows } = contentOf(exchange)
      const [filter = ''] = filtersByNothing(exchange.query)
      // A pull zone that drops addresses ignores the filter by address (supplement).
      const isIgnored = filter === 'remoteIp' && rows.every(({ remoteIp = '::' }) => isDropped(remoteIp))
      return when(rows.length > 0 && !isIgnored, `no entry for ${filter}=${noSuchText}`, 'some')
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
      if (!isDay) return { expected: 'no lines of a day that does not exist', seen: 'some' }
      // The server may round a time up to the next millisecond.
      const isOfDay = (time: number) => time >= midnight && time <= midnight + dayMs
      const isRight = contentOf({ ...exchange, path }).times.every(isOfDay)
      return when(!isRight, 'times of the day in the path', 'a time of another day')
    },
  },
  {
    decides: '<operation>.limit-bounds',
    of: isPage,
    cases: ['limits'],
    applies: (exchange, known) =>
      isPlain(exchange.query) &&
      exchange.query.size === 3 &&
      isFixed(exchange.query) &&
      /^-?\d+$/.test(exchange.query.get('limit') ?? '') &&
      exchange.response.status !== 429 &&
      exchange.path[idParameterOf(exchange.operation) ?? ''] === known.fixtures.loggedZoneId &&
      worthOf(exchange, known) === 'sufficient',
    violation: ({ operation, query, at, response: { status } }) => {
      const { minimum = 0, maximum = 0 } = operation.parameters.find(({ name }) => name === 'limit')?.schema ?? {}
      const limit = Number(query.get('limit'))
      const isRecent = Date.parse(query.get('from') ?? '') > at.getTime() - 2 * dayMs
      const expected = limit < minimum || limit > maximum ? 400 : 200
      return when(status !== expected && isRecent, `status ${expected} for limit=${limit}`, `status ${status}`)
    },
  },
  {
    decides: '<operation>.order',
    of: isOfLogs,
    cases: ['queries', 'orders', 'combined'],
    applies: (exchange) => contentOf(exchange).times.length > 1 && isPlain(exchange.query),
    violation: (exchange) => {
      const order = exchange.query.get(isFile(exchange.operation) ? 'sort' : 'order') ?? 'desc'
      const times = contentOf(exchange).times
      const sorted = times.toSorted((a, b) => (order === 'asc' ? a - b : b - a))
      return when(times.join() !== sorted.join(), `times in order ${order}`, 'another order')
    },
  },
  {
    decides: '<operation>.pipe-delimited',
    of: isFile,
    cases: ['queries'],
    applies: hasLines,
    violation: (exchange) => {
      const undivided = contentOf(exchange).lines.find((line) => !line.includes('|'))
      return when(undivided !== undefined, 'fields joined by |', JSON.stringify(undivided))
    },
  },
  {
    decides: '<operation>.line',
    of: isFile,
    cases: ['queries'],
    applies: hasLines,
    violation: (exchange) => {
      const odd = contentOf(exchange).lines.find(isMisshapen)
      const expected = `${lengths.join(' or ')} fields, the stated ones integers`
      return when(odd !== undefined, expected, `a line of ${odd?.split('|').length} fields`)
    },
  },
  {
    decides: '<operation>.echo',
    of: isPage,
    cases: ['pages'],
    applies: ({ response, query }) => {
      const page = toRecord(parseBody(response))
      return (
        isSuccess(response) &&
        isPlain(query) &&
        isFixed(query) &&
        isRecord(page['pagination']) &&
        isRecord(page['query'])
      )
    },
    violation: ({ operation, path, query, response }) => {
      const { pagination, query: named, data } = toRecord(parseBody(response))
      const { offset, limit, returned } = toRecord(pagination)
      const { pullZoneId, from, to, order } = toRecord(named)
      const timeOf = (text: unknown) => Date.parse(String(text))
      const fields = [
        // A number beyond 2^53 is rounded in the same way on both sides.
        ['offset', Number(offset), Number(query.get('offset') ?? 0)],
        ['limit', Number(limit), Number(query.get('limit') ?? defaultLimit)],
        ['returned', Number(returned), Array.isArray(data) ? data.length : 0],
        ['pullZoneId', pullZoneId, path[idParameterOf(operation) ?? '']],
        ['from', timeOf(from), timeOf(query.get('from'))],
        ['to', timeOf(to), timeOf(query.get('to'))],
        ['order', order, query.get('order') ?? 'desc'],
      ]
      const wrong = fields.filter(([, shown, effective]) => String(shown) !== String(effective)).map(([name]) => name)
      return when(wrong.length > 0, 'the effective query', `another ${wrong.join(', ')}`)
    },
  },
]
