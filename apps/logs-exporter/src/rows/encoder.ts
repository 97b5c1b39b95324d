import type { PageRows as AnyPageRows, Collector, UnreadableRow } from '@cdn/api/logs'
import { stringifyJson } from '@cdn/kit/json'
import { isRecord } from '@cdn/kit/record'
import type { PrivacyConfig } from '../config/config.ts'
import { RejectedRow } from '../errors.ts'
import { type Canonical, toCanonical } from './canonical.ts'
import { type ColumnValues, createColumnValues } from './column-values.ts'
import { type ParsedRow, parseTypedRow } from './columns.ts'
import { createPrivacy } from './privacy.ts'
import { createWriteLine, lineSuffix } from './write-line.ts'

/** A row that no sink can hold: its text after the privacy rules. It goes to the file of dead letters. */
export interface Reject {
  readonly text: string
  readonly reason: string
}

/** Encoded rows for all sinks: canonical NDJSON in whole lines, each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly rows: number
  /** The values of each column, for formats with typed columns, if they are already known. */
  readonly columns?: ColumnValues['lists'] | undefined
  /** Number of texts with replacements. A lone surrogate became U+FFFD, and so did U+0000 if the sink cannot hold it. */
  readonly replaced: number
  /** Rows that could not be encoded, with the reason. */
  readonly rejects: readonly Reject[]
}

export interface EncodedRows extends Lines {
  /** Number of rows, with the rejects. */
  readonly length: number
  slice(start: number, end: number): EncodedRows
  /** Makes the memory of the bytes available for another page. */
  free(): void
}

/** Encoded rows of a zone, ascending by time, and the entries of the page that are not readable as rows. */
export type PageRows = AnyPageRows<EncodedRows>

/** Encodes rows as lines. Applies the rules for text and privacy. */
export interface RowEncoder {
  /** Starts a page. Its collector changes the rows. */
  page(): Collector<EncodedRows>
  /** The lines of a page. Their bytes are valid until the next batch of the read is requested. */
  lines(page: PageRows): Lines
}

export interface EncoderOptions {
  readonly privacy: PrivacyConfig
  /** Whether the sink cannot hold U+0000. */
  readonly replacesNul?: boolean | undefined
  /** Whether `Lines.columns` is needed. */
  readonly takesValues?: boolean | undefined
}

/** Maximum number of buffers that wait for the next page. */
const maxSpare = 3
/** Length of a new buffer, in bytes. */
const firstBytes = 2 ** 20

/** Creates the encoder of rows. A row that cannot be encoded does not affect the others. */
export function createEncoder({
  privacy: config,
  replacesNul = false,
  takesValues = false,
}: EncoderOptions): RowEncoder {
  const privacy = createPrivacy(config)
  const writeLine = createWriteLine(replacesNul)
  const format = createTimeFormat()
  // New memory for each page would cost much processor time, and garbage of pages much memory.
  const spare: Buffer<ArrayBuffer>[] = []

  function toReject(row: unknown, reason: string): Reject {
    return { text: privacy.scrub(stringifyJson(row) ?? ''), reason }
  }
  function encodeUnusual(row: ParsedRow, time: number): Canonical | Reject {
    try {
      privacy.editOthers(row)
      return toCanonical(row, time, replacesNul)
    } catch (cause) {
      if (cause instanceof RejectedRow) return toReject(row, cause.message)
      // Without the privacy rules, the text may hold a credential.
      if (cause instanceof RangeError) return { text: '', reason: 'it is nested too deeply' }
      throw cause
    }
  }
  function encodeUnreadable({ value, reason }: UnreadableRow): Reject {
    try {
      if (isRecord(value)) {
        privacy.editKnown(value)
        privacy.editOthers(value)
      }
      return toReject(value, reason)
    } catch (cause) {
      if (cause instanceof RangeError) return { text: '', reason }
      throw cause
    }
  }

  function page(): Collector<EncodedRows> {
    let buffer = spare.pop() ?? Buffer.from(new ArrayBuffer(firstBytes))
    /** The end of each row in the buffer. A reject has no bytes. */
    const ends: number[] = []
    const flaws = new Map<number, Reject | number>()
    const values = takesValues ? createColumnValues() : undefined
    let length = 0
    let isFree = false

    function write(line: string): void {
      if (length + line.length * 3 > buffer.length) {
        const needed = length + Buffer.byteLength(line)
        // A copy would leave the shorter buffer to the garbage collector.
        if (needed > buffer.length) buffer = Buffer.from(buffer.buffer.transfer(Math.ceil(needed * 1.5)))
      }
      length += buffer.write(line, length)
    }
    function viewOf(start: number, end: number): EncodedRows {
      // Another page may own the memory: rows without their bytes would be lost in silence.
      if (isFree && end > start) throw new Error('The rows of this page were given back.')
      const ownFlaws = [...flaws].filter(([n]) => n >= start && n < end).map(([, flaw]) => flaw)
      const rejects = ownFlaws.filter((flaw) => typeof flaw === 'object')
      const lineOf = (row: number) => row - [...flaws].filter(([n, flaw]) => n < row && typeof flaw === 'object').length
      const replaced = ownFlaws.reduce<number>((sum, flaw) => sum + (typeof flaw === 'number' ? flaw : 0), 0)
      return {
        bytes: buffer.subarray(ends[start - 1] ?? 0, ends[end - 1] ?? 0),
        rows: Math.max(0, end - start) - rejects.length,
        columns: values?.lists.map((column) => column.slice(lineOf(start), lineOf(end))),
        rejects,
        replaced,
        length: Math.max(0, end - start),
        slice: (from, to) => viewOf(Math.min(start + from, end), Math.min(start + to, end)),
        free() {
          if (!isFree && spare.length < maxSpare) spare.push(buffer)
          isFree = true
        },
      }
    }
    return {
      add(row, time, hasEscapes, exact) {
        privacy.editKnown(row)
        let line = writeLine(row, format(time), hasEscapes)
        if (line === undefined) {
          const exactRow = exact()
          if (exactRow !== row) privacy.editKnown(exactRow)
          const encoded = encodeUnusual(exactRow, time)
          if ('reason' in encoded) flaws.set(ends.length, encoded)
          else {
            line = encoded.text + lineSuffix
            if (encoded.replaced > 0) flaws.set(ends.length, encoded.replaced)
            values?.addTyped(parseTypedRow(line))
          }
        } else values?.add(row, time)
        if (line !== undefined) write(line)
        ends.push(length)
      },
      end: () => viewOf(0, ends.length),
    }
  }

  return {
    page,
    lines: ({ rows, unreadable }) => ({ ...rows, rejects: [...unreadable.map(encodeUnreadable), ...rows.rejects] }),
  }
}

/** Canonical lines as encoded rows. @param lines without their line feeds */
export function toLines(lines: readonly string[]): Lines {
  return { bytes: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length, replaced: 0, rejects: [] }
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
    return prefix + thousandths[time - start * 1000]
  }
}

const thousandths = Array.from({ length: 1000 }, (_, n) => `${String(n).padStart(3, '0')}Z`)
