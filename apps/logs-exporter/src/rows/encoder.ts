/**
 * The fast path of rows. Nearly all rows of the platform are already canonical lines, or differ from them only in the order of the
 * fields, in null fields, or in fields that the privacy rules change. One regular expression per form recognizes such rows in the
 * bytes of a page, which are copied or edited without a string or an object per row. That is twice as fast as JSON.parse and
 * JSON.stringify, so one core exports several zones at their rate limit. All other rows are parsed (`toCanonical`), which defines
 * the result: both ways give the same line, and a property test compares them.
 */
import { isUtf8 } from 'node:buffer'
import { parseLines } from '@cdn/api/batches'
import type { PrivacyConfig } from '../config/config.ts'
import { RejectedRow } from '../errors.ts'
import type { LineBatch } from '../reader/api-reader.ts'
import type { BatchSource } from '../segments/segment.ts'
import { createRowTexts, createTimeFormat, LineBuffer, toByteText } from './bytes.ts'
import { type Canonical, toCanonical } from './canonical.ts'
import { type ParsedRow, parseRowFields } from './columns.ts'
import { contractOrder, createEntryForms, createOrderLearner } from './entry-form.ts'
import { createLineForm, splitUrl } from './line-form.ts'
import { createPrivacy, createReject, type Privacy, type Reject } from './privacy.ts'

/** Encoded rows for all sinks: canonical NDJSON in whole lines, each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly rows: number
  /** Number of texts with replacements. A lone surrogate became U+FFFD, and so did U+0000 if the sink cannot hold it. */
  readonly replaced: number
  /** Rows that could not be encoded, with the reason. They go to the reject file. */
  readonly rejects: readonly Reject[]
  /** Releases the bytes for reuse. Call it when nothing reads the bytes any more. */
  readonly free?: () => void
}

/** Encodes rows `first` to `last` (exclusive) of a batch as lines. Applies the rules for text and privacy. */
export type Encode = (batch: LineBatch, first: number, last: number) => Lines

/** Options of an encoder. */
export interface EncoderOptions {
  readonly privacy: PrivacyConfig
  /** Whether the sink cannot hold U+0000. */
  readonly replacesNul?: boolean | undefined
  /** If false, every row is parsed; for tests and measurements. */
  readonly fast?: boolean
}

/** Expected size of lines, as [line bytes per byte of the rows, line bytes per row]. */
const weights = { v2: [1, 96], v1: [2, 320] } as const

/** Writes row n as a line. If the row needs the parser, writes nothing and returns false. */
type WriteRow = (n: number) => boolean

/** What the encoder needs for the rows of one source. */
interface RowWriters {
  createWriter(batch: LineBatch, output: LineBuffer): WriteRow
  parse(text: string): ParsedRow
}

/**
 * Creates the encoder of one source. It copies rows that are already canonical, edits rows of the usual form, and parses and
 * rewrites all others. All three ways give the same line.
 */
export function createEncoder(
  source: BatchSource,
  { privacy: config, replacesNul = false, fast = true }: EncoderOptions,
): Encode {
  const privacy = createPrivacy(config, replacesNul)
  const [perByte, perRow] = weights[source]
  const ending = `,"source":"${source}"}\n`
  const { createWriter, parse } = source === 'v2' ? entryWriters(privacy, ending) : lineWriters(privacy, ending)
  return (batch, first, last) => {
    const [from, to] = [batch.starts[first] ?? 0, batch.ends[last - 1] ?? 0] // 0 without rows
    const output = new LineBuffer((to - from) * perByte + (last - first) * perRow)
    const write = createWriter(batch, output)
    const isValid = isUtf8(batch.bytes.subarray(from, to))
    const rejects: Reject[] = []
    let replaced = 0
    for (let n = first; n < last; n++) {
      if (fast && (isValid || isUtf8(bytesOf(batch, n))) && write(n)) continue
      const text = decoder.decode(bytesOf(batch, n))
      // Safe: here and in the writers, n is a row of the batch. A check would cost time.
      const line = encodeParsed(parse, text, batch.times[n] as number, privacy)
      if (typeof line === 'string') rejects.push(createReject(text, line, source, privacy))
      else {
        output.write(toByteText(line.text) + ending)
        replaced += line.replaced
      }
    }
    const rows = last - first - rejects.length
    return { bytes: output.written(), rows, replaced, rejects, free: () => output.release() }
  }
}

function entryWriters(privacy: Privacy, ending: string): RowWriters {
  let forms = createEntryForms(privacy, contractOrder)
  const learn = createOrderLearner((order) => {
    forms = createEntryForms(privacy, order)
  })
  const format = createTimeFormat()
  const endBytes = Buffer.from(ending)
  const parse = (text: string) => {
    const row = parseRowFields(text)
    learn(row)
    return row
  }
  const createWriter = ({ bytes, starts, ends, times }: LineBatch, output: LineBuffer): WriteRow => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const rowText = createRowTexts(buffer)
    return (n) => {
      // Safe: n is a row of the batch.
      const [start, end, time] = [starts[n] as number, ends[n] as number, times[n] as number]
      if (Number.isNaN(time)) return false
      const row = rowText(start, end)
      const shown = `${format(time)}"`
      if (forms.isCanonical(row, shown)) {
        output.copy(buffer, start, end - 1)
        output.copy(endBytes, 0, endBytes.length)
        return true
      }
      const edited = valid(() => forms.edit(row, shown.slice(0, -1)))
      if (edited === undefined) return false
      output.write(edited + ending)
      return true
    }
  }
  return { createWriter, parse }
}

function lineWriters(privacy: Privacy, ending: string): RowWriters {
  const toForm = createLineForm(privacy)
  const format = createTimeFormat()
  const createWriter = ({ bytes, starts, ends, times }: LineBatch, output: LineBuffer): WriteRow => {
    const rowText = createRowTexts(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    return (n) => {
      // Safe: n is a row of the batch.
      const line = toForm(rowText(starts[n] as number, ends[n] as number), format(times[n] as number))
      if (line === undefined) return false
      output.write(line + ending)
      return true
    }
  }
  return { createWriter, parse: parseLine }
}

/** The result of a function; undefined if it throws. The parser then reads the row again and reports the reason. */
function valid<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function bytesOf({ bytes, starts, ends }: LineBatch, n: number): Uint8Array {
  return bytes.subarray(starts[n], ends[n])
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** @returns the line without its source, or the reason of the rejection */
function encodeParsed(
  parse: (text: string) => ParsedRow,
  text: string,
  time: number,
  privacy: Privacy,
): Canonical | string {
  try {
    return toCanonical(parse(text), time, privacy)
  } catch (cause) {
    if (cause instanceof RejectedRow) return cause.message
    // The parser's message would quote the row, so it is replaced. A RangeError means that the row is nested too deeply.
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it is not valid JSON'
  }
}

function parseLine(text: string): ParsedRow {
  const [row] = parseLines(text)
  if (!row || row.malformed) throw new RejectedRow('it is not a line of version 1')
  return row.url === null ? { ...row } : { ...row, ...splitUrl(row.url) }
}
