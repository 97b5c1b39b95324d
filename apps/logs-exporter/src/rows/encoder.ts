import { isUtf8 } from 'node:buffer'
import { parseJson, parseLines, rowBytes } from '@cdn/api/batches'
import type { PrivacyConfig } from '../config/config.ts'
import type { RowBatch } from './batch.ts'
import { type Canonical, type ParsedRow, RejectedRow, toCanonical } from './canonical.ts'
import { createEntryWriter } from './entry-bytes.ts'
import { createLineWriter, type WriteLine } from './line-bytes.ts'
import { Output } from './output.ts'
import { createPrivacy, type Privacy } from './privacy.ts'
import { createReject, type Reject } from './reject.ts'
import { createRooms } from './rooms.ts'
import { splitUrl } from './url-parts.ts'

/** Where rows come from: it stands in the column `source`. */
export type Source = 'v2' | 'v1'

/** Rows as every sink takes them: canonical NDJSON, whole lines each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly rows: number
  /** Texts in which a lone surrogate (or U+0000, where the sink cannot hold it) became U+FFFD. */
  readonly replaced: number
  /** Rows that could not be encoded, with the reason; they go to the reject file. */
  readonly rejects: readonly Reject[]
  /** To be called by who knows that nobody reads the bytes any more: they are used for other lines then. */
  readonly free?: () => void
}

/** Turns rows `first` to `last`, exclusive, of a batch into lines, with the rules for text and privacy (§7 of the design) applied. */
export type Encode = (batch: RowBatch, first: number, last: number) => Lines

/** How rows are encoded. */
export interface EncoderOptions {
  readonly privacy: PrivacyConfig
  /** The sink cannot hold U+0000. */
  readonly replacesNul?: boolean | undefined
  /** False: every row is parsed; for tests and measurements. */
  readonly fast?: boolean
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** What a line costs beside the row that it is made of, in bytes. */
const lineBytes = 64

/**
 * Makes the encoder of one source. Most rows are put together from their bytes; those that are not as they should be are
 * parsed and written anew, which gives the same.
 */
export function createEncoder(
  source: Source,
  { privacy: config, replacesNul = false, fast = true }: EncoderOptions,
): Encode {
  const privacy = createPrivacy(config, replacesNul)
  const parse = source === 'v2' ? parseEntry : parseLine
  const ending = new TextEncoder().encode(`,"source":"${source}"}\n`)
  const write: WriteLine = source === 'v2' ? createEntryWriter(privacy) : createLineWriter(privacy)
  const rooms = createRooms()
  return (batch, first, last) => {
    const [from, to] = [batch.starts[first] ?? 0, batch.ends[last - 1] ?? 0]
    const { bytes } = batch
    const rows = {
      batch,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
      isUtf8: isUtf8(bytes.subarray(from, to)),
    }
    const output = new Output(rooms.take(to - from + (last - first) * lineBytes))
    const rejects: Reject[] = []
    let replaced = 0
    for (let n = first; n < last; n++) {
      const time = batch.times[n] ?? Number.NaN
      const changed = fast ? write(rows, n, output) : -1
      if (changed !== -1) {
        output.copy(ending, 0, ending.length)
        replaced += changed
        continue
      }
      const text = decoder.decode(rowBytes(batch, n))
      const line = encodeParsed(parse, text, time, privacy)
      if (typeof line === 'string') rejects.push(createReject(text, line, source, privacy))
      else {
        output.text(line.text)
        output.copy(ending, 0, ending.length)
        replaced += line.replaced
      }
    }
    const lines = output.taken()
    const free = () => rooms.giveBack(lines.buffer)
    return { bytes: lines, rows: last - first - rejects.length, replaced, rejects, free }
  }
}

/** @returns the line without its source, or why there is none */
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
    // The parser's message quotes the row; a RangeError says that it is nested too deeply.
    return cause instanceof RangeError ? 'it is nested too deeply' : 'it is no JSON'
  }
}

function parseEntry(text: string): ParsedRow {
  const row = parseJson(text)
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row as ParsedRow
  throw new RejectedRow('it is no object')
}

function parseLine(text: string): ParsedRow {
  const [row] = parseLines(text)
  if (!row || row.malformed) throw new RejectedRow('it is no line of version 1')
  return row.url === null ? { ...row } : { ...row, ...splitUrl(row.url) }
}
