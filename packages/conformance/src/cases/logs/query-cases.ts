/** Generates queries from the rows of a reference: systematic ones for each parameter and each pair of parameters, and random ones. */
import { isIP } from 'node:net'
import { memoize } from '@cdn/kit/memoize'
import { mulberry32 } from '@cdn/kit/mulberry32'
import {
  fieldText,
  type LogItem,
  type LogQuery,
  logFilters,
  predictPages,
  type Reference,
} from '../../rules/predictions.ts'

/** Values by parameter, the plainest first. */
type Values = Readonly<Record<string, readonly string[]>>

/** A query, and the pull zone and version to which it is sent. */
export interface QueryCase {
  readonly reference: Reference
  /** Whether a bearer token replaces the API key. */
  readonly bearer: boolean
  readonly query: LogQuery
}

/** Returns the parameters of a case. A token counts as one, with the name `bearer`. */
export function parametersOfCase({ bearer, query }: QueryCase): string[] {
  return [...Object.keys(query), ...(bearer ? ['bearer'] : [])]
}

/**
 * Returns the systematic cases: a plain query of each reference, each value of each parameter alone, then few cases that together hold each
 * pair of parameters. A value or pair is left out if no prediction depends on each of its filters, because such a case could not show a
 * filter that the server ignores.
 *
 * @param known the references, which are used in turn; a reference that occurs several times gets more cases
 */
export function systematicCases(known: readonly Reference[]): QueryCase[] {
  const parameters = [...new Set(known.flatMap((each) => Object.keys(parameterValues(each)))), 'bearer']
  const casesInTurn = (turn: number, plan: readonly string[]) => {
    for (const reference of new Set([turnOf(known, turn), ...known])) {
      const cases = casesOf(reference, plan)
      if (cases.length > 0) return cases
    }
    return []
  }
  const plain = [...new Set(known)].map((reference) => ({ reference, bearer: false, query: {} }))
  const singles = parameters.flatMap((name, index) => casesInTurn(index, [name]))
  const isFilter = (name: string) => known.some(({ operation }) => name in logFilters[operation])
  const covered = new Set<string>()
  const pairs: QueryCase[] = []
  for (const pair of pairsOf(parameters)) {
    if (covered.has(pair.join())) continue
    const cases = casesInTurn(pairs.length, pair)
    const most = pair.some(isFilter) ? cases.map((each) => extended(each, pairs.length)) : cases
    for (const each of most) {
      const present = parametersOfCase(each)
      // The rows at the edges of a range or page are certain only without a filter, so each pair without a filter has a case of its
      // own.
      for (const [one, other] of pairsOf(parameters.filter((name) => present.includes(name))))
        if (isFilter(one)) covered.add(`${one},${other}`)
    }
    pairs.push(...most)
  }
  return [...plain, ...singles, ...pairs]
}

function turnOf<T>(all: readonly T[], turn: number): T {
  return all[turn % all.length] as T // the caller passes no empty list
}

function pairsOf(names: readonly string[]): [string, string][] {
  return names.flatMap((name, index) => names.slice(index + 1).map((other): [string, string] => [name, other]))
}

/**
 * Returns the cases of one parameter, one per value that changes the prediction, or one case of a pair: the first whose prediction depends
 * on both parameters, if possible with rows. The pair of `limit` and `offset` has several cases.
 */
function casesOf(reference: Reference, plan: readonly string[]): QueryCase[] {
  const bearer = plan.includes('bearer')
  const [first, second] = plan.filter((name) => name !== 'bearer')
  if (first === undefined) return [{ reference, bearer, query: {} }]
  const { [first]: some = [], [second ?? '']: others = [] } = parameterValues(reference)
  const queries = some.flatMap((one): LogQuery[] =>
    second === undefined ? [{ [first]: one }] : others.map((two) => ({ [first]: one, [second]: two })),
  )
  const cases = queries.map((query) => ({ reference, bearer, query }))
  const telling = ({ query }: QueryCase) => everyFilterMatters(reference, query)
  const isHeld = ({ query }: QueryCase) => selected(reference, query).length > 0
  if (plan.length === 1) return cases.filter(telling)
  // Every fifth combination gives pages of several sizes at several offsets.
  if (first === 'limit' && second === 'offset') return cases.filter((_, index) => index % 5 === 0)
  const best = cases.find((each) => isHeld(each) && telling(each)) ?? cases.find(telling)
  return best ? [best] : []
}

/** Maximum number of parameters of a systematic case. */
const maxParameters = 5

/**
 * Adds parameters that are not filters to a case, up to `maxParameters`, as long as its prediction has rows and depends on its filters.
 * Every third case gets a bearer token.
 */
function extended(each: QueryCase, turn: number): QueryCase {
  const { reference } = each
  const values = parameterValues(reference)
  const riders = Object.keys(values).filter((name) => !(name in logFilters[reference.operation]))
  let { query, bearer } = { ...each, bearer: each.bearer || turn % 3 === 0 }
  for (const [index, _] of riders.entries()) {
    const name = turnOf(riders, turn + index)
    const longer = { ...query, [name]: query[name] ?? turnOf(values[name] ?? [], turn) }
    const isShort = Object.keys(longer).length + Number(bearer) <= maxParameters
    if (isShort && everyFilterMatters(reference, longer) && selected(reference, longer).length > 0) query = longer
  }
  return { reference, bearer, query }
}

/** Returns at most `count` random cases of up to four parameters whose predicted responses have rows. Equal seeds give equal cases. */
export function randomCases(reference: Reference, count: number, seed: number): QueryCase[] {
  const random = mulberry32(seed)
  const below = (end: number) => Math.floor(random() * end)
  const pick = <T>(all: readonly T[]) => turnOf(all, below(all.length))
  const values = Object.entries(parameterValues(reference))
  const cases: QueryCase[] = []
  for (let tries = 0; tries < 8 * count && cases.length < count; tries++) {
    const some = Array.from({ length: 2 + below(3) }, () => pick(values)).map(([name, known]) => {
      const isNumber = ['limit', 'offset', 'start', 'end'].includes(name)
      return [name, isNumber && below(2) === 0 ? String(below(reference.items.length + 2)) : pick(known)]
    })
    const query: LogQuery = Object.fromEntries(some)
    if (isValidQuery(reference, query) && selected(reference, query).length > 0)
      cases.push({ reference, bearer: below(2) === 0, query })
  }
  return cases
}

/**
 * Returns the query parameters of a request. The range of version 2 is always given, because its default moves. A file can be of
 * any size, so if the reference does not hold the whole file, `end` limits the response.
 */
export function sentParameters(reference: Reference, query: LogQuery): LogQuery {
  const { operation, from, to, isWhole } = reference
  if (operation === 'query-logs') return { from: iso(from), to: iso(to), ...query }
  if (isWhole) return query
  const { sort = 'asc', end = 'Infinity' } = query
  const last = sort === 'asc' ? lastKnown(reference, query) : 10
  return { ...query, sort, end: String(Math.max(1, Math.min(Number(end), last))) }
}

function lastKnown(reference: Reference, { status, search }: LogQuery): number {
  const filters = { sort: 'asc', ...(status !== undefined && { status }), ...(search !== undefined && { search }) }
  const [prediction] = predictPages(reference, filters)
  const { page = [], picks = () => true } = prediction ?? {}
  return page.filter(picks).length - 1
}

/** Whether the server must accept a query and can answer it without a search through a long file. */
export function isValidQuery(reference: Reference, query: LogQuery): boolean {
  const { from = '', to = '', start = '0', end = 'Infinity', limit, sort } = sentParameters(reference, query)
  if (reference.operation === 'query-logs') return Date.parse(from) < Date.parse(to) && limit !== '0'
  const isFiltered = query['status'] !== undefined || query['search'] !== undefined
  const isShort = reference.isWhole || !isFiltered || (sort === 'asc' && lastKnown(reference, query) > 0)
  return Number(start) < Number(end) && isShort
}

const selections = memoize((_: Reference) => new Map<string, readonly LogItem[]>())

/**
 * Returns the rows of the first permitted response to a query. They are cached, because the search for cases needs the same few queries
 * many times.
 */
function selected(reference: Reference, query: LogQuery): readonly LogItem[] {
  const known = selections(reference)
  const key = JSON.stringify(query)
  const items = known.get(key) ?? select(reference, query)
  known.set(key, items)
  return items
}

function select(reference: Reference, query: LogQuery): readonly LogItem[] {
  const [first] = predictPages(reference, sentParameters(reference, query))
  return (first?.picks ? first.page.filter(first.picks) : first?.page) ?? []
}

/** Whether a query is valid, and its prediction depends on each of its filters, range ends, `includeOriginShield`, `offset` and `start`. */
function everyFilterMatters(reference: Reference, query: LogQuery): boolean {
  if (!isValidQuery(reference, query)) return false
  const telling = [
    ...Object.keys(logFilters[reference.operation]),
    'from',
    'to',
    'includeOriginShield',
    'offset',
    'start',
  ]
  const items = selected(reference, query)
  return Object.keys(query).every((name) => {
    if (!telling.includes(name)) return true
    const { [name]: _, ...rest } = query
    const others = selected(reference, rest)
    return others.length !== items.length || others.some((item, index) => item !== items[index])
  })
}

/** Returns values for each parameter: values that occur, in several forms, and values that do not occur. */
export const parameterValues = memoize((reference: Reference): Values => {
  const values = reference.operation === 'query-logs' ? pageValues(reference) : fileValues(reference)
  return Object.fromEntries(Object.entries(values).filter(([, { length }]) => length > 0))
})

function pageValues({ items, shield, from, to }: Reference): Values {
  const { length } = items
  const codes = texts(items, 'statusCode')
  const caches = texts(items, 'cacheStatus')
  const countries = texts(items, 'countryCode')
  const edges = texts(items, 'edgeLocation')
  const addresses = texts(items, 'remoteIp')
    .slice(0, 4)
    .filter((address) => isIP(address) > 0)
  const ids = texts(items, 'requestId').filter((id) => /^[\da-f]{32}$/.test(id))
  const paths = texts(items, 'path')
  const agents = texts(items, 'userAgent')
  const words = [...edges.slice(0, 3), ...parts(agents), ...parts(paths)].filter((word) => /^[\w.-]{2,}$/.test(word))
  // Texts across the border of host and path show a server that compares the two fields one by one.
  const borders = items.map((item) => `${fieldText(item, 'host').slice(-4)}${fieldText(item, 'path').slice(0, 5)}`)
  const times = byRarity(items.map(({ time }) => time)).toReversed()
  const ends = times
    .slice(0, 3)
    .flatMap((time) => [time, time + 1])
    .map(iso)
    .concat(shortTimes(times))
    .filter((time) => Date.parse(time) > from && Date.parse(time) < to)
  const tie = items.toReversed().findIndex(({ time }, index, all) => time === all[index - 1]?.time)
  const sizes = (...all: readonly number[]) => [...new Set(all)].filter((size) => size > 0).map(String)
  return {
    status: [
      ...codes.slice(0, 3),
      ...lists(codes),
      ...codes.slice(0, 1).map((code) => `${code},5xx`),
      ...new Set(codes.map((code) => `${code[0]}xx`)),
      '418',
    ],
    cacheStatus: [...caches, ...lists(caches)],
    country: [...countries.slice(0, 2), ...lists(countries), 'AQ'],
    edgeLocation: [
      ...edges.slice(0, 3),
      ...edges.map((edge) => edge.slice(0, -1)).filter((part) => part && !edges.includes(part)),
    ],
    remoteIp: [...addresses, ...addresses.map(neighbour)],
    urlContains: [...ofText(parts(paths)), ...oddParts(paths), ...byRarity(borders).filter(isPlain).slice(0, 2)],
    userAgentContains: [...ofText(parts(agents)), ...oddParts(agents)],
    refererContains: [...ofText(parts(texts(items, 'referer'))), ...oddParts(texts(items, 'referer'))],
    search: [...ofText(words), ...oddParts(agents).filter((part) => !part.includes(' ')), ...lists(words, ' ')],
    requestId: [
      ...ids.slice(0, 1),
      ...ids.slice(1, 2).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
      'f'.repeat(32),
    ],
    includeOriginShield: shield.length > 0 ? ['true'] : [],
    limit: sizes(1, 7, tie, length - 1, length, length + 1),
    // Offsets beyond the rows. With the limit added, they overflow 32 bits (signed and unsigned) and 64 bits (signed).
    offset: [...sizes(7, 1, 14, 3, 21, tie, length - 1, length), ...[2n ** 31n, 2n ** 32n, 2n ** 63n - 1n].map(String)],
    order: ['asc', 'desc'],
    from: ends,
    to: ends,
  }
}

function fileValues({ items }: Reference): Values {
  const digits = byRarity(items.map((item) => fieldText(item, 'statusCode').slice(0, 1))).filter((digit) =>
    /[2-5]/.test(digit),
  )
  const half = Math.ceil(items.length / 2)
  return {
    status: [...digits, ...lists(digits)],
    search: [...ofText(parts(texts(items, 'path'))), ...oddParts(texts(items, 'path'))],
    sort: ['asc', 'desc'],
    start: ['1', String(half)],
    end: ['1', String(half), String(items.length)],
  }
}

/** The distinct texts of a field, the rarest first. */
function texts(items: readonly LogItem[], field: string): string[] {
  return byRarity(items.map((item) => fieldText(item, field)).filter(Boolean))
}

function byRarity<T>(values: readonly T[]): T[] {
  return [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => a.length - b.length).map(([value]) => value)
}

function parts(all: readonly string[]): string[] {
  return [...new Set(all.flatMap((text) => [text.slice(0, 12), text.slice(-8), text]).filter(isPlain))]
}

/** Whether a text has 2 to 80 ASCII letters, digits and common punctuation marks. The comparison of other text is unspecified. */
function isPlain(text: string): boolean {
  return /^[\w./:-][\w./:+ ()-]{0,78}[\w./:-]$/.test(text)
}

/**
 * Returns parts that occur, one of them in upper case, and similar texts that match only if a server gives `%`, `_` or `+` another meaning.
 */
function ofText(plain: readonly string[]): string[] {
  const [part = 'no-such-text'] = plain.filter(({ length }) => length > 2)
  const middle = part.length >> 1
  return [
    ...plain.slice(0, 2),
    ...plain.slice(-1),
    ...plain.slice(0, 1).map((text) => text.toUpperCase()),
    `${part.slice(0, middle)}%${part.slice(middle)}`,
    `${part.slice(0, middle)}_${part.slice(middle + 1)}`,
    ...plain
      .filter((text) => text.includes(' '))
      .slice(0, 1)
      .map((text) => text.replaceAll(' ', '+')),
  ]
}

/** Characters that a server may decode, escape or compare wrongly. */
const oddCharacters = [/[^\p{ASCII}\p{C}\ufffd]/u, /\+/, /[%_\\]/, /["'&=#?;<>]/]

function oddParts(all: readonly string[]): string[] {
  return oddCharacters.flatMap((odd) => {
    const around = new RegExp(`[\\w.-]{0,3}${odd.source}[\\w.-]{0,3}`, 'u')
    return all.flatMap((text) => around.exec(text)?.[0] ?? []).slice(0, 1)
  })
}

/**
 * Returns at most two of the times, rounded up to tenths of a second and written with one digit, such as `.5`. A server that reads `.5` as
 * 5 ms shows other rows.
 */
function shortTimes(times: readonly number[]): string[] {
  return times
    .filter((time) => time % 100 > 9 && time % 1_000 < 900)
    .slice(0, 2)
    .map((time) => iso(Math.ceil(time / 100) * 100).replace('00Z', 'Z'))
}

/** Returns at most two lists of two neighbouring values each. */
function lists(values: readonly string[], separator = ','): string[] {
  return values.slice(1, 3).map((value, index) => `${values[index]}${separator}${value}`)
}

/** Returns another address of the same network. */
function neighbour(address: string): string {
  return address.includes(':')
    ? `${address.slice(0, address.lastIndexOf(':') + 1)}fffe`
    : address.replace(/\d+$/, '254')
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
