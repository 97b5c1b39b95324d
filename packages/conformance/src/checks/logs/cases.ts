/** Generates queries from the rows of a reference: first each feature alone and each pair, then random ones. */
import { isIP } from 'node:net'
import fc, { type Arbitrary } from 'fast-check'
import { expected, fieldText, type Item, type LogQuery, logFilters, type Reference } from './expected.ts'

/** A query with its credential. */
export interface LogCase {
  /** Whether a bearer token replaces the API key. */
  readonly bearer: boolean
  readonly query: LogQuery
}

/** Values by parameter, the plainest first. */
type Values = Readonly<Record<string, readonly string[]>>

/** A reference, and the values for queries about it. */
export interface Subject extends Reference {
  readonly values: Values
}

/** The parameters of a case, and `bearer`. */
export function featuresOf({ bearer, query }: LogCase): string[] {
  return [...Object.keys(query), ...(bearer ? ['bearer'] : [])]
}

/** Returns the features of the systematic cases: none, each feature alone, each pair. */
export function plansOf({ values }: Subject): string[][] {
  const features = [...Object.keys(values), 'bearer']
  const pairs = features.flatMap((name, index) => features.slice(index + 1).map((other) => [name, other]))
  return [[], ...features.map((name) => [name]), ...pairs]
}

/** Returns the cases of a plan whose predicted answers depend on their filters: each value of one feature, or one pair. */
export function casesOf(subject: Subject, plan: readonly string[]): LogCase[] {
  const bearer = plan.includes('bearer')
  const [first, second] = plan.filter((name) => name !== 'bearer')
  if (first === undefined) return [{ bearer, query: {} }]
  const { [first]: some = [], [second ?? '']: others = [] } = subject.values
  const queries = some.flatMap((one): LogQuery[] =>
    second === undefined ? [{ [first]: one }] : others.map((two) => ({ [first]: one, [second]: two })),
  )
  const cases = queries.map((query) => ({ bearer, query }))
  const telling = ({ query }: LogCase) => tells(subject, query)
  if (plan.length === 1) return cases.filter(telling)
  // Pages of several sizes, several pages deep.
  if (first === 'limit' && second === 'offset') return cases.filter((_, index) => index % 2 === 0)
  const best = cases.find((each) => telling(each) && selected(subject, each.query).length > 0) ?? cases.find(telling)
  return best ? [best] : []
}

/** Returns random cases of two to four parameters whose predicted answers hold something. Equal seeds give equal cases. */
export function randomCases(subject: Subject, count: number, seed: number): LogCase[] {
  const all = arbitraries(subject)
  const query = fc
    .uniqueArray(fc.constantFrom(...Object.keys(all)), { minLength: 2, maxLength: 4 })
    .chain((names) => fc.tuple(...names.map((name) => (all[name] ?? fc.constant('')).map((value) => [name, value]))))
    .map((entries): LogQuery => Object.fromEntries(entries))
  return fc
    .sample(fc.record({ bearer: fc.boolean(), query }), { numRuns: 8 * count, seed })
    .filter((each) => isValid(subject, each.query) && selected(subject, each.query).length > 0)
    .slice(0, count)
}

/** Generates cases that shrink to fewer parameters, plainer values and the API key. */
export function shrinkable(subject: Subject): Arbitrary<LogCase> {
  // The value of a key is never undefined, because `fc.record` leaves the key out.
  const query = fc.record(arbitraries(subject), { requiredKeys: [] }) as Arbitrary<LogQuery>
  return fc.record({ bearer: fc.boolean(), query })
}

function arbitraries({ values, items }: Subject): Record<string, Arbitrary<string>> {
  const isNumber = (name: string) => ['limit', 'offset', 'start', 'end'].includes(name)
  const numbers = fc.integer({ min: 0, max: items.length + 1 }).map(String, Number)
  return Object.fromEntries(
    Object.entries(values).map(([name, some]) => [name, isNumber(name) ? numbers : fc.constantFrom(...some)]),
  )
}

/**
 * Returns the query parameters of a request. The range of version 2 is always given, because its default moves. A file can be
 * of any size, so only the start of a file that the reference does not hold as a whole is requested.
 */
export function sentParameters(reference: Reference, query: LogQuery): LogQuery {
  const { operation, from, to, isWhole } = reference
  if (operation === 'query-logs') return { from: iso(from), to: iso(to), ...query }
  if (isWhole) return query
  const { sort = 'asc', end = 'Infinity' } = query
  const last = sort === 'asc' ? lastKnown(reference, query) : 10
  return { ...query, sort, end: String(Math.max(1, Math.min(Number(end), last))) }
}

/** Returns the last index of the lines that the filters of a query select in the reference. */
function lastKnown(reference: Reference, { status, search }: LogQuery): number {
  const filters = { sort: 'asc', ...(status !== undefined && { status }), ...(search !== undefined && { search }) }
  const [prediction] = expected(reference, filters)
  const { page = [], picks = () => true } = prediction ?? {}
  return page.filter(picks).length - 1
}

/** Whether the server must accept a query, and needs no search through a long file to answer it. */
export function isValid(reference: Reference, query: LogQuery): boolean {
  const { from = '', to = '', start = '0', end = 'Infinity', limit, sort } = sentParameters(reference, query)
  if (reference.operation === 'query-logs') return Date.parse(from) < Date.parse(to) && limit !== '0'
  const isFiltered = query['status'] !== undefined || query['search'] !== undefined
  const isShort = reference.isWhole || !isFiltered || (sort === 'asc' && lastKnown(reference, query) > 0)
  return Number(start) < Number(end) && isShort
}

/** The items of the first prediction. */
function selected(reference: Reference, query: LogQuery): readonly Item[] {
  const [first] = expected(reference, sentParameters(reference, query))
  return (first?.picks ? first.page.filter(first.picks) : first?.page) ?? []
}

/** Whether the prediction depends on each filter and each end of the range. */
function tells(reference: Reference, query: LogQuery): boolean {
  if (!isValid(reference, query)) return false
  const telling = [...Object.keys(logFilters[reference.operation]), 'from', 'to', 'includeOriginShield']
  const items = selected(reference, query)
  return Object.keys(query).every((name) => {
    if (!telling.includes(name)) return true
    const { [name]: _, ...rest } = query
    const others = selected(reference, rest)
    return others.length !== items.length || others.some((item, index) => item !== items[index])
  })
}

/** Returns values of each parameter that occur, in several forms, and values that do not. */
export function valuesOf(reference: Reference): Values {
  const values = reference.operation === 'query-logs' ? pageValues(reference) : fileValues(reference)
  return Object.fromEntries(Object.entries(values).filter(([, { length }]) => length > 0))
}

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
  const paths = parts(texts(items, 'path'))
  const agents = parts(texts(items, 'userAgent'))
  const words = [...edges.slice(0, 3), ...agents, ...paths].filter((word) => /^[\w.-]{2,}$/.test(word))
  // A server may compare host and path one by one.
  const borders = items.map((item) => `${fieldText(item, 'host').slice(-4)}${fieldText(item, 'path').slice(0, 5)}`)
  const times = byRarity(items.map(({ time }) => time)).toReversed()
  const ends = times
    .slice(0, 6)
    .flatMap((time) => [time, time + 1])
    .filter((time) => time > from && time < to)
  const tie = items.toReversed().findIndex(({ time }, index, all) => time === all[index - 1]?.time)
  const sizes = (...all: readonly number[]) => [...new Set(all)].filter((size) => size > 0).map(String)
  return {
    status: [
      ...codes.slice(0, 3),
      ...lists(codes),
      ...codes.slice(0, 1).map((code) => `${code},5xx`),
      ...codes.slice(0, 3).map((code) => `${code[0]}xx`),
      '418',
    ],
    cacheStatus: [...caches, ...lists(caches)],
    country: [...countries.slice(0, 2), ...lists(countries), 'AQ'],
    edgeLocation: [
      ...edges.slice(0, 3),
      ...edges.map((edge) => edge.slice(0, -1)).filter((part) => part && !edges.includes(part)),
    ],
    remoteIp: [...addresses, ...addresses.map(neighbour)],
    urlContains: [...ofText(paths), ...byRarity(borders).filter(isPlain).slice(0, 2)],
    userAgentContains: ofText(agents),
    refererContains: ofText(parts(texts(items, 'referer'))),
    search: [...ofText(words), ...lists(words, ' ')],
    requestId: [
      ...ids.slice(0, 1),
      ...ids.slice(1, 2).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
      'f'.repeat(32),
    ],
    includeOriginShield: shield.length > 0 ? ['true'] : [],
    limit: sizes(1, 7, tie, length - 1, length, length + 1),
    offset: sizes(7, 1, 14, 3, 21, tie, length - 1, length),
    order: ['asc', 'desc'],
    from: ends.map(iso),
    to: ends.map(iso),
  }
}

function fileValues({ items }: Reference): Values {
  const digits = byRarity(items.map((item) => fieldText(item, 'statusCode').slice(0, 1))).filter((digit) =>
    /[2-5]/.test(digit),
  )
  const half = Math.ceil(items.length / 2)
  return {
    status: [...digits, ...lists(digits)],
    search: ofText(parts(texts(items, 'path'))),
    sort: ['asc', 'desc'],
    start: ['1', String(half)],
    end: ['1', String(half), String(items.length)],
  }
}

/** The distinct texts of a field, the rarest first. */
function texts(items: readonly Item[], field: string): string[] {
  return byRarity(items.map((item) => fieldText(item, field)).filter(Boolean))
}

function byRarity<T>(values: readonly T[]): T[] {
  return [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => a.length - b.length).map(([value]) => value)
}

/** Starts, ends and wholes of texts. */
function parts(all: readonly string[]): string[] {
  return [...new Set(all.flatMap((text) => [text.slice(0, 12), text.slice(-8), text]).filter(isPlain))]
}

/** Whether a text is plain ASCII. The comparison of other text is unspecified. */
function isPlain(text: string): boolean {
  return /^[\w./:-][\w./:+ ()-]{0,78}[\w./:-]$/.test(text)
}

function ofText(plain: readonly string[]): string[] {
  return [
    ...plain.slice(0, 3),
    ...plain.slice(-1),
    ...plain.slice(0, 2).map((part) => part.toUpperCase()),
    'no-such-text',
  ]
}

/** Lists of two neighbouring values. */
function lists(values: readonly string[], separator = ','): string[] {
  return values.slice(1, 3).map((value, index) => `${values[index]}${separator}${value}`)
}

/** Another address of the same network. */
function neighbour(address: string): string {
  return address.includes(':')
    ? `${address.slice(0, address.lastIndexOf(':') + 1)}fffe`
    : address.replace(/\d+$/, '254')
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
