import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { type Json, listOf } from './json.ts'

export const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const
export type ForeignMethod = (typeof methods)[number]

export interface ForeignOperation {
  readonly path: string
  readonly item: Json
  readonly method: ForeignMethod
  readonly operation: Json
}

/** Returns all operations of a contract, in order. */
export function operationsOf(contract: Json): ForeignOperation[] {
  return Object.entries(toRecord(contract['paths'])).flatMap(([path, stated]) => {
    const item = toRecord(followReference(contract, stated))
    return methods.flatMap((method) => {
      const operation = followReference(contract, item[method])
      return isRecord(operation) ? [{ path, item, method, operation }] : []
    })
  })
}

/** Returns the components of a kind, by name. */
export function componentsOf(contract: Json, kind: 'schemas' | 'securitySchemes'): Json {
  return toRecord(toRecord(contract['components'])[kind])
}

/** Returns the parameters of an operation and its path, by place and name. Those of the operation override those of the path. */
export function parametersOf(contract: Json, { item, operation }: ForeignOperation): Map<string, Json> {
  const all = [item['parameters'], operation['parameters']].flatMap(listOf)
  const parameters = all.map((node) => followReference(contract, node)).filter(isRecord)
  return new Map(parameters.map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter]))
}

/** Returns method and path as text: `GET /pullzone/{id}`. */
export function titleOf({ method, path }: Pick<ForeignOperation, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`
}

/** Returns a path without the names of its parameters: two paths may name the same parameter differently. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}')
}

/** Returns method and path without the names of path parameters, so that equal operations have equal keys. */
export function operationKey({ method, path }: Pick<ForeignOperation, 'method' | 'path'>): string {
  return `${method} ${shapeOf(path).replace(/(?<=.)\/$/, '')}`
}

/** Returns the names of the operations of our contracts, by `operationKey`. */
export function namesIn(contracts: readonly Json[]): Map<string, string> {
  const all = contracts.flatMap(operationsOf)
  return new Map(all.map((one): [string, string] => [operationKey(one), String(one.operation['x-name'])]))
}

/** Returns the names of the path parameters in a path. */
export function templateNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => defined(name))
}

/** Returns the `paths` of operations, with the extensions of their path items. */
export function pathsOf(operations: readonly ForeignOperation[]): Json {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, all]) => [
      path,
      {
        ...Object.fromEntries(Object.entries(toRecord(all[0]?.item)).filter(([key]) => key.startsWith('x-'))),
        ...Object.fromEntries(all.map(({ method, operation }) => [method, operation])),
      },
    ]),
  )
}
