import { defined } from '@cdn/kit/defined'
import { toInteger } from '@cdn/kit/json'
import { dayMs } from '@cdn/kit/time'

/** The type of an argument or option value. */
export interface ValueType<T> {
  readonly placeholder: string
  /** Description of valid values; follows "Expected" in errors. */
  readonly must: string
  /**
   * @param text as typed
   * @param now the current time, for relative values
   * @returns the value; undefined for invalid text
   */
  readonly parse: (text: string, now: Date) => T | undefined
  readonly choices?: readonly string[]
  /** Whether an option without a value means true. */
  readonly isOptional?: true
  /** What a shell completes, apart from the choices. */
  readonly completes?: 'file' | 'zone' | 'profile'
}

/** Any text. Empty text is allowed. */
export const text: ValueType<string> = { placeholder: 'TEXT', must: 'text', parse: (value) => value }

/** The path of a file; for some commands, `-` means standard input or output. */
export const file: ValueType<string> = {
  placeholder: 'FILE',
  must: 'the path of a file',
  parse: (value) => value || undefined,
  completes: 'file',
}

/** Non-empty text, shown with the given placeholder. */
export function named(placeholder: string): ValueType<string> {
  return { ...text, placeholder, must: 'text that is not empty', parse: (value) => value || undefined }
}

/** The name of a profile. */
export const profileName: ValueType<string> = { ...named('NAME'), completes: 'profile' }

/** One of the given texts. */
export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    placeholder: 'choice',
    must: alternatives(choices),
    parse: (value) => choices.find((known) => known === value),
    choices,
  }
}

/** An integer that a JavaScript number represents exactly, within inclusive bounds. */
export function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const isBelow = max < Number.MAX_SAFE_INTEGER
  const isAbove = min > Number.MIN_SAFE_INTEGER
  const bounds = isAbove && isBelow ? ` from ${min} to ${max}` : isAbove ? ` from ${min}` : ''
  return {
    placeholder: 'N',
    must: `an integer${bounds}`,
    parse: (value) => {
      const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
      return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined
    },
  }
}

/** An exact 64-bit integer: a number if a JavaScript number is exact, else a bigint. */
export const int64: ValueType<number | bigint> = {
  placeholder: 'N',
  must: 'a 64-bit integer',
  parse: (value) => {
    const exact = /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined
    return exact !== undefined && exact === BigInt.asIntN(64, exact) ? toInteger(String(exact)) : undefined
  },
}

/** The id of a resource: a non-negative 64-bit integer (§2). It stays text, so that it is sent as it was typed. */
export const id: ValueType<string> = {
  placeholder: 'ID',
  must: 'the id of a resource, a 64-bit integer',
  parse: (value, now) => (/^\d/.test(value) && int64.parse(value, now) !== undefined ? value : undefined),
}

/** The id of a pull zone, or its name, which is looked up later. */
export const zone: ValueType<string> = {
  placeholder: 'zone',
  must: 'the id or name of a pull zone',
  parse: (given, now) => id.parse(given, now) ?? (/^[a-z][\w.-]*$/i.test(given) ? given : undefined),
  completes: 'zone',
}

/** Any number. */
export const number: ValueType<number> = {
  placeholder: 'NUMBER',
  must: 'a number',
  parse: (value) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined),
}

/** `true` or `false`, for fields of the contract. An option without a value means true. */
export const boolean: ValueType<boolean> = {
  placeholder: 'true|false',
  isOptional: true,
  must: 'true or false',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  choices: ['true', 'false'],
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * A duration, in milliseconds: `90s`, `15m`, `2h`, `1d`, `1h30m`.
 *
 * @param maxDays maximum length in days
 */
function duration(maxDays: number): ValueType<number> {
  return {
    placeholder: 'DURATION',
    must: `a duration such as 90s, 15m, 2h or 1d, at most ${maxDays}d`,
    parse: (value) => {
      if (!/^(\d+(ms|[smhd]))+$/.test(value)) return undefined
      const parts = [...value.matchAll(/(\d+)(ms|[smhd])/g)]
      const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * defined(unitMs[String(unit)]), 0)
      return ms <= maxDays * dayMs ? ms : undefined
    },
  }
}

/** The length of a range of time. A hundred years ago is still a valid time. */
export const durationValue = duration(36_500)

/** A pause between two actions. The runtime fires a timer of 25 days or more at once. */
export const pauseValue = duration(24)

/** A point in time: an ISO 8601 date or date-time (UTC by default), `now`, or a duration ago. */
export const instant: ValueType<Date> = {
  placeholder: 'TIME',
  must: 'a time such as 2026-06-17T14:30:00Z, 2026-06-17, or 2h (ago)',
  parse: (value, now) => {
    if (value === 'now') return now
    const ago = durationValue.parse(value, now)
    const at = ago === undefined ? parseIso(value) : now.getTime() - ago
    const date = new Date(at)
    return Number.isNaN(date.getTime()) ? undefined : date
  },
}

/** `Date.parse` alone would accept many other texts (`1`, `May`), and read a date-time without a time zone as local time. */
function parseIso(value: string): number {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i.test(value)) return Number.NaN
  const hasZone = value.length === 10 || /(Z|[+-]\d\d:\d\d)$/i.test(value)
  return Date.parse(hasZone ? value : `${value}Z`)
}

/** @returns `a`, `a or b`, `a, b or c` */
export function alternatives(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}
