import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Json, listOf } from './json.ts'
import { type ForeignOperation, operationKey, operationsOf, templateNames, titleOf } from './operations.ts'

/**
 * Finds faults that make a contract unusable in any reading.
 *
 * @param foreign a foreign contract in one document
 * @returns one sentence per fault, without the full stop
 */
export function faultsOf(foreign: Json): string[] {
  const operations = operationsOf(foreign)
  if (operations.length === 0) return ['it states no operation']
  return [...badPaths(operations), ...repeated(operations), ...operations.flatMap((one) => undeclared(foreign, one))]
}

function badPaths(operations: readonly ForeignOperation[]): string[] {
  const paths = [...new Set(operations.map(({ path }) => path))]
  return paths
    .filter(
      (path) => !path.startsWith('/') || /[?#\s]/.test(path) || templateNames(path).includes('') || !balanced(path),
    )
    .map((path) => `${JSON.stringify(path)} is not a path: expected a text such as "/zones/{id}", without a query`)
}

function balanced(path: string): boolean {
  return !/[{}]/.test(path.replaceAll(/\{[^{}]*\}/g, ''))
}

/** Finds operations that cannot be distinguished: they have the same id, or the same method and path. */
function repeated(operations: readonly ForeignOperation[]): string[] {
  const byId = Map.groupBy(operations, ({ operation }) => operation['operationId'])
  const byKey = Map.groupBy(operations, operationKey)
  return [
    ...[...byId].flatMap(([id, all]) =>
      typeof id === 'string' && all.length > 1 ? [`${list(all)} have the same operationId ${JSON.stringify(id)}`] : [],
    ),
    ...[...byKey.values()].filter((all) => all.length > 1).map((all) => `${list(all)} have the same path`),
  ]
}

function list(operations: readonly ForeignOperation[]): string {
  return operations.map(titleOf).join(' and ')
}

/** Finds names in a path that have no parameter. Callers cannot know the values of these names. */
function undeclared(foreign: Json, one: ForeignOperation): string[] {
  const declared = parametersOf(foreign, one).filter((parameter) => parameter['in'] === 'path')
  const names = new Set(declared.map((parameter) => parameter['name']))
  const missing = templateNames(one.path).filter((name) => !names.has(name))
  return missing.map((name) => `${titleOf(one)} does not declare its path parameter {${name}}`)
}

/** Returns the parameters of an operation and its path. A parameter of the operation overrides the same one of the path. */
export function parametersOf(foreign: Json, { item, operation }: ForeignOperation): Json[] {
  const all = [item['parameters'], operation['parameters']]
    .flatMap(listOf)
    .map((node) => followReference(foreign, node))
  const byKey = new Map(all.filter(isRecord).map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter]))
  return [...byKey.values()]
}

/**
 * Finds a schema that contains itself directly, such as in its own `allOf`. Such a schema has no meaning, and programs that read
 * it would not terminate. A schema may have a property of its own type.
 *
 * @param schemas the schemas of a contract by name
 */
export function endlessSchema(schemas: Json): string | undefined {
  const done = new Set<string>()
  const visit = (name: string, above: readonly string[]): string | undefined => {
    if (above.includes(name)) return name
    if (done.has(name)) return undefined
    for (const part of partsOf(schemas[name])) {
      const endless = visit(part, [...above, name])
      if (endless !== undefined) return endless
    }
    done.add(name)
    return undefined
  }
  for (const name of Object.keys(schemas)) {
    const endless = visit(name, [])
    if (endless !== undefined) return endless
  }
  return undefined
}

/** Returns the names of the schemas that a schema combines by `$ref`, `allOf`, `anyOf`, `oneOf` and `not`. */
export function partsOf(schema: unknown): string[] {
  const { $ref: reference, ...others } = toRecord(schema)
  const referenced = typeof reference === 'string' ? [defined(reference.split('/').at(-1))] : []
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(others[key]))
  return [...referenced, ...[...lists, ...('not' in others ? [others['not']] : [])].flatMap(partsOf)]
}
