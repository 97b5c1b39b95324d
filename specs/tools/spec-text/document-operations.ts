/** The operations of a bundled document, with what each states: its names, limits and texts. */
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'

export type Node = Readonly<Record<string, unknown>>
/** Steps of a JSON pointer. */
export type Steps = readonly (string | number)[]

export interface DocumentOperation {
  readonly interface: string
  /** Method and path: `GET /pullzone`. */
  readonly key: string
  readonly at: Steps
  readonly node: Node
  readonly parameters: readonly { readonly node: Node; readonly at: Steps }[]
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** Lists the operations of an interface, with the parameters of their paths. */
export function operationsOf(name: string, document: Node): DocumentOperation[] {
  return Object.entries(toRecord(document['paths'])).flatMap(([path, each]) => {
    const item = toRecord(each)
    return methods.flatMap((method) => {
      if (!isRecord(item[method])) return []
      const node = item[method]
      const at = ['paths', path, method]
      const parametersOf = (owner: Node, place: Steps) =>
        toArray(owner['parameters']).map((parameter, index) => ({
          node: toRecord(followReference(document, parameter)),
          at: [...place, 'parameters', index],
        }))
      const parameters = [...parametersOf(item, ['paths', path]), ...parametersOf(node, at)]
      return { interface: name, key: `${method.toUpperCase()} ${path}`, at, node, parameters }
    })
  })
}

const silent = new Set(['description', 'summary', 'title', 'id', 'section', 'unchecked'])

/**
 * Collects the keys and values of a node and of its references, as texts. From the text of a statement, it collects only the names in
 * backticks.
 */
export function wordsOf(node: unknown, document: Node, words = new Set<string>(), depth = 24): ReadonlySet<string> {
  if (depth === 0) return words
  if (Array.isArray(node)) for (const member of node) wordsOf(member, document, words, depth - 1)
  else if (isRecord(node)) {
    if (typeof node['$ref'] === 'string') wordsOf(followReference(document, node), document, words, depth - 1)
    for (const [key, member] of Object.entries(node)) {
      words.add(key)
      if (key === 'text') for (const [, name = ''] of String(member).matchAll(/`([^`]+)`/g)) words.add(name)
      else if (!silent.has(key) || typeof member !== 'string') wordsOf(member, document, words, depth - 1)
    }
  } else words.add(String(node))
  return words
}

/** The names of the schemes that `security` accepts. */
export function schemesIn(security: unknown): string[] {
  return toArray(security).flatMap((each) => Object.keys(toRecord(each)))
}

/** The schemes of a document by name. */
export function schemesOf(document: Node): Readonly<Record<string, Node>> {
  const schemes = toRecord(toRecord(document['components'])['securitySchemes'])
  return Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, toRecord(scheme)]))
}

/** Returns a list unchanged, an empty list for undefined, and a list with the value for any other value. */
export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}
