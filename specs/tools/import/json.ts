/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, otherwise an empty one: a foreign contract may have any value anywhere. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

/** The value if it is a list, otherwise an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An object with mapped values. A key `__proto__` stays a key. */
export function mapValues(node: Json, to: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, to(value, key)]))
}

/** The target of a local reference (`#/components/...`), or undefined. */
export function lookUp(document: Json, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .map((step) => decodeStep(step))
    .reduce((at: unknown, step) => {
      if (Array.isArray(at)) return at[Number(step)]
      return isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
    }, document)
}

/** Decodes one step of a reference: percent-encoding and JSON pointer (RFC 6901). */
export function decodeStep(step: string): string {
  const plain = /%(?![0-9a-f]{2})/i.test(step) ? step : decodeURIComponent(step)
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Maximum length of a chain of references; a longer one is a cycle. */
const maxReferences = 32

/**
 * Follows references to the first node that is not a reference.
 *
 * @throws RangeError if a reference does not resolve or is part of a cycle
 */
export function follow(document: Json, node: unknown): unknown {
  let target = node
  for (let count = 0; isObject(target) && typeof target['$ref'] === 'string'; count++) {
    const reference = target['$ref']
    if (count === maxReferences) throw new RangeError(`the reference ${reference} is part of a cycle`)
    target = reference.startsWith('#/') ? lookUp(document, reference) : undefined
    if (target === undefined) throw new RangeError(`the reference ${reference} does not resolve`)
  }
  return target
}

/** Control characters that could affect a terminal: all but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** The same JSON without control characters in its texts and keys. */
export function withoutControls(node: unknown): unknown {
  if (typeof node === 'string') return node.replace(control, '')
  if (Array.isArray(node)) return node.map(withoutControls)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key.replace(control, ''), withoutControls(value)]),
  )
}
