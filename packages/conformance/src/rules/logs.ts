/** What each page of version 2 and each file of version 1 shows, whatever was asked (§2, §4). */
import { contracts, type Operation } from '@cdn/api/contract'
import { isRecord, toRecord } from '@cdn/kit/record'
import { defaultLimit } from '../cases/logs/expected.ts'
import { lineFields, linesOf, parseLogLine, type Row, timeOfLine } from '../cases/logs/rows.ts'
import { idParameterOf } from '../cases/resources.ts'
import type { Exchange } from '../run/exchange.ts'
import { isSuccess } from '../run/response.ts'
import { parseBody } from '../run/validate-response.ts'
import type { Rule, Violation } from './rule.ts'

const isPage = ({ name }: Operation) => name === 'query-logs'
const isFile = ({ name }: Operation) => name === 'read-log-file'
const isOfLogs = (operation: Operation) => isPage(operation) || isFile(operation)

/** The rows of a page, or the parsed lines of a file. */
function rowsOf({ operation, response }: Exchange): readonly Row[] {
  if (!isSuccess(response)) return []
  if (isFile(operation)) return linesOf(response).map(parseLogLine)
  const { data } = toRecord(parseBody(response))
  return Array.isArray(data) ? data.filter(isRecord) : []
}

/** The times of the rows in ms since 1970; none if a row does not show its time, which only the supplement names. */
function timesOf(exchange: Exchange): readonly number[] {
  const times = isFile(exchange.operation)
    ? linesOf(exchange.response).map(timeOfLine)
    : rowsOf(exchange).map(({ timestamp }) => Date.parse(String(timestamp)))
  return times.some(Number.isNaN) ? [] : times
}

function when(isBroken: boolean, expected: string, seen: string): Violation | undefined {
  return isBroken ? { expected, seen } : undefined
}

/** The permitted numbers of fields of a line: without and with extended logging. */
function lengths(): readonly number[] {
  const fields = lineFields()
  return [fields.filter(({ extended }) => !extended).length, fields.length]
}

/** Whether a line of version 1 has another number of fields, or text where the contract states a number. */
export function isMisshapen(line: string): boolean {
  const row = parseLogLine(line)
  const isRight = lineFields().every(({ name, type }) => type !== 'integer' || /^\d+$/.test(row[name] ?? '0'))
  return !isRight || !lengths().includes(line.split('|').length)
}

const hasRows = (exchange: Exchange) => rowsOf(exchange).length > 0
const cacheStatuses: readonly unknown[] = contracts.logging.openapi.spec.components.schemas?.['CacheStatus']?.enum ?? []

export const logRules: readonly Rule[] = [
  {
    decides: '<interface>.cache-status.values',
    of: isOfLogs,
    cases: ['queries'],
    applies: hasRows,
    violation: (exchange) => {
      const odd = rowsOf(exchange).find(({ cacheStatus }) => !cacheStatuses.includes(String(cacheStatus)))
      return when(
        odd !== undefined,
        `one of ${cacheStatuses.join(', ')}`,
        JSON.stringify(odd?.['cacheStatus']) ?? 'none',
      )
    },
  },
  {
    decides: '<operation>.zone/<case>',
    of: isOfLogs,
    cases: ['queries'],
    applies: hasRows,
    violation: (exchange) => {
      const zone = exchange.path[idParameterOf(exchange.operation) ?? '']
      const isStrange = rowsOf(exchange).some(({ pullZoneId }) => String(pullZoneId) !== zone)
      return when(isStrange, 'entries of the pull zone in the path only', 'an entry of another pull zone')
    },
  },
  {
    decides: '<operation>.order',
    of: isOfLogs,
    cases: ['queries', 'orders'],
    applies: (exchange) => timesOf(exchange).length > 1,
    violation: (exchange) => {
      const order = exchange.query.get(isFile(exchange.operation) ? 'sort' : 'order') ?? 'desc'
      const times = timesOf(exchange)
      const sorted = times.toSorted((a, b) => (order === 'asc' ? a - b : b - a))
      return when(times.join() !== sorted.join(), `times in order ${order}`, 'another order')
    },
  },
  {
    decides: '<operation>.pipe-delimited',
    of: isFile,
    cases: ['queries'],
    applies: (exchange) => isSuccess(exchange.response) && linesOf(exchange.response).length > 0,
    violation: ({ response }) => {
      const undivided = linesOf(response).find((line) => !line.includes('|'))
      return when(undivided !== undefined, 'fields joined by |', JSON.stringify(undivided))
    },
  },
  {
    decides: '<operation>.line',
    of: isFile,
    cases: ['queries'],
    applies: (exchange) => isSuccess(exchange.response) && linesOf(exchange.response).length > 0,
    violation: ({ response }) => {
      const odd = linesOf(response).find(isMisshapen)
      const expected = `${lengths().join(' or ')} fields, the stated ones integers`
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
        query.has('from') &&
        query.has('to') &&
        isRecord(page['pagination']) &&
        isRecord(page['query'])
      )
    },
    violation: ({ operation, path, query, response }) => {
      const { pagination, query: named, data } = toRecord(parseBody(response))
      const { offset, limit, returned } = toRecord(pagination)
      const { pullZoneId, from, to, order } = toRecord(named)
      const timeOf = (text: unknown) => Date.parse(String(text))
      // Both numbers are rounded in the same way, if they are beyond 2^53.
      const shown = [Number(offset), Number(limit), Number(returned), `${pullZoneId}`, timeOf(from), timeOf(to), order]
      const effective = [
        ...[Number(query.get('offset') ?? 0), Number(query.get('limit') ?? defaultLimit)],
        ...[Array.isArray(data) ? data.length : 0, path[idParameterOf(operation) ?? '']],
        ...[timeOf(query.get('from')), timeOf(query.get('to')), query.get('order') ?? 'desc'],
      ]
      return when(shown.join() !== effective.join(), `the effective query ${effective.join(', ')}`, shown.join(', '))
    },
  },
]
