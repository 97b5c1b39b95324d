/** Predicts each response of the logs from the rows that a pull zone shows in a closed range. */

import { BlockList, isIP } from 'node:net'
import { memoize } from '@cdn/kit/memoize'
import type { Row } from '../exchange/log-rows.ts'
import { operationOf } from '../exchange/resources.ts'

export type LogOperation = 'query-logs' | 'read-log-file'

/** A row of version 2, or a line of version 1. */
export interface LogItem {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly row: Row
  /** The line of the row in version 1, which strips pipes and line breaks from texts (supplement). */
  readonly line: string
  /** Identifies the item among the items of its version. */
  readonly key: string
}

/** The rows of a closed range, and the operation whose responses they predict. In version 1, the range starts at midnight UTC. */
export interface Reference {
  readonly operation: LogOperation
  readonly zone: string
  /** Milliseconds since 1970, inclusive. */
  readonly from: number
  /** Milliseconds since 1970, exclusive. */
  readonly to: number
  /** Oldest first. */
  readonly items: readonly LogItem[]
  /** Rows that only `includeOriginShield` shows. */
  readonly shield: readonly LogItem[]
  /** Whether the range is a whole day. */
  readonly isWhole: boolean
}

export type LogQuery = Readonly<Record<string, string>>

export interface Prediction {
  /** The items in their order. The order of items of the same millisecond is unspecified. */
  readonly page: readonly LogItem[]
  /** The items of `page`, and those that share a millisecond with its first or last item: the page may show them instead. */
  readonly pool: readonly LogItem[]
  /** A filter that the server applies to the page after it has cut the page. */
  readonly picks?: Test
  readonly hasMore: boolean
}

type Test = (item: LogItem) => boolean
/** Returns the permitted readings of a filter; the first one is the reading of the supplement. */
type Filter = (value: string, items: readonly LogItem[]) => readonly Test[]

/** Default number of rows of a page (supplement). */
export const defaultLimit = String(
  operationOf('query-logs').parameters.find(({ name }) => name === 'limit')?.schema['default'],
)
/** The filters that version 2 applies after it has cut the page (supplement), so that a page may be short. */
const lateFilters = ['country', 'search']
const searched = ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange']

/** The query parameters of both versions that do not filter rows by a field. */
export const pageParameters = 'from to includeOriginShield limit offset order start end sort download'.split(' ')

/** The filters of both versions (supplement). An item without the field matches no value. */
export const logFilters: Readonly<Record<LogOperation, Readonly<Record<string, Filter>>>> = {
  'query-logs': {
    status: anyOf((item, value) => fieldText(item, 'statusCode').startsWith(value.replace('xx', ''))),
    cacheStatus: anyOf((item, value) => fieldText(item, 'cacheStatus') === value),
    country: anyOf((item, value) => fieldText(item, 'countryCode') === value),
    edgeLocation: (value) => [(item) => fieldText(item, 'edgeLocation') === value],
    remoteIp: ofAddress,
    urlContains: inPart('host', 'path'),
    userAgentContains: inPart('userAgent'),
    refererContains: inPart('referer'),
    requestId: (value) => [(item) => fieldText(item, 'requestId') === value.replaceAll('-', '')],
    search: (value) => inEitherCase(value.split(' '), (item) => searched.map((name) => fieldText(item, name))),
  },
  'read-log-file': {
    status: anyOf((item, value) => fieldText(item, 'statusCode').startsWith(value)),
    search: (value) => inEitherCase([value], ({ line }) => [line]),
  },
}

/**
 * Predicts the response to a query. There is one prediction per combination of permitted behaviours: whether `search` ignores case,
 * which letters beyond ASCII have a case, how a zone that anonymises addresses compares them, whether `end` is inclusive, and whether a
 * result is filtered before it is cut.
 *
 * @returns the permitted responses, the supplement's first; none for the newest lines of a file that the reference does not hold whole
 */
export function* predictPages(reference: Reference, query: LogQuery): Generator<Prediction> {
  const { operation, isWhole } = reference
  const { sort = 'desc', order = sort } = query
  // The newest lines of a file that still grows, or that is longer than the reference, are unknown.
  if (operation === 'read-log-file' && order === 'desc' && !isWhole) return
  const oldestFirst = shownIn(reference, query)
  const shown = order === 'asc' ? oldestFirst : oldestFirst.toReversed()
  for (const tests of readings(reference, query)) {
    const isLate = ({ name }: NamedTest) => operation === 'read-log-file' || lateFilters.includes(name)
    const late = tests.filter(isLate)
    const early = shown.filter(passes(tests.filter((test) => !isLate(test))))
    for (const [start, end] of cutsOf(operation, query)) {
      if (late.length > 0) yield cut(early, start, end, passes(late))
      yield cut(early.filter(passes(late)), start, end)
    }
  }
}

function shownIn({ operation, items, shield, from, to }: Reference, query: LogQuery): LogItem[] {
  if (operation === 'read-log-file') return items.filter(isInFile)
  const first = query['from'] === undefined ? from : Date.parse(query['from'])
  const last = query['to'] === undefined ? to : Date.parse(query['to'])
  const all = query['includeOriginShield'] === 'true' ? sortedByTime([...items, ...shield]) : items
  return all.filter(({ time }) => time >= first && time < last)
}

/** Whether a file of version 1 shows an item (supplement). */
export function isInFile(item: LogItem): boolean {
  return /^[2-5]/.test(fieldText(item, 'statusCode'))
}

/** Returns the permitted pairs of a first index and an exclusive last index of the response. */
function cutsOf(operation: LogOperation, query: LogQuery): (readonly [start: number, end: number])[] {
  const { limit = defaultLimit, offset = '0', start = offset, end = 'Infinity' } = query
  if (operation === 'query-logs') return [[Number(offset), Number(offset) + Number(limit)]]
  return [Number(end), Number(end) + 1].map((last) => [Number(start), last])
}

/** Sorts items by time, oldest first. */
export function sortedByTime(items: readonly LogItem[]): LogItem[] {
  return items.toSorted((a, b) => a.time - b.time)
}

function cut(matching: readonly LogItem[], start: number, end: number, picks?: Test): Prediction {
  const page = matching.slice(start, end)
  return {
    ...{ page, hasMore: matching.length > end, ...(picks && { picks }) },
    // The search for cases needs many predictions, but never their pools.
    get pool() {
      const edges = [page[0]?.time, page.at(-1)?.time]
      return matching.filter(({ time }, index) => (index >= start && index < end) || edges.includes(time))
    },
  }
}

interface NamedTest {
  readonly name: string
  readonly test: Test
}

function readings(reference: Reference, query: LogQuery): NamedTest[][] {
  const testsOf = testsOn(reference)
  return Object.entries(query).reduce<NamedTest[][]>(
    (before, [name, value]) => {
      const tests = testsOf(name, value)
      return tests ? before.flatMap((others) => tests.map((test) => [...others, { name, test }])) : before
    },
    [[]],
  )
}

/** The tests of the filters of a reference. Each test runs once per item, because the search for cases combines the same few filters. */
const testsOn = memoize(({ operation, items, shield }: Reference) => {
  const known = new Map<string, readonly Test[] | undefined>()
  return (name: string, value: string): readonly Test[] | undefined => {
    const key = `${name}=${value}`
    if (!known.has(key)) {
      const tests = logFilters[operation][name]?.(value, items)
      known.set(
        key,
        tests?.map((test) => {
          const passing = new Set([...items, ...shield].filter(test))
          return (item) => passing.has(item)
        }),
      )
    }
    return known.get(key)
  }
})

function passes(tests: readonly NamedTest[]): Test {
  return (item) => tests.every(({ test }) => test(item))
}

/** Makes a filter by a list of values. One of them must match. */
function anyOf(matches: (item: LogItem, value: string) => boolean): Filter {
  return (list) => {
    const values = list.split(',')
    return [(item) => values.some((value) => matches(item, value))]
  }
}

/** Makes a filter by a part of the joined fields that ignores case. Which letters beyond ASCII have a case is unspecified. */
function inPart(...fields: readonly string[]): Filter {
  return (part) => {
    const joined = (item: LogItem) => fields.map((field) => fieldText(item, field)).join('')
    const forms = /^\p{ASCII}*$/u.test(part) ? [toLowerCase] : [toLowerCase, toLowerAscii]
    return forms.map((form) => {
      const formed = form(part)
      return (item) => form(joined(item)).includes(formed)
    })
  }
}

const toLowerCase = (text: string) => text.toLowerCase()
const toLowerAscii = (text: string) => text.replaceAll(/[A-Z]+/g, toLowerCase)

/**
 * Returns two tests of whether one of an item's texts contains one of the parts: a test that ignores case, and one that does not. Which
 * test applies is unspecified.
 */
function inEitherCase(parts: readonly string[], textsOf: (item: LogItem) => readonly string[]): readonly Test[] {
  return [toLowerCase, (text: string) => text].map((form) => {
    const forms = parts.map(form)
    return (item) => textsOf(item).some((text) => forms.some((part) => form(text).includes(part)))
  })
}

/**
 * Permits an exact comparison of addresses. If the zone hides the last octet, it also permits a comparison of networks (/24, /64), and if
 * the zone drops addresses, any row may match (supplement).
 */
function ofAddress(value: string, items: readonly LogItem[]): readonly Test[] {
  const shown = items.map((item) => fieldText(item, 'remoteIp')).filter(Boolean)
  const [prefix, family] = isIP(value) === 4 ? ([24, 'ipv4'] as const) : ([64, 'ipv6'] as const)
  const network = new BlockList()
  network.addSubnet(value, prefix, family)
  const isNear: Test = (item) =>
    isIP(fieldText(item, 'remoteIp')) === isIP(value) && network.check(fieldText(item, 'remoteIp'), family)
  return [
    (item) => fieldText(item, 'remoteIp') === value,
    ...(shown.every((address) => /(\.0|::)$/.test(address)) ? [isNear] : []),
    ...(shown.every((address) => /^(0\.0\.0\.0|::)$/.test(address)) ? [() => true] : []),
  ]
}

/** The text of a field; empty if the item does not have the field. */
export function fieldText({ row }: Pick<LogItem, 'row'>, name: string): string {
  return String(row[name] ?? '')
}
