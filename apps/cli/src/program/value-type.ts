import { toInteger } from '@cdn/kit/json'
import { dayMs, unitMs } from '@cdn/kit/time'

/** The type of an argument or option value. */
export interface ValueType<T> {
  /** Name of the value in the help of an option that the contract declares. */
  readonly placeholder: string
  /** Description of valid values; follows "Expected" in errors. */
  readonly must: string
  /** @returns the value; undefined for invalid text */
  readonly parse: (text: string) => T | undefined
  readonly choices?: readonly string[]
  /** Some of the valid values, which a shell completes; the choices by default. */
  readonly suggestions?: readonly string[]
  /** Whether a value may hold several choices, separated by commas. */
  readonly isList?: true
  /** The kind of values that a shell completes, apart from the choices. */
  readonly completes?: 'file' | 'path' | 'profile' | { readonly list: string }
}

/** Any text. Empty text is allowed. */
export const text: ValueType<string> = { placeholder: 'text', must: 'text', parse: (value) => value }
export const nonEmpty: ValueType<string> = {
  placeholder: 'text',
  must: 'text that is not empty',
  parse: (value) => value || undefined,
}
/**
 * Whether a word is a path that Git Bash has made from one that begins with a slash: `/img` becomes `C:/Program Files/Git/img`.
 */
export const isGitBashPath = (word: string) => /^[a-z]:[/\\]/i.test(word)

/** A part of a URL. */
export const urlPart: ValueType<string> = {
  ...nonEmpty,
  must: 'a part of a URL; Git Bash turns a slash at its start into a folder, so omit it',
  parse: (value) => (isGitBashPath(value) ? undefined : nonEmpty.parse(value)),
}
/** The path of a file; for some commands, `-` means standard input or output. */
export const file: ValueType<string> = { ...nonEmpty, must: 'the path of a file', completes: 'file' }
export const profileName: ValueType<string> = { ...nonEmpty, completes: 'profile' }

export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  const parse = (value: string) => choices.find((known) => known === value)
  return { placeholder: 'choice', must: alternatives(choices), parse, choices }
}

/** An integer that a JavaScript number represents exactly, within inclusive bounds. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const parse = (value: string) => {
    const number = int64.parse(value)
    return typeof number === 'number' && number >= min && number <= max ? number : undefined
  }
  return { placeholder: 'n', must: `an integer from ${min}${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}`, parse }
}

/** An exact 64-bit integer: a number if a JavaScript number is exact, else a bigint. */
export const int64: ValueType<number | bigint> = {
  placeholder: 'n',
  must: 'a 64-bit integer',
  parse: (value) => {
    const exact = /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined
    return exact !== undefined && exact === BigInt.asIntN(64, exact) ? toInteger(String(exact)) : undefined
  },
}

/** The id of a resource: a non-negative 64-bit integer (§2). It stays text, so that it is sent as it was typed. */
export const id: ValueType<string> = {
  placeholder: 'id',
  must: 'the id of a resource, a 64-bit integer',
  parse: (value) => (/^\d/.test(value) && int64.parse(value) !== undefined ? value : undefined),
}

/**
 * The id of a resource, or its name, which is looked up later.
 *
 * @param list path of the operation that lists the resources
 */
export function idOrName(noun: string, list: string): ValueType<string> {
  return {
    placeholder: 'id',
    must: `the id of a ${noun}, a 64-bit integer, or its name`,
    parse: (given) => id.parse(given) ?? (/\D/.test(given) && /^[\p{L}\d]\P{Cc}*$/u.test(given) ? given : undefined),
    completes: { list },
  }
}

/** A duration in milliseconds: `90s`, `1h30m`. The maximum is 24 days, because a timer of 25 days or more fires at once. */
export const duration: ValueType<number> = {
  placeholder: 'duration',
  must: 'a duration such as 90s, 15m, 2h or 1d, at most 24d',
  parse: (value) => {
    if (!/^(\d+(ms|[smhd]))+$/.test(value)) return undefined
    const parts = [...value.matchAll(/(\d+)(ms|[smhd])/g)]
    const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs], 0)
    return ms <= 24 * dayMs ? ms : undefined
  },
}

/** A point in time, which may depend on the current time. */
export type Moment = (now: Date) => Date

/** An ISO 8601 date or date-time (UTC by default), `now`, or a duration ago. */
export const instant: ValueType<Moment> = {
  placeholder: 'time',
  must: 'a time such as 2026-06-17T14:30:00Z, 2026-06-17, or 2h (ago)',
  parse: (value) => {
    const ago = value === 'now' ? 0 : duration.parse(value)
    if (ago !== undefined) return (now) => new Date(now.getTime() - ago)
    // `Date.parse` alone would accept many other texts (`1`, `May`), and read a date-time without a time zone as local time.
    if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i.test(value)) return undefined
    const at = new Date(value.length === 10 || /(Z|[+-]\d\d:\d\d)$/i.test(value) ? value : `${value}Z`)
    return Number.isNaN(at.getTime()) ? undefined : () => at
  },
}

/** @returns `a`, `a or b`, `a, b or c` */
export function alternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}
