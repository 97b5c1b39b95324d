/** The requirements of the logs that follow from predicted responses: which of them a case exercises, and which a shrunk case breaks. */
import type { Decides } from '../../exchange/requirements.ts'
import { type LogOperation, logFilters } from '../../rules/predictions.ts'
import type { Difference } from './compare-rows.ts'

/**
 * Groups of requirements, each with the parameters that exercise it. A failed case breaks the requirements that it exercises in the first
 * possible group.
 */
type Groups = readonly Readonly<Record<Decides, readonly string[]>>[]

/** Stands for a parameter in each case with more than one filter. */
const several = 'several filters'

const groupsOf: Readonly<Record<LogOperation, Groups>> = {
  'query-logs': [
    { '<operation>.bearer/cases': ['bearer'] },
    { '<operation>.filters-combine': [several] },
    { '<operation>.pagination': ['limit', 'offset'] },
    {
      '<operation>.filtering': ['cacheStatus'],
      '<operation>.per-field-search': ['urlContains'],
      '<operation>.status-filter': ['status'],
      '<operation>.cache-status-filter': ['cacheStatus'],
      '<operation>.search': ['search'],
      '<operation>.country-filter': ['country'],
      '<operation>.edge-location-filter': ['edgeLocation'],
      '<operation>.remote-ip-filter': ['remoteIp'],
      '<operation>.request-id-filter': ['requestId'],
      '<operation>.url-contains-filter': ['urlContains'],
      '<operation>.user-agent-contains-filter': ['userAgentContains'],
      '<operation>.referer-contains-filter': ['refererContains'],
    },
    { '<operation>.origin-shield': ['includeOriginShield'] },
    {
      '<operation>.from-inclusive': ['from'],
      '<operation>.to-exclusive': ['to'],
      '<operation>.partition': ['from', 'to'],
    },
    { '<operation>.pagination': [] },
    // Every response exercises `has-more`. The differences `more` and `end` show that it is broken.
    { '<operation>.has-more': [] },
  ],
  'read-log-file': [
    { '<operation>.bearer/cases': ['bearer'] },
    { '<operation>.filters-combine': [several] },
    { '<operation>.status-filter': ['status'], '<operation>.search': ['search'] },
    { '<operation>.slice': ['start'] },
    { '<operation>.slice-end': ['end'] },
    { '<interface>.agreement.v1-v2': [] },
  ],
}

const hasMore: Decides = '<operation>.has-more'

const alwaysBroken: Partial<Readonly<Record<Difference['what'], readonly Decides[]>>> = {
  more: [hasMore],
  end: [hasMore, '<operation>.pagination'],
  before: ['<operation>.from-inclusive', '<operation>.partition'],
  after: ['<operation>.to-exclusive', '<operation>.partition'],
}

/** The requirements of an operation, each once. */
export function logRequirements(operation: LogOperation): readonly Decides[] {
  return [...new Set(groupsOf[operation].flatMap((group) => Object.keys(group) as Decides[]))]
}

/** Whether every response exercises a requirement. */
export function isGeneral(decides: Decides): boolean {
  return decides === hasMore
}

/** Returns the requirements that parameters exercise, in their groups; without parameters, those of a plain query. */
function exercised(operation: LogOperation, parameters: readonly string[]): Decides[][] {
  const filters = parameters.filter((name) => name in logFilters[operation])
  const present = filters.length > 1 ? [...parameters, several] : parameters
  return groupsOf[operation]
    .map((group) =>
      (Object.entries(group) as [Decides, readonly string[]][])
        .filter(
          ([, needed]) => needed.some((name) => present.includes(name)) || needed.length + parameters.length === 0,
        )
        .map(([decides]) => decides),
    )
    .filter(({ length }) => length > 0)
}

/**
 * Returns the requirements that a case with these parameters exercises. `has-more` is one of them only if no other parameter than
 * `limit` and `offset` is present.
 */
export function exercisedBy(operation: LogOperation, parameters: readonly string[]): readonly Decides[] {
  const isPaged = parameters.every((name) => name === 'limit' || name === 'offset')
  return [...exercised(operation, parameters).flat(), ...(isPaged ? [hasMore] : [])]
}

/** Returns the requirements that a failing case breaks after it was shrunk. */
export function requirementsBrokenBy(
  operation: LogOperation,
  { what }: Difference,
  parameters: readonly string[],
): readonly Decides[] {
  const [first] = exercised(operation, parameters)
  // Only the difference `after` shows that the end of the range is included.
  const shown = first?.filter((decides) => decides !== '<operation>.to-exclusive')
  // If a parameter has no requirement, the requirement of a plain query is broken.
  return alwaysBroken[what] ?? shown ?? exercised(operation, [])[0] ?? []
}
