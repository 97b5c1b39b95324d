import { parseJson, parseLines, rowBytes } from '@cdn/api/batches'
import type { PrivacyConfig } from '../config/config.ts'
import type { RowBatch } from './batch.ts'
import { type Canonical, type ParsedRow, RejectedRow, toCanonical } from './canonical.ts'
import { createEntryWriter } from './entry-bytes.ts'
import { createLineWriter } from './line-bytes.ts'
import { Output, viewOf } from './output.ts'
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
/** What a line weighs: so much for each byte of its row, and so many bytes beside; a good guess spares a larger buffer. */
const weights = { v2: [1, 96], v1: [2, 320] } as const

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
  const [perByte, perRow] = weights[source]
  const ending = viewOf(`,"source":"${source}"}\n`)
  const writeRows = source === 'v2' ? createEntryWriter(privacy) : createLineWriter(privacy)
  const rooms = createRooms()
  return (batch, first, last) => {
    const [from, to] = [batch.starts[first] ?? 0, batch.ends[last - 1] ?? 0]
    const write = writeRows(batch)
    const output = new Output(rooms.take((to - from) * perByte + (last - first) * perRow))
    const rejects: Reject[] = []
    let replaced = 0
    for (let n = first; n < last; n++) {
      const time = batch.times[n] ?? Number.NaN
      const changed = fast ? write(n, output) : -1
      if (changed !== -1) {
        output.reserve(ending.byteLength)
        output.copy(ending, 0, ending.byteLength)
        replaced += changed
        continue
      }
      const text = decoder.decode(rowBytes(batch, n))
      const line = encodeParsed(parse, text, time, privacy)
      if (typeof line === 'string') rejects.push(createReject(text, line, source, privacy))
      else {
        output.text(line.text, ending.byteLength)
        output.copy(ending, 0, ending.byteLength)
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
