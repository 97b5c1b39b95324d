import { stringifyJson } from '@cdn/kit/json'
import type { PrivacyConfig } from '../config/config.ts'
import { RejectedRow } from '../errors.ts'
import type { PageRows, UnreadableRow } from '../reader/api-reader.ts'
import { type Canonical, toCanonical } from './canonical.ts'
import { columns, type ParsedRow, parseTypedRow, type Value } from './columns.ts'
import { compileLine } from './compiled-line.ts'
import { createPrivacy } from './privacy.ts'

/** A row that no sink can hold: its text after the privacy rules. It goes to the file of dead letters. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/**
 * The values of a line by the names of its columns. A timestamp is a text or in ms since 1970, an int64 may be a number. A source is
 * missing.
 */
export type LineValues = Readonly<Record<string, Value | undefined>>

/** Encoded rows for all sinks: canonical NDJSON in whole lines, each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly rows: number
  /** The values of each line, for formats with typed columns. */
  readonly values: readonly LineValues[]
  /** Number of texts with replacements. A lone surrogate became U+FFFD, and so did U+0000 if the sink cannot hold it. */
  readonly replaced: number
  /** Rows that could not be encoded, with the reason. */
  readonly rejects: readonly Reject[]
}

/** Encodes rows as lines. Applies the rules for text and privacy. It changes the rows. */
export type Encode = (rows: PageRows) => Lines

/** Options of an encoder. */
export interface EncoderOptions {
  readonly privacy: PrivacyConfig
  /** Whether the sink cannot hold U+0000. */
  readonly replacesNul?: boolean | undefined
}

const ending = ',"source":"v2"}\n'
/** Length of the text after which it becomes bytes. A longer one would cost memory, a shorter one time. */
const pieceLength = 16_384

/** Creates the encoder of a zone's rows. A row that cannot be encoded does not affect the others. */
export function createEncoder({ privacy: config, replacesNul = false }: EncoderOptions): Encode {
  const privacy = createPrivacy(config)
  const writeLine = compileLine(replacesNul)
  const format = createTimeFormat()
  /** Length of a line, by the last rows. */
  let rowBytes = 512

  function toReject(row: unknown, reason: string): Reject {
    return { text: privacy.scrub(stringifyJson(row) ?? ''), reason }
  }
  function encodeRow(row: ParsedRow, time: number): Line | Reject {
    try {
      privacy.edit(row)
      const text = writeLine(row, format(time))
      if (text !== undefined) return { text, values: row as LineValues, replaced: 0 } // as the line shows
      const canonical = toCanonical(row, time, replacesNul)
      return { ...canonical, values: valuesOf(canonical.text + ending) }
    } catch (cause) {
      if (cause instanceof RejectedRow) return toReject(row, cause.message)
      // Without the privacy rules, the text may hold a credential.
      if (cause instanceof RangeError) return { text: '', reason: 'it is nested too deeply' }
      throw cause
    }
  }
  function encodeUnreadable({ value, reason }: UnreadableRow): Reject {
    try {
      privacy.edit(value)
      return toReject(value, reason)
    } catch (cause) {
      if (cause instanceof RangeError) return { text: '', reason }
      throw cause
    }
  }

  return ({ rows, times, unreadable }) => {
    const rejects = unreadable.map(encodeUnreadable)
    const output = createOutput(rows.length * rowBytes)
    const values: LineValues[] = []
    let replaced = 0
    let text = ''
    for (const [n, row] of rows.entries()) {
      const line = encodeRow(row, times[n] as number) // within bounds
      if ('reason' in line) {
        rejects.push(line)
        continue
      }
      text += line.text + ending
      values.push(line.values)
      replaced += line.replaced
      if (text.length < pieceLength) continue
      output.write(text)
      text = ''
    }
    output.write(text)
    const bytes = output.bytes()
    if (values.length > 0) rowBytes = Math.ceil((bytes.length / values.length) * 1.05)
    return { bytes, rows: values.length, values, replaced, rejects }
  }
}

function createOutput(expected: number) {
  let buffer = Buffer.allocUnsafe(expected + pieceLength)
  let length = 0
  return {
    write(text: string): void {
      const needed = length + text.length * 3 // of UTF-8, at most
      if (needed > buffer.length) buffer = Buffer.concat([buffer.subarray(0, length)], needed * 2)
      length += buffer.write(text, length)
    },
    bytes: () => buffer.subarray(0, length),
  }
}

interface Line extends Canonical {
  readonly values: LineValues
}

/** Canonical lines as encoded rows. @param lines without their line feeds */
export function toLines(lines: readonly string[]): Lines {
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  return { bytes, rows: lines.length, values: lines.map(valuesOf), replaced: 0, rejects: [] }
}

function valuesOf(line: string): LineValues {
  const typed = parseTypedRow(line)
  return Object.fromEntries(columns.map(({ name }, n) => [name, typed[n]]))
}

/**
 * Creates a function that formats times (ms since 1970) as `2026-06-17T14:30:00.000Z`. Neighbouring rows often differ only in the
 * milliseconds, so each second is formatted once.
 */
function createTimeFormat(): (time: number) => string {
  let second = Number.NaN
  let prefix = ''
  return (time) => {
    const start = Math.floor(time / 1000)
    if (start !== second) {
      prefix = new Date(start * 1000).toISOString().slice(0, -4)
      second = start
    }
    return `${prefix}${String(time - start * 1000).padStart(3, '0')}Z`
  }
}
