/** Maximum length of a chain of references; a longer one counts as a cycle. */
const maxReferences = 32

/**
 * Decodes one step of a reference: first percent-encoding, then the escapes of a JSON pointer (RFC 6901). If a percent sign lacks its two
 * hexadecimal digits, the step has no percent-encoding.
 *
 * @throws URIError if the decoded bytes are not UTF-8
 */
export function decodeStep(step: string): string {
  const plain = /%(?![0-9a-f]{2})/i.test(step) ? step : decodeURIComponent(step)
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Returns the target of a local reference (`#/components/...`), or undefined if it is missing. */
export function lookUp(document: object, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .map(decodeStep)
    .reduce<unknown>((at, step) => {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
      return (at as Record<string, unknown>)[step] // `at` is an object with the key `step`
    }, document)
}

/**
 * Follows references (`$ref`) to the first node that is not a reference. References inside that node stay.
 *
 * @param document the document that contains the targets
 * @param node a node of the document; returned unchanged if it is not a reference
 * @throws RangeError if a reference does not resolve or is part of a cycle
 */
export function followReference<Node>(document: object, node: Node): Node {
  let target: unknown = node
  for (let count = 0; isReference(target); count++) {
    const reference = target.$ref
    if (count === maxReferences) throw new RangeError(`the reference ${reference} is part of a cycle`)
    target = reference.startsWith('#/') ? lookUp(document, reference) : undefined
    if (target === undefined) throw new RangeError(`the reference ${reference} does not resolve`)
  }
  return target as Node // OpenAPI permits a reference only to a node of the same kind
}

function isReference(node: unknown): node is { readonly $ref: string } {
  return typeof node === 'object' && node !== null && '$ref' in node && typeof node.$ref === 'string'
}
