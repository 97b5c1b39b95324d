import { type Operation, operations } from '@cdn/api/contract'
import { requirementIdOf, toSlug } from '../../laws/law.ts'
import { cacheStatuses } from '../../laws/v2-filters.ts'
import { alterAnswer, alterCall, editLines, editRows, withQuery } from '../alter.ts'
import { type Behaviour, type Mutant, mutant } from '../mutant.ts'

/** Each of the seven cache statuses (§2) under another name, in each version. */
export const cacheStatusMutants: readonly Mutant[] = cacheStatuses().flatMap((value) => {
  const other = value === '-' ? 'NONE' : value.toLowerCase()
  const renamed = (version: string, behaviour: Behaviour) =>
    mutant(
      `cache-status.${version}.${value === '-' ? 'none' : toSlug(value)}-renamed`,
      `Version ${version.slice(1)} calls the cache status ${value} ${other}.`,
      ['logging.cache-status.values'],
      behaviour,
    )
  return [
    renamed(
      'v2',
      alterAnswer(['query-logs'], (answer) =>
        editRows(answer, (rows) =>
          rows.map((row) => (row['cacheStatus'] === value ? { ...row, cacheStatus: other } : row)),
        ),
      ),
    ),
    renamed(
      'v1',
      alterAnswer(['read-log-file'], (answer) =>
        editLines(answer, (lines) =>
          lines.map((line) => (line.startsWith(`${value}|`) ? other + line.slice(value.length) : line)),
        ),
      ),
    ),
  ]
})

/** Which requirements need a query parameter, where it is not the one that is named after it. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'query-logs from': ['from-inclusive', 'partition'],
  'query-logs to': ['to-exclusive', 'partition'],
  'query-logs cacheStatus': ['filtering', 'cache-status-filter', 'filters-combine'],
  'query-logs urlContains': ['per-field-search', 'url-contains-filter'],
  'query-logs search': ['search'],
  'query-logs limit': ['pagination', 'limit-bounds', 'has-more'],
  'query-logs offset': ['pagination'],
  'query-logs order': ['order', '400'],
  'read-log-file sort': ['order', '400'],
  'read-log-file start': ['slice'],
  'read-log-file end': ['slice-end'],
  'read-log-file search': ['search'],
  'read-log-file download': ['attachment'],
}

/** A zone may have no requests to its origin shield, so that none come says nothing. */
const invisible = 'query-logs includeOriginShield'

/** Each query parameter ignored. */
export const parameterMutants: readonly Mutant[] = operations.flatMap((operation) =>
  operation.parameters
    .filter(({ in: place, name }) => place === 'query' && `${operation.name} ${name}` !== invisible)
    .map(({ name }) => ignored(operation, name)),
)

function ignored(operation: Operation, name: string): Mutant {
  const slugs = needed[`${operation.name} ${name}`] ?? [`${toSlug(name)}-filter`]
  return mutant(
    `parameter.${operation.name}.${toSlug(name)}-ignored`,
    `${operation.name} ignores the parameter ${name}.`,
    slugs.map((slug) => requirementIdOf(operation, slug)),
    alterCall([operation.name], (call) => withQuery(call, (query) => query.delete(name))),
  )
}
