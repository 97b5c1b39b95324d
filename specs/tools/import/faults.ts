import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Json, listOf } from './json.ts'
import {
  componentsOf,
  type ForeignOperation,
  operationKey,
  operationsOf,
  parametersOf,
  templateNames,
  titleOf,
} from './operations.ts'

/**
 * Finds faults that make a contract unusable in any reading.
 *
 * @param foreign a foreign contract in one document
 * @returns one sentence per fault, without the full stop
 */
export function faultsOf(foreign: Json): string[] {
  const operations = operationsOf(foreign)
  if (operations.length === 0) return ['it states no operation']
  return [
    ...badPaths(operations),
    ...badSchemas(foreign),
    ...badHeaders(foreign, operations),
    ...repeated(operations),
    ...operations.flatMap((one) => undeclared(foreign, one)),
  ]
}

function badPaths(operations: readonly ForeignOperation[]): string[] {
  const paths = [...new Set(operations.map(({ path }) => path))]
  const isPath = /^\/(?:[^?#\s{}]|\{[^?#\s{}]+\})*$/
  return paths
    .filter((path) => !isPath.test(path))
    .map((path) => `${JSON.stringify(path)} is not a path: expected a text such as "/zones/{id}", without a query`)
}

/** Finds operations that cannot be distinguished: they have the same method and path. */
function repeated(operations: readonly ForeignOperation[]): string[] {
  const all = [...Map.groupBy(operations, operationKey).values()].filter((same) => same.length > 1)
  return all.map((same) => `${same.map(titleOf).join(' and ')} have the same path`)
}

/** Finds names of headers that no program can send or print safely. HTTP allows more characters, such as quotes of a shell. */
function badHeaders(foreign: Json, operations: readonly ForeignOperation[]): string[] {
  const schemes = Object.values(componentsOf(foreign, 'securitySchemes'))
  const parameters = operations.flatMap((one) => [...parametersOf(foreign, one).values()])
  const responses = operations.flatMap(({ operation }) => Object.values(toRecord(operation['responses'])))
  const names = [
    ...[...schemes, ...parameters]
      .filter((one) => toRecord(one)['in'] === 'header')
      .map((one) => toRecord(one)['name']),
    ...responses.flatMap((one) => Object.keys(toRecord(toRecord(followReference(foreign, one))['headers']))),
  ]
  const bad = [...new Set(names.map(String))].filter((name) => !/^[\w-]+$/.test(name))
  return bad.map((name) => `${JSON.stringify(name)} is not the name of a header: expected letters, digits and hyphens`)
}

/** Finds schemas with names that JavaScript uses for all objects, because no client can be generated from them. */
function badSchemas(foreign: Json): string[] {
  const bad = Object.keys(componentsOf(foreign, 'schemas')).filter((name) => name in Object.prototype)
  return bad.map((name) => `the schema name ${name} is reserved in JavaScript; rename the schema`)
}

/** Finds names in a path that have no parameter. Callers cannot know the values of these names. */
function undeclared(foreign: Json, one: ForeignOperation): string[] {
  const declared = parametersOf(foreign, one)
  const missing = templateNames(one.path).filter((name) => !declared.has(`path ${name}`))
  return missing.map((name) => `${titleOf(one)} does not declare its path parameter {${name}}`)
}

/**
 * Finds a schema that contains itself directly, such as in its own `allOf`. Such a schema has no meaning, and programs that read
 * it would not terminate. A schema may have a property of its own type.
 *
 * @param schemas the schemas of a contract by name
 */
export function endlessSchema(schemas: Json): string | undefined {
  const done = new Set<string>()
  const visit = (name: string, above: readonly string[]): string[] => {
    if (above.includes(name)) return [name]
    if (done.has(name)) return []
    done.add(name)
    return partsOf(schemas[name]).flatMap((part) => visit(part, [...above, name]))
  }
  return Object.keys(schemas).flatMap((name) => visit(name, []))[0]
}

/** Returns the names of the schemas that a schema combines by `$ref`, `allOf`, `anyOf`, `oneOf` and `not`. */
export function partsOf(schema: unknown): string[] {
  const { $ref: reference, ...others } = toRecord(schema)
  const referenced = typeof reference === 'string' ? [defined(reference.split('/').at(-1))] : []
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(others[key]))
  return [...referenced, ...[...lists, ...('not' in others ? [others['not']] : [])].flatMap(partsOf)]
}

/**
 * Finds schemas that combine parts by `allOf` of which one forbids a field of another. No value has the fields of all parts.
 *
 * @param schemas the schemas of a contract by name; none contains itself
 */
export function closedSchemas(schemas: Json): string[] {
  const levelsOf = (node: unknown): Json[] => {
    const schema = toRecord(node)
    const referenced = partsOf({ $ref: schema['$ref'] }).map((name) => schemas[name])
    return [schema, ...[...referenced, ...listOf(schema['allOf'])].flatMap(levelsOf)]
  }
  const isClosed = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false
    const levels = 'allOf' in node ? levelsOf(node) : []
    const fields = levels.flatMap((level) => Object.keys(toRecord(level['properties'])))
    const forbids = (level: Json) =>
      level['additionalProperties'] === false &&
      level['patternProperties'] === undefined &&
      fields.some((field) => !Object.hasOwn(toRecord(level['properties']), field))
    return levels.some(forbids) || Object.values(node).some(isClosed)
  }
  return Object.keys(schemas).filter((name) => isClosed(schemas[name]))
}
