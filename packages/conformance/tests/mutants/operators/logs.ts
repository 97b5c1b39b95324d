import { contracts, type Operation, operations, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { kebabCase } from '@cdn/kit/letter-case'
import { alterLines, alterQuery, alterRows } from '../alter-logs.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'

const cacheStatuses = assertDefined(contracts.logging.openapi.spec.components.schemas?.['CacheStatus']?.enum).map(
  String,
)

/** Mutants that rename one of the seven cache statuses (§2) in one version. */
export const cacheStatusMutants: readonly ServerUnderTest[] = cacheStatuses.flatMap((value) => {
  const other = value === '-' ? 'NONE' : value.toLowerCase()
  const name = value === '-' ? 'none' : kebabCase(value)
  const inRows = alterRows((all) =>
    all.map((row) => (row['cacheStatus'] === value ? { ...row, cacheStatus: other } : row)),
  )
  const inLines = alterLines((all) =>
    all.map((line) => (line.startsWith(`${value}|`) ? other + line.slice(value.length) : line)),
  )
  return [
    mutant(`cache-status.v2.${name}-renamed`, ['logging.cache-status.values'], inRows),
    mutant(`cache-status.v1.${name}-renamed`, ['logging.cache-status.values'], inLines),
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
  'query-logs order': ['order'],
  'read-log-file sort': ['order'],
  'read-log-file start': ['slice'],
  'read-log-file end': ['slice-end'],
  'read-log-file search': ['search'],
  'read-log-file download': ['attachment'],
}

/** No mutant ignores this parameter: a zone may have no requests to its origin shield, so their absence proves nothing. */
const invisible = 'query-logs includeOriginShield'

const parameters = operations.flatMap((operation) =>
  operation.parameters.filter(({ in: place }) => place === 'query').map((parameter) => ({ operation, ...parameter })),
)

/** Whether the schema of a parameter makes some texts invalid. */
const isTyped = (schema: Schema) => schema['type'] !== 'string' || schema['enum'] || schema['format']

/** Mutants that ignore one query parameter. */
export const parameterMutants: readonly ServerUnderTest[] = parameters
  .filter(({ operation, name }) => `${operation.name} ${name}` !== invisible)
  .map(({ operation, name, schema }) => {
    const ends = needed[`${operation.name} ${name}`] ?? [`${kebabCase(name)}-filter`]
    const refusal = operation.interface === 'logging' && isTyped(schema) ? ['400'] : []
    return ofParameter(operation, name, 'ignored', [...ends, ...refusal], () => true)
  })

/** Mutants that treat an invalid value of a parameter as missing. */
export const validationMutants: readonly ServerUnderTest[] = parameters
  .filter(({ operation }) => operation.interface === 'logging')
  .filter(({ schema }) => isTyped(schema))
  .map(({ operation, name }) =>
    ofParameter(operation, name, 'not-validated', ['400'], (text) => /^[a-z]{5,}!?$/.test(text) && text !== 'false'),
  )

function ofParameter(
  operation: Operation,
  name: string,
  kind: string,
  ends: readonly string[],
  isLost: (text: string) => boolean,
): ServerUnderTest {
  return mutant(
    `parameter.${operation.name}.${kebabCase(name)}-${kind}`,
    ends.map((end) => requirementIdOf(operation, end)),
    alterQuery([operation.name], (sent) => isLost(sent.get(name) ?? '') && sent.delete(name)),
  )
}
