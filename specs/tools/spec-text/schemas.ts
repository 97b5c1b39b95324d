/** Compares schemas with the clauses that name their fields. */
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import type { Clause } from './clauses.ts'
import { type Node, type Steps, toArray } from './document-operations.ts'
import { hasNumber, saysNumber } from './spec-page.ts'

/** Words of the page for a type or a format. */
const forms: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  type: {
    string: /\b(?:strings?|texts?|UUIDs?|URIs?|date-time)\b/i,
    integer: /\b(?:integers?|int\d\d|\d\d-bit|whole numbers?)\b/i,
    boolean: /\bbooleans?\b/i,
    array: /\b(?:arrays?|collections?|is a list)\b/i,
    number: /\b(?:decimals?|float|double)\b/i,
  },
  format: {
    int64: /\b(?:64-bit|int64)\b/i,
    int32: /\b(?:32-bit|int32)\b/i,
    'date-time': /\b(?:date-time|ISO 8601)\b/i,
    uuid: /\bUUIDs?\b/i,
  },
}

const limits = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'default',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]

/** Context of the comparison of a schema. */
export interface Comparison {
  readonly document: Node
  /** Returns the clauses that name a field: those about the operation, those of its section, those about everything. */
  readonly naming: (field: string) => readonly (readonly Clause[])[]
  readonly report: (at: Steps, message: string) => void
  /** Whether the schema is that of a response. */
  readonly isResponse: boolean
}

/**
 * Reports each name, type, format, limit and value of a schema that SPEC.md lacks or contradicts.
 *
 * @param name the field or parameter; empty for a whole body
 * @param at place of the schema in the bundled document
 * @param required fields that the schemas around this one require
 */
export function compareSchema(
  schema: unknown,
  name: string,
  at: Steps,
  all: Comparison,
  required: readonly unknown[] = [],
  depth = 8,
): void {
  const { document, naming, report } = all
  const reference = toRecord(schema)['$ref']
  if (depth === 0) return
  if (typeof reference === 'string') {
    const target = reference.split('/').slice(1)
    compareSchema(followReference(document, schema), name, target, all, required, depth - 1)
    return
  }
  const node = toRecord(schema)
  if (name !== '') compareField(node, name, at, all)
  for (const [index, value] of toArray(node['enum']).entries())
    if (
      value !== null &&
      !naming(String(value))
        .flat()
        .some(({ open }) => !open)
    )
      report([...at, 'enum', index], `SPEC.md does not have the value \`${value}\`${name && ` of \`${name}\``}`)
  const needed = [...required, ...toArray(node['required'])]
  for (const [field, member] of Object.entries(toRecord(node['properties']))) {
    const place = [...at, 'properties', field]
    if (naming(field).flat().length === 0)
      report(place, `SPEC.md has no field \`${field}\` in the text about this operation`)
    compareRequired(field, needed.includes(field), [...at, 'required'], all)
    compareSchema(member, field, place, all, [], depth - 1)
  }
  for (const [index, part] of toArray(node['allOf']).entries())
    compareSchema(part, name, [...at, 'allOf', index], all, needed, depth - 1)
  if (node['items'] !== undefined) compareSchema(node['items'], '', [...at, 'items'], all, [], depth - 1)
}

function compareField(node: Node, name: string, at: Steps, { naming, report }: Comparison): void {
  const levels = naming(name)
  // The row of the field in a table says more than a sentence that names several fields.
  const rows = levels.flat().filter(({ text }) => new RegExp(`^\\|\\s*\`?${name}\`?\\s*\\|`).test(text))
  const [own = [], ...others] = levels.map((clauses) => clauses.filter(({ open }) => !open))
  const types = toArray(node['type'])
  const isOpen = levels[0]?.some(({ open, text }) => open && text.includes(`type of \`${name}\``))
  for (const [keyword, words] of Object.entries(forms)) {
    const values = toArray(node[keyword]).map(String)
    // One sentence may describe several fields, such as a 64-bit id and a text: a format of numbers does not count for a text.
    const isPossible = (value: string) =>
      keyword === 'type' || types.includes(/^int/.test(value) ? 'integer' : 'string')
    const said = nearest([[...rows, ...own], ...others], (clauses) =>
      Object.keys(words).filter((value) => isPossible(value) && clauses.some(({ text }) => words[value]?.test(text))),
    )
    const known = values.filter((value) => Object.hasOwn(words, value))
    const place = [...at, keyword]
    if (isOpen) {
      if (known.length > 0) report(place, `SPEC.md leaves the type of \`${name}\` open`)
    } else if (said.length > 0 && !known.some((value) => said.includes(value)))
      report(place, `SPEC.md says that \`${name}\` is ${said.join(' or ')}, not ${values.join(' or ') || 'anything'}`)
    else if (said.length === 0 && known.some((value) => /^int\d/.test(value)))
      report(place, `SPEC.md does not say that \`${name}\` is ${known.join(' or ')}`)
  }
  for (const limit of limits) {
    const value = node[limit]
    const near = [...rows, ...nearest([own, ...others], (clauses) => clauses.filter(({ text }) => hasNumber(text)))]
    if (typeof value === 'number' && !near.some(({ text }) => saysNumber(text, value)))
      report([...at, limit], `no sentence about \`${name}\` has its \`${limit}\`, ${value}`)
  }
}

/** Returns the findings of the first level that has any. */
function nearest<T>(
  levels: readonly (readonly Clause[])[],
  find: (clauses: readonly Clause[]) => readonly T[],
): readonly T[] {
  return levels.map(find).find((found) => found.length > 0) ?? []
}

/** A clause with both words is about several fields. */
const mixed = { required: /\brequired\b/, optional: /\boptional\b/ }

/**
 * Reports a field if SPEC.md leaves open or contradicts whether it is required. For fields of requests, SPEC.md says "required"; for
 * fields of responses, "always".
 */
export function compareRequired(
  name: string,
  isRequired: boolean,
  at: Steps,
  { naming, report, isResponse }: Comparison,
): void {
  const [clauses = []] = naming(name).filter((each) => each.length > 0)
  const isSaid = (open: boolean, form: RegExp) =>
    clauses.some(
      ({ open: isOpen, text }) =>
        isOpen === open && form.test(text) && !(mixed.required.test(text) && mixed.optional.test(text)),
    )
  const [needed, free] = isResponse ? [/\balways\b/, /\bnot always\b/] : [/\brequired\b/, /\boptional\b/]
  if (isRequired && isSaid(true, needed)) report(at, `SPEC.md leaves open whether \`${name}\` is required`)
  else if (isRequired && isSaid(false, free)) report(at, `SPEC.md says that \`${name}\` is optional`)
  else if (!isRequired && isSaid(false, needed) && !isSaid(false, free))
    report(at, `SPEC.md says that \`${name}\` is required`)
}
