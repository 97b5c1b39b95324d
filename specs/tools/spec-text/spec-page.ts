/** Finds words, names, statuses and numbers in the text of SPEC.md. */
import { type Clause, clausesOf } from './clauses.ts'

/** Three digits that are a status, not an amount. */
const statusForm = /(?<![\w.,§/-])[1-5]\d\d(?![\w-]|[.,]\d| (?:second|minute|hour|day|character|item|request|byte))/g
const numberForm = /(?<![\w.,§/{-])\d+(?:[.,]\d+)*(?![\w-]|[.,]\d)/g
const amounts = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

export interface Page {
  readonly clauses: readonly Clause[]
  /** The names in backticks. */
  readonly names: ReadonlySet<string>
}

/** Reads SPEC.md. */
export function readPage(text: string, interfaces: readonly string[]): Page {
  const clauses = clausesOf(text, interfaces)
  return { clauses, names: new Set(clauses.flatMap((clause) => namesIn(clause.text))) }
}

/** Whether a text has a word or name, not only as a part of a longer word. */
export function hasWord(text: string, word: string): boolean {
  if (!text.includes(word)) return false
  return new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`).test(text)
}

/** Whether a text has a number, in digits or in words. */
export function saysNumber(text: string, value: number): boolean {
  return (
    numbersIn(text).includes(value) || (amounts[value] !== undefined && hasWord(text.toLowerCase(), amounts[value]))
  )
}

export function hasNumber(text: string): boolean {
  return numbersIn(text).length > 0 || amounts.some((amount) => hasWord(text.toLowerCase(), amount))
}

/** The names in backticks, without operations, paths and examples of headers. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => (/[ :/{}|]/.test(name) ? [] : [name]))
}

export function statusesIn(text: string): string[] {
  return withoutCode(text).match(statusForm) ?? []
}

/** The numbers of a text that are not statuses. */
export function numbersIn(text: string): number[] {
  const plain = withoutCode(text).replaceAll(statusForm, '')
  const numbers = (plain.match(numberForm) ?? []).map((number) => Number(number.replaceAll(/,(?=\d{3}\b)/g, '')))
  return numbers.filter(Number.isFinite) // `1.0.0` is a version
}

/** Empties the code in backticks, except numbers. */
const withoutCode = (text: string) =>
  text.replaceAll(/`([^`]*)`/g, (_, code: string) => (/^[\d.]+$/.test(code) ? code : '``'))
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
