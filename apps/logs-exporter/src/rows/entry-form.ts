import { fromByteText, type RowText, toByteText } from './bytes.ts'
import { entryColumns, type RowColumn } from './columns.ts'
import type { Privacy } from './privacy.ts'

/** Maximum number of digits at which every integer fits the type. */
export const safeDigits = { int32: 9, int64: 15 }

const timeAt = '{"timestamp":"'.length
const plainText = '"[^"\\\\\\x00-\\x1f]*"'
const anyText = '"[^"\\\\\\x00-\\x1f]*(?:\\\\.[^"\\\\\\x00-\\x1f]*)*"'
// An unescaped quote begins or ends a text. So `,"name":` is always a member in an entry that matches `anyText`.
/** The fields after the timestamp. */
const members = entryColumns.slice(1)
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g
/** U+0000 or a lone surrogate, as JSON.stringify writes them. */
const unfit = /\\u(?:d[89a-f]|0000)/

/**
 * Creates the forms of a version 2 entry that need no parser, from the contract's fields. Each form is one regular expression.
 *
 * @param order the order of the fields in the platform's rows
 */
export function createEntryForms(privacy: Privacy, order: readonly string[]) {
  const names = [...privacy.fields]
  const privateNames = names.map((name) => `,"${name}":`)
  const privateMember = new RegExp(`,"(${names.join('|')})":(${anyText})`, 'g')
  const canonical = toPattern(plainText, members, ({ name, nullable }, member) => {
    if (privacy.fields.has(name)) return ''
    return nullable ? `(?:${member})?` : member
  })
  const isContractOrder = order.join() === contractOrder.join()
  const shown = members.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  const editable = toPattern(anyText, shown, ({ name, nullable }, member) =>
    nullable ? `(?:(${member})|,"${name}":null)?` : `(${member})`,
  )
  const groupNumbers = members.map((column) => shown.indexOf(column) + 1)
  return {
    /** Whether a row shows `time` and, apart from the missing source, is already a canonical line. */
    isCanonical({ text, start, end }: RowText, time: string): boolean {
      canonical.lastIndex = start
      const isWhole = isContractOrder && canonical.test(text) && canonical.lastIndex === end
      return isWhole && text.startsWith(time, start + timeAt)
    },
    /**
     * Rewrites a row in canonical form, without its source and its end: brings the fields into the contract's order, drops null
     * fields, applies the privacy rules, writes `time`, and shortens escapes.
     *
     * @returns undefined if the row has fields outside the contract, fields in another order than `order`, or a text that no sink
     *   can hold
     * @throws SyntaxError for an invalid escape
     */
    edit({ text, start, end }: RowText, time: string): string | undefined {
      editable.lastIndex = start
      const groups = editable.exec(text)
      if (groups === null || editable.lastIndex !== end) return undefined
      let edited = ''
      for (const number of groupNumbers) edited += groups[number] ?? ''
      if (privateNames.some((name) => edited.includes(name))) {
        edited = edited.replace(privateMember, (_, name: string, value: string) => {
          const allowed = privacy.apply(name, JSON.parse(fromByteText(value)))
          return typeof allowed === 'string' ? `,"${name}":${toByteText(JSON.stringify(allowed))}` : ''
        })
      }
      if (edited.includes('\\')) edited = edited.replace(escapes, shortest)
      return unfit.test(edited) ? undefined : `{"timestamp":"${time}"${edited}`
    },
  }
}

/** The regular expression of an entry with these fields. `toForm` receives a field and the pattern of its member. */
function toPattern(
  text: string,
  columns: readonly RowColumn[],
  toForm: (column: RowColumn, member: string) => string,
): RegExp {
  const forms = columns.map((column) => {
    const { name, type } = column
    const isInteger = type === 'int32' || type === 'int64'
    const value = isInteger ? `(?:0|-?[1-9]\\d{0,${safeDigits[type] - 1}})` : text
    return toForm(column, `,"${name}":${value}`)
  })
  return new RegExp(`\\{"timestamp":"[\\dT:.Z+-]*"${forms.join('')}\\}`, 'y')
}

const shortForms = new Map<string, string>()

/** Writes an escape as JSON.stringify would, in byte text. @throws SyntaxError */
function shortest(text: string): string {
  const known = shortForms.get(text)
  if (known !== undefined) return known
  const form = toByteText(JSON.stringify(JSON.parse(`"${fromByteText(text)}"`)).slice(1, -1))
  shortForms.set(text, form)
  return form
}

/** Names of the contract's fields, in the contract's order. */
export const contractOrder: readonly string[] = entryColumns.map(({ name }) => name)

/**
 * Learns the order in which the platform sends the fields of an entry. JSON has no order of members, and a platform that omits null
 * fields never shows all of them in one row.
 *
 * @param onChange called with the new order of all fields of the contract
 * @returns a function that learns from one row
 */
export function createOrderLearner(onChange: (order: readonly string[]) => void): (row: object) => void {
  const followers = new Map(contractOrder.map((name) => [name, new Set<string>()]))
  let order = contractOrder
  return (row) => {
    let previous: Set<string> | undefined
    let isNew = false
    for (const name of Object.keys(row)) {
      const next = followers.get(name)
      if (next === undefined) continue
      if (previous && !previous.has(name)) isNew = Boolean(previous.add(name))
      previous = next
    }
    if (!isNew) return
    const sorted = sort(followers)
    if (sorted.join() !== order.join()) onChange(sorted)
    order = sorted
  }
}

/** Sorts names topologically: each stands before its followers. If rows contradict each other, some names do not. */
function sort(followers: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const sorted: string[] = []
  const visited = new Set<string>()
  const visit = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const next of followers.get(name) ?? []) visit(next)
    sorted.unshift(name)
  }
  for (const name of contractOrder.toReversed()) visit(name)
  return sorted
}
