/** The requirements of the logs: which of them a case exercises, and which of them a shrunk case breaks. */
import { toSlug } from '../../requirements.ts'
import { type LogOperation, logFilters } from './expected.ts'
import type { Difference } from './judge.ts'

/** The requirements that follow from predicted responses: the end of their id, and their text unless the contract lists it. */
export const logRequirements: Readonly<Record<LogOperation, Readonly<Record<string, string>>>> = {
  'query-logs': {
    bearer: '',
    zone: '',
    'cache-status.values': '',
    filtering: '',
    'per-field-search': '',
    'filters-combine': 'Each filter narrows the result, in whatever order they stand.',
    'status-filter': '',
    'cache-status-filter': '',
    search: '',
    'country-filter': 'country picks entries by countryCode, exactly.',
    'edge-location-filter': 'edgeLocation picks entries by edgeLocation, exactly.',
    'remote-ip-filter': 'remoteIp picks entries by remoteIp, exactly.',
    'request-id-filter': 'requestId picks entries by requestId, exactly.',
    'url-contains-filter': 'urlContains picks entries by host and path, in any case.',
    'user-agent-contains-filter': 'userAgentContains picks entries by userAgent, in part.',
    'referer-contains-filter': 'refererContains picks entries by referer, in part.',
    'origin-shield': 'Requests to the origin shield are shown on request, together with all others.',
    pagination: '',
    'has-more': 'hasMore is true on every page but the last.',
    'from-inclusive': '',
    'to-exclusive': '',
    partition: '',
    order: '',
    echo: '',
  },
  'read-log-file': {
    bearer: '',
    zone: 'A file holds the lines of the pull zone in its path.',
    'cache-status.values': '',
    'pipe-delimited': '',
    line: '',
    order: '',
    'status-filter': '',
    search: 'search picks lines that hold a text.',
    slice: 'start skips lines.',
    'slice-end': 'end ends the slice; whether the slice includes that line is unspecified.',
    'agreement.v1-v2': '',
  },
}

/** The requirements of single features, if they are named differently. */
const slugsOf: Readonly<Record<string, readonly string[]>> = {
  cacheStatus: ['filtering', 'cache-status-filter'],
  urlContains: ['per-field-search', 'url-contains-filter'],
  search: ['search'],
  from: ['from-inclusive', 'partition'],
  to: ['to-exclusive', 'partition'],
  limit: ['pagination'],
  offset: ['pagination'],
  includeOriginShield: ['origin-shield'],
  sort: ['order'],
  order: ['order'],
  start: ['slice'],
  end: ['slice-end'],
}

/** Groups of requirements that the features of a case exercise. Missing items are blamed on the first group. */
function groupsOf(operation: LogOperation, features: readonly string[]): string[][] {
  const filters = features.filter((name) => name in logFilters[operation])
  const slugs = (...names: readonly string[]) =>
    names.filter((name) => features.includes(name)).flatMap((name) => slugsOf[name] ?? [])
  const groups = [
    features.includes('bearer') ? ['bearer'] : [],
    filters.length > 1 && operation === 'query-logs' ? ['filters-combine'] : [],
    slugs('limit', 'offset'),
    filters.flatMap((name) => slugsOf[name] ?? [`${toSlug(name)}-filter`]),
    slugs('includeOriginShield'),
    slugs('from', 'to'),
    slugs('start'),
    slugs('end'),
    slugs('order', 'sort'),
    operation === 'query-logs' ? ['pagination'] : ['agreement.v1-v2'],
  ]
  return groups.filter(({ length }) => length > 0)
}

/** The requirements that a difference breaks, whatever the query. */
const blamedAlways: Partial<Readonly<Record<Difference['what'], readonly string[]>>> = {
  order: ['order'],
  echo: ['echo'],
  more: ['has-more'],
  end: ['has-more', 'pagination'],
  before: ['from-inclusive', 'partition'],
  after: ['to-exclusive', 'partition'],
  delimiter: ['pipe-delimited', 'line'],
  line: ['line'],
  zone: ['zone'],
  cacheStatus: ['cache-status.values'],
}

/** Requirements that every response exercises. */
const ofAny = ['line', 'pipe-delimited', 'zone', 'cache-status.values', 'order']
export const generalRequirements: readonly string[] = [...ofAny, 'echo', 'has-more']

/** Returns the requirements that a case with these features exercises in particular. */
export function exercisedBy(operation: LogOperation, features: readonly string[]): readonly string[] {
  // The last group belongs to cases without features.
  const groups = groupsOf(operation, features)
  const isPaged = features.every((name) => name === 'limit' || name === 'offset')
  return [
    ...(features.length > 0 ? groups.slice(0, -1) : groups).flat(),
    ...(isPaged ? ['has-more', 'echo'] : []),
    ...(features.length === 0 || features.join() === 'limit' ? ofAny : []),
  ]
}

/** Returns the requirements that a case breaks if it cannot be shrunk. */
export function blamedOn(
  operation: LogOperation,
  { what }: Difference,
  features: readonly string[],
): readonly string[] {
  return blamedAlways[what] ?? groupsOf(operation, features)[0] ?? []
}
