import { contracts, type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { alterCall, alterResponse, editLines, editRows, withQuery } from '../alter.ts'
import { type Behaviour, mutant, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf, toSlug } from '../requirements.ts'

/** The seven values of §2. */
const cacheStatuses = defined(contracts.logging.openapi.spec.components.schemas?.['CacheStatus']?.enum).map(String)

/** Mutants that rename one of the seven cache statuses (§2) in one version. */
export const cacheStatusMutants: readonly ServerUnderTest[] = cacheStatuses.flatMap((value) => {
  const other = value === '-' ? 'NONE' : value.toLowerCase()
  const renamed = (version: string, behaviour: Behaviour) =>
    mutant(
      `cache-status.${version}.${value === '-' ? 'none' : toSlug(value)}-renamed`,
      `Version ${version.slice(1)} shows the cache status ${value} as ${other}.`,
      ['logging.cache-status.values'],
      behaviour,
    )
  return [
    renamed(
      'v2',
      alterResponse(['query-logs'], (response) =>
        editRows(response, (rows) =>
          rows.map((row) => (row['cacheStatus'] === value ? { ...row, cacheStatus: other } : row)),
        ),
      ),
    ),
    renamed(
      'v1',
      alterResponse(['read-log-file'], (response) =>
        editLines(response, (lines) =>
          lines.map((line) => (line.startsWith(`${value}|`) ? other + line.slice(value.length) : line)),
        ),
      ),
    ),
  ]
})

const needed: Readonly<Record<string, readonly string[]>> = {
  'query-logs from': ['from-inclusive', 'partition'],
  'query-logs to': ['to-exclusive', 'partition'],
  'query-logs cacheStatus': ['filtering', 'cache-status-filter'],
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

/** No mutant ignores this parameter: a zone may have no requests to its origin shield, so their absence proves nothing. */
const invisible = 'query-logs includeOriginShield'

/** Mutants that ignore one query parameter. */
export const parameterMutants: readonly ServerUnderTest[] = operations.flatMap((operation) =>
  operation.parameters
    .filter(({ in: place, name }) => place === 'query' && `${operation.name} ${name}` !== invisible)
    .map(({ name }) => ignored(operation, name)),
)

/** Mutants that treat an invalid value of a parameter as missing. */
export const validationMutants: readonly ServerUnderTest[] = operations
  .filter((operation) => operation.interface === 'logging')
  .flatMap((operation) =>
    operation.parameters
      .filter(
        ({ in: place, schema }) =>
          place === 'query' && (schema['type'] !== 'string' || schema['enum'] || schema['format']),
      )
      .map(({ name }) =>
        mutant(
          `parameter.${operation.name}.${toSlug(name)}-not-validated`,
          `${operation.name} treats an invalid value of ${name} as missing.`,
          [requirementIdOf(operation, '400')],
          alterCall([operation.name], (call) =>
            withQuery(call, (query) => {
              if (/^[a-z]{5,}$/.test(query.get(name) ?? '') && query.get(name) !== 'false') query.delete(name)
            }),
          ),
        ),
      ),
  )

function ignored(operation: Operation, name: string): ServerUnderTest {
  const slugs = needed[`${operation.name} ${name}`] ?? [`${toSlug(name)}-filter`]
  return mutant(
    `parameter.${operation.name}.${toSlug(name)}-ignored`,
    `${operation.name} ignores the parameter ${name}.`,
    slugs.map((slug) => requirementIdOf(operation, slug)),
    alterCall([operation.name], (call) => withQuery(call, (query) => query.delete(name))),
  )
}
