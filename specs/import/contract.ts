import type { Action } from '../bundle.ts'
import { toKebab } from '../scaffold/names.ts'
import { isObject, type Json } from './json.ts'
import { effectOf, type Method, methods, nameOf, type Reading, toOwnPart } from './operation.ts'
import { toOwnSchema } from './schema.ts'

/** What an import brings, and what it leaves out. */
export interface Imported {
  readonly actions: readonly Action[]
  readonly operations: number
  /** How many words were filled in. */
  readonly assumed: number
  /** Operations that the contract has already, as `GET /path`. */
  readonly known: readonly string[]
}

/** What is there to hold the foreign contract against. */
export interface Present {
  /** The full contract, without an earlier import of the same file. */
  readonly contract: Json
  /** The operations of the earlier import; words that are no longer marked `x-assumed` in them stay. */
  readonly earlier: Json
}

/**
 * Makes an overlay's actions out of a contract that others wrote.
 *
 * @param foreign OpenAPI 3.0 or 3.1, in one document
 * @param source where it comes from, with its certainty, for `x-source`
 */
export function importContract(foreign: Json, { contract, earlier }: Present, source: string): Imported {
  const schemas = adoptSchemas(foreign, contract)
  const reading: Reading = { foreign, rename: schemas.rename }
  const names = new Set(operationsOf(contract).map(({ operation }) => String(operation['x-name'])))
  const known = new Set(operationsOf(contract).map(({ method, path }) => `${method} ${shapeOfPath(path)}`))
  const areas = adoptAreas(foreign, contract)
  const paths: Record<string, Record<string, unknown>> = {}
  const skipped: string[] = []
  let operations = 0
  let assumed = 0
  for (const { path, item, method, operation } of operationsOf(foreign)) {
    if (known.has(`${method} ${shapeOfPath(path)}`)) {
      skipped.push(`${method.toUpperCase()} ${path}`)
      continue
    }
    const kept = keptWords((earlier[path] as Json | undefined)?.[method])
    const words = { ...stated(operation), ...kept }
    const filled = {
      'x-name': words['x-name'] ?? unused(nameOf(method, path, operation['operationId']), names),
      'x-effect': words['x-effect'] ?? effectOf(method),
    }
    const missing = Object.keys(filled).filter((word) => words[word] === undefined)
    names.add(String(filled['x-name']))
    const { tags, operationId, security, summary, description, deprecated, requestBody, responses } = operation
    const parameters = parametersOf(item, operation, reading)
    paths[path] = {
      ...paths[path],
      [method]: {
        tags: [areas.of(tags)],
        ...(typeof operationId === 'string' && { operationId }),
        summary: summary ?? `${method.toUpperCase()} ${path}`,
        description: description ?? summary ?? `Imported; nothing is said of it.`,
        ...(deprecated === true && { deprecated }),
        ...filled,
        ...(missing.length > 0 && { 'x-assumed': missing }),
        ...securityOf(security ?? foreign['security'], foreign, contract),
        ...(parameters.length > 0 && { parameters }),
        ...(requestBody !== undefined && { requestBody: toOwnPart(requestBody, reading) }),
        responses: toOwnPart(responses ?? { default: { description: 'Nothing is said of the answers.' } }, reading),
      },
    }
    operations++
    assumed += missing.length
  }
  const ownPaths = Object.entries(paths).map(([path, item]): [string, Json] => [path, item])
  const update = (target: string, value: unknown): Action => ({ target, 'x-source': source, update: value })
  const actions = [
    ...(areas.added().length > 0 ? [update('$', { tags: areas.added().map((name) => ({ name })) })] : []),
    update('$.paths', Object.fromEntries(ownPaths)),
    update('$.components.schemas', schemas.used(paths)),
  ]
  return { actions, operations, assumed, known: skipped }
}

interface Found {
  readonly path: string
  readonly item: Json
  readonly method: Method
  readonly operation: Json
}

/** All operations of a contract. */
export function operationsOf(contract: Json): Found[] {
  return Object.entries((contract['paths'] ?? {}) as Json).flatMap(([path, item]) =>
    !isObject(item)
      ? []
      : methods.flatMap((method) => {
          const operation = item[method]
          return isObject(operation) ? [{ path, item, method, operation }] : []
        }),
  )
}

/** Two paths that differ in the names of their parameters alone are one. */
function shapeOfPath(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\/$/, '')
}

function stated(operation: Json): Record<string, unknown> {
  return Object.fromEntries(Object.entries(operation).filter(([key]) => key === 'x-name' || key === 'x-effect'))
}

/** The words of an earlier import that somebody has looked at. */
function keptWords(operation: unknown): Record<string, unknown> {
  if (!isObject(operation)) return {}
  const assumed = (operation['x-assumed'] ?? []) as readonly string[]
  return Object.fromEntries(Object.entries(stated(operation)).filter(([word]) => !assumed.includes(word)))
}

function unused(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  let number = 2
  while (taken.has(`${name}-${number}`)) number++
  return `${name}-${number}`
}

/** A parameter of the operation stands for one of the path with the same name and place; a path names all of its own. */
function parametersOf(item: Json, operation: Json, reading: Reading): unknown[] {
  const all = [item['parameters'] ?? [], operation['parameters'] ?? []]
    .flat()
    .map((one) => toOwnPart(one, reading) as Json)
  const byKey = new Map(all.map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter]))
  return [...byKey.values()].filter((parameter) => parameter['in'] !== 'cookie')
}

/** Areas: a tag that is spelled otherwise is the same area, and any other is a new one. */
function adoptAreas(foreign: Json, contract: Json) {
  const key = (name: string) => toKebab(name).replaceAll('-', '')
  const byKey = new Map(((contract['tags'] ?? []) as { name: string }[]).map(({ name }) => [key(name), name]))
  const added: string[] = []
  return {
    of(tags: unknown): string {
      const title = isObject(foreign['info']) ? String(foreign['info']['title'] ?? 'Imported') : 'Imported'
      const [first] = Array.isArray(tags) ? tags : []
      const name = String(first ?? title)
      const area = byKey.get(key(name))
      if (area !== undefined) return area
      byKey.set(key(name), name)
      added.push(name)
      return name
    },
    added: () => added,
  }
}

/** Schemas: one whose name is taken gets another, and only those that are used come along. */
function adoptSchemas(foreign: Json, contract: Json) {
  const prefix = '#/components/schemas/'
  const schemasIn = (api: Json) => (isObject(api['components']) ? (api['components']['schemas'] ?? {}) : {}) as Json
  const taken = schemasIn(contract)
  const theirs = schemasIn(foreign)
  const newName = (name: string) => (Object.hasOwn(taken, name) ? `imported.${name}` : name)
  const rename = (reference: string) =>
    reference.startsWith(prefix) ? prefix + newName(decodeURIComponent(reference.slice(prefix.length))) : reference
  return {
    rename,
    used(root: unknown): Json {
      const found: Record<string, unknown> = {}
      const byNewName = new Map(Object.keys(theirs).map((name) => [newName(name), name]))
      const visit = (node: unknown): void => {
        if (Array.isArray(node)) for (const member of node) visit(member)
        if (!isObject(node)) return
        const reference = node['$ref']
        const name = typeof reference === 'string' ? reference.slice(prefix.length) : undefined
        if (name !== undefined && byNewName.has(name) && !Object.hasOwn(found, name)) {
          found[name] = toOwnSchema(theirs[byNewName.get(name) ?? ''], rename)
          visit(found[name])
        }
        for (const member of Object.values(node)) visit(member)
      }
      visit(root)
      return found
    },
  }
}

/** Schemes that carry their credential as ours do; where none is left, the interface's own rule holds. */
function securityOf(security: unknown, foreign: Json, contract: Json): { security?: unknown } {
  if (!Array.isArray(security)) return {}
  if (security.length === 0) return { security: [] }
  const schemesIn = (api: Json) =>
    ((api['components'] as Json | undefined)?.['securitySchemes'] ?? {}) as Record<string, Json>
  const placeOf = (scheme: Json | undefined) =>
    scheme?.['type'] === 'http' ? `http ${scheme['scheme']}` : `${scheme?.['in']} ${scheme?.['name']}`.toLowerCase()
  const ours = new Map(Object.entries(schemesIn(contract)).map(([name, scheme]) => [placeOf(scheme), name]))
  const names = security.flatMap((one) => (isObject(one) ? Object.keys(one) : []))
  const own = names.flatMap((name) => ours.get(placeOf(schemesIn(foreign)[name])) ?? [])
  return own.length > 0 ? { security: [...new Set(own)].map((name) => ({ [name]: [] })) } : {}
}
