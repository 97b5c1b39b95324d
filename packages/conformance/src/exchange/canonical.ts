/** How responses are compared: by one text per value, and by the part of a value that the contract states. */
import { plainSchema, type Resolve, type Schema } from '@cdn/api/contract'
import { isRecord } from '@cdn/kit/record'

/**
 * Returns a JSON value as text. Equal values have equal texts: neither the order of the members of an object nor the order of the
 * entries of a list counts, and a null member counts as missing.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`
  if (!isRecord(value)) return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'undefined')
  const members = Object.entries(value).flatMap(([name, each]) =>
    each === null || each === undefined ? [] : `${JSON.stringify(name)}:${canonical(each)}`,
  )
  return `{${members.sort().join()}}`
}

/**
 * Returns a function that leaves out the members of objects that a schema does not name, at any depth, because a server may add and change
 * such members at any time. An object whose members the schema leaves open stays whole. Notations of one time become the same text.
 */
export function statedPart(schema: Schema, resolve: Resolve): (value: unknown) => unknown {
  let known: ReturnType<typeof partsOf> | undefined // A schema may refer to itself, so its parts are made when they are needed.
  return (value) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'string')) return value
    known ??= partsOf(schema, resolve)
    const { members, others, items, isTime } = known
    if (typeof value === 'string') return isTime ? sameTime(value) : value
    if (Array.isArray(value)) return items ? value.map((each) => items(each)) : value
    if (members.size === 0) return value
    const entries = Object.entries(value).flatMap(([name, each]) => {
      const part = members.get(name) ?? others
      return part ? [[name, part(each)] as const] : []
    })
    return Object.fromEntries(entries)
  }
}

function partsOf(schema: Schema, resolve: Resolve) {
  const whole = plainSchema(schema, resolve)
  const all = [whole, ...[...(whole.oneOf ?? []), ...(whole.anyOf ?? [])].map((one) => plainSchema(one, resolve))]
  const partOf = (part: unknown) => (isRecord(part) ? statedPart(part, resolve) : undefined)
  const named = all.flatMap(({ properties = {} }) => Object.entries(properties))
  return {
    members: new Map(named.map(([name, part]) => [name, statedPart(part, resolve)])),
    isTime: whole.format === 'date-time',
    others: partOf(whole['additionalProperties']),
    items: partOf(all.find(({ items }) => items)?.items),
  }
}

function sameTime(text: string): string {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? text : new Date(ms).toISOString()
}
