/** Makes valid requests, and values that checks send. */

import type { Item, ModelCall, Schema, StatedOperation } from '@cdn/api/contract'
import { readInputFile } from '@cdn/kit/input-file'
import { toRecord } from '@cdn/kit/record'
import { bodyTypeOf, type RequestParts } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { requireOrSkip, Skip } from '../../exchange/failure.ts'
import { newName } from '../../exchange/own-names.ts'
import { resolverOf, schemaExample } from '../../exchange/schema-example.ts'
import { type Items, pathOf } from './items.ts'

export type PathRequest = RequestParts & { readonly path: Record<string, string> }

/**
 * Makes a valid request of an operation to an item.
 *
 * @param id the item, the first of the suite's own by default
 */
export async function validChange(
  context: CheckContext,
  operation: StatedOperation,
  items: Items,
  id: string | undefined = items.own[0],
): Promise<PathRequest> {
  const mediaType = bodyTypeOf(operation)
  const path = pathOf(operation, items, operation.action.kind === 'create' ? undefined : id)
  if (mediaType === undefined) return { path }
  return { path, body: mediaType.includes('json') ? bodyOf(operation) : await fileOf(context) }
}

/**
 * Makes a JSON body with every required field, and every field that the operation changes. A text that may have any form is a new name.
 * A change of an item has other values than its creation, if the schema permits others.
 */
export function bodyOf(operation: StatedOperation): Item {
  const { action } = operation
  const schema = operation.requestBody?.content['application/json'] ?? {}
  const resolve = resolverOf(operation)
  const { properties = {} } = resolve(schema)
  const isName = ({ type, format, pattern, enum: values, maxLength = 255 }: Schema) =>
    type === 'string' && !format && !pattern && !values && maxLength >= newName().length
  const isChange = action.kind === 'merge' || action.kind === 'replace'
  const valueFor = (name: string, example?: unknown) => {
    const property = resolve(properties[name] ?? {})
    if (isName(property)) return newName()
    const value = example ?? schemaExample(property, resolve)
    return isChange ? otherValue(property, value) : value
  }
  const names = 'value' in action ? [action.value] : Object.keys(properties)
  const example = toRecord(schemaExample(schema, resolve))
  return Object.fromEntries(
    [...new Set([...names, ...Object.keys(example)])].map((name) => [name, valueFor(name, example[name])]),
  )
}

/** Another valid value than the first one, if the schema has any. */
function otherValue({ enum: values = [], maximum = Number.POSITIVE_INFINITY }: Schema, value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number' && values.length === 0) return value + 1 <= maximum ? value + 1 : value
  return values.find((each) => each !== value) ?? value
}

async function fileOf(context: CheckContext): Promise<Uint8Array> {
  const file = requireOrSkip(context.fixtures.watermarkFile, 'watermarkFile')
  return context.once(`content of ${file}`, () =>
    readInputFile(file).catch((error: NodeJS.ErrnoException) => {
      throw new Skip(`cannot read watermarkFile ${file}: ${error.code}`)
    }),
  )
}

/** Returns the request of a call of the model, and adds the image, which the model leaves out. */
export async function requestOf(context: CheckContext, { operation, request }: ModelCall): Promise<RequestParts> {
  const path = Object.fromEntries(Object.entries(request.path).map(([name, value]) => [name, String(value)]))
  const mediaType = bodyTypeOf(operation)
  if (mediaType === undefined) return { path }
  return { path, body: mediaType.includes('json') ? (request.body ?? {}) : await fileOf(context) }
}

/** Values of other forms: of one character, long, in mixed case, with a wildcard. */
export function oddValues(): string[] {
  return ['x', `${'l'.repeat(60)}.${'m'.repeat(60)}.${newName()}`, `MiXed.${newName()}`, `*.${newName()}`]
}

/**
 * Returns values that a server may confuse, although they are different texts: wildcard, child and parent, part and whole, letter
 * case, trailing dot. A second family has the reverse order, because a value may hide earlier or later ones.
 */
export function relatedValues(): string[] {
  const [one, other] = [newName(), newName()]
  const familyOf = (name: string) => [`*.${name}`, `a.${name}`, name, `b${name}`, name.toUpperCase(), `${name}.`]
  return [...familyOf(one), ...familyOf(other).reverse()]
}

/** Values that a server may refuse as hostnames, but must not store in another form: beyond ASCII, and with a blank at the end. */
export function refusableValues(): string[] {
  return [`ä漢😀.${newName()}`, newName().replace('.', 'ü.'), `${newName()} `]
}
