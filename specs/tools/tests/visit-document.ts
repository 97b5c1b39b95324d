/** Places of a bundled document that state something. */
import { isRecord, toRecord } from '@cdn/kit/record'
import { decodeStep } from '@cdn/kit/reference'

/** Keys that state nothing about a server: they explain something or serve our tools. */
const prose = new Set(['description', 'summary', 'title', 'text', 'unchecked', 'x-name', 'x-variable'])

/** Keys that the spec does not state. OpenAPI, the linter or our tools need them. */
const ours = new Set(['/openapi', '/info/license', '/servers'])

/** Joins steps to a JSON pointer (RFC 6901). */
export function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Splits a JSON pointer into its unescaped steps. */
export function steps(at: string): string[] {
  return at.split('/').slice(1).map(decodeStep)
}

/**
 * Lists everything in a document that states something.
 *
 * @param document a bundled document
 * @returns each object, list and plain value with its pointer. A step into a list is the `id` or `name` of the element, if it has one
 */
export function visitDocument(document: unknown): { readonly at: string; readonly node: unknown }[] {
  const visit = (node: unknown, at: string, calledBy?: string): { at: string; node: unknown }[] => {
    if (ours.has(at)) return []
    const under = Object.entries(Array.isArray(node) ? node : toRecord(node)).flatMap(([key, member]) => {
      if (key === calledBy || prose.has(key)) return []
      const [called, step] = (Array.isArray(node) && elementKey(member)) || [undefined, key]
      return visit(member, at + pointer(step), called)
    })
    return [{ at, node }, ...under]
  }
  return visit(document, '')
}

/** Returns the value at a pointer of `visitDocument`, or undefined if the document has no such place. */
export function valueAt(document: unknown, at: string): unknown {
  return steps(at).reduce((node: unknown, step) => {
    if (Array.isArray(node)) return node.find((element) => elementKey(element)?.[1] === step) ?? node[Number(step)]
    return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined
  }, document)
}

function elementKey(element: unknown): [key: string, value: string] | undefined {
  const { id, name } = toRecord(element)
  if (typeof id === 'string') return ['id', id]
  return typeof name === 'string' ? ['name', name] : undefined
}
