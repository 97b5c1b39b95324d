/** The requirements of the logs: which of them a case exercises, and which of them a shrunk case breaks. */
import { type Decides, toSlug } from '../../requirements.ts'
import { type LogOperation, logFilters } from './expected.ts'
import type { Difference } from './judge.ts'

/** The requirements that follow from predicted responses. What a response shows by itself is decided by the rules. */
export const logRequirements: Readonly<Record<LogOperation, readonly Decides[]>> = {
  'query-logs': [
    '<operation>.bearer/cases',
    '<operation>.filtering',
    '<operation>.per-field-search',
    '<operation>.filters-combine',
    '<operation>.status-filter',
    '<operation>.cache-status-filter',
    '<operation>.search',
    '<operation>.country-filter',
    '<operation>.edge-location-filter',
    '<operation>.remote-ip-filter',
    '<operation>.request-id-filter',
    '<operation>.url-contains-filter',
    '<operation>.user-agent-contains-filter',
    '<operation>.referer-contains-filter',
    '<operation>.origin-shield',
    '<operation>.pagination',
    '<operation>.has-more',
    '<operation>.from-inclusive',
    '<operation>.to-exclusive',
    '<operation>.partition',
  ],
  'read-log-file': [
    '<operation>.bearer/cases',
    '<operation>.status-filter',
    '<operation>.search',
    '<operation>.slice',
    '<operation>.slice-end',
    '<interface>.agreement.v1-v2',
  ],
}

/** The end of an id, by which features and differences name it. */
export function endOf(decides: Decides): string {
  return decides.replace(/^<\w+>\.|\/.*$/g, '')
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
    operation === 'query-logs' ? ['pagination'] : ['agreement.v1-v2'],
  ]
  return groups.filter(({ length }) => length > 0)
}

const alwaysBroken: Partial<Readonly<Record<Difference['what'], readonly string[]>>> = {
  more: ['has-more'],
  end: ['has-more', 'pagination'],
  before: ['from-inclusive', 'partition'],
  after: ['to-exclusive', 'partition'],
}

/** Requirements that every response exercises. */
export const generalRequirements: readonly string[] = ['has-more']

/** Returns the requirements that a case with these features exercises in particular. */
export function exercisedBy(operation: LogOperation, features: readonly string[]): readonly string[] {
  // The last group belongs to cases without features.
  const groups = groupsOf(operation, features)
  const isPaged = features.every((name) => name === 'limit' || name === 'offset')
  return [...(features.length > 0 ? groups.slice(0, -1) : groups).flat(), ...(isPaged ? ['has-more'] : [])]
}

/** Returns the requirements that a case breaks if it cannot be shrunk. */
export function brokenBy(
  operation: LogOperation,
  { what }: Difference,
  features: readonly string[],
): readonly string[] {
  return alwaysBroken[what] ?? groupsOf(operation, features)[0] ?? []
}
