/** What a value on the command line may be: one type for arguments and options, read by parser, help and completion. */
export interface ValueType<T> {
  /** Stands for the value in a usage line: `ID`, `FILE`. */
  readonly placeholder: string
  /** What a value must be, to follow "must be". */
  readonly must: string
  /**
   * @param text as typed
   * @param now the time that relative values count from
   * @returns the value; undefined where the text is none
   */
  readonly parse: (text: string, now: Date) => T | undefined
  /** All values there are, where they can be listed. */
  readonly choices?: readonly string[]
  /** What an option means that stands without a value. */
  readonly implied?: string
  /** What a shell completes, where it is no choice. */
  readonly completes?: 'file'
}

/** Any text, the empty one too. */
export const text: ValueType<string> = { placeholder: 'TEXT', must: 'a text', parse: (value) => value }

/** The path of a file; `-` is standard input or output where the command says so. */
export const file: ValueType<string> = {
  placeholder: 'FILE',
  must: 'the path of a file',
  parse: (value) => value || undefined,
  completes: 'file',
}

/** A text under another name. */
export function named(placeholder: string): ValueType<string> {
  return { ...text, placeholder, must: 'a text that is not empty', parse: (value) => value || undefined }
}

/** One of a list. */
export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    placeholder: choices.join('|'),
    must: listOf(choices),
    parse: (value) => choices.find((known) => known === value),
    choices,
  }
}

/** A whole number that a JavaScript number holds exactly, within bounds (both included). */
export function integer(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const isBelow = most < Number.MAX_SAFE_INTEGER
  const isAbove = least > Number.MIN_SAFE_INTEGER
  const bounds = isAbove && isBelow ? ` from ${least} to ${most}` : isAbove ? ` from ${least}` : ''
  return {
    placeholder: 'N',
    must: `an integer${bounds}`,
    parse: (value) => {
      const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
      return Number.isSafeInteger(number) && number >= least && number <= most ? number : undefined
    },
  }
}

/** A 64-bit integer, exact: a number where it can be one, else a bigint. */
export const int64: ValueType<number | bigint> = {
  placeholder: 'N',
  must: 'a 64-bit integer',
  parse: (value) => {
    if (!/^-?\d{1,19}$/.test(value)) return undefined
    const exact = BigInt(value)
    if (exact !== BigInt.asIntN(64, exact)) return undefined
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
  },
}

/** The id of a resource: a 64-bit integer that is not negative (§2). */
export const id: ValueType<number | bigint> = {
  placeholder: 'ID',
  must: 'the id of a resource, a 64-bit integer',
  parse: (value, now) => (value.startsWith('-') ? undefined : int64.parse(value, now)),
}

/** Any number. */
export const number: ValueType<number> = {
  placeholder: 'NUMBER',
  must: 'a number',
  parse: (value) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined),
}

/** `true` or `false`, for fields of the contract; true where the option stands alone. */
export const boolean: ValueType<boolean> = {
  placeholder: 'true|false',
  implied: 'true',
  must: 'true or false',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  choices: ['true', 'false'],
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span of time, in milliseconds: `90s`, `15m`, `2h`, `1d`, `1h30m`. */
export const duration: ValueType<number> = {
  placeholder: 'DURATION',
  must: 'a span of time such as 90s, 15m, 2h or 1d',
  parse: (value) => {
    if (!/^(\d+(ms|[smhd]))+$/.test(value)) return undefined
    const parts = [...value.matchAll(/(\d+)(ms|[smhd])/g)]
    const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? Number.NaN), 0)
    return Number.isSafeInteger(ms) ? ms : undefined
  },
}

/** A point in time: an ISO 8601 date or date-time (UTC where no zone is given), `now`, or a span of time ago. */
export const instant: ValueType<Date> = {
  placeholder: 'TIME',
  must: 'a time such as 2026-06-17T14:30:00Z, 2026-06-17, or 2h (ago)',
  parse: (value, now) => {
    if (value === 'now') return now
    const ago = duration.parse(value, now)
    const at = ago === undefined ? parseIso(value) : now.getTime() - ago
    const date = new Date(at)
    return Number.isNaN(date.getTime()) ? undefined : date
  },
}

/** Date.parse takes much else (`1`, `May`), and a date-time without a zone as local time. */
function parseIso(value: string): number {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i.test(value)) return Number.NaN
  const hasZone = value.length === 10 || /(Z|[+-]\d\d:\d\d)$/i.test(value)
  return Date.parse(hasZone ? value : `${value}Z`)
}

/** @returns `a`, `a or b`, `a, b or c` */
export function listOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}
