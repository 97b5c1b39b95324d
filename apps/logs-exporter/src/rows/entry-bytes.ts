import { decode, type RowBatch } from '@cdn/api/batches'
import { cleanText } from './canonical.ts'
import { entryColumns } from './columns.ts'
import type { Output } from './output.ts'
import type { Privacy } from './privacy.ts'
import { mostDigits, scanInteger, scanNull, scanned, scanText, scanTime, timeLength } from './scan-value.ts'

/**
 * Writes the canonical line of an entry of version 2 out of its bytes, without its source and end.
 *
 * @returns how many texts had to be changed; -1, with nothing written, where the entry has to be parsed: it holds spaces
 *   between its parts, unknown, doubled or missing fields, values in another form, or it cannot be encoded at all
 */
export type WriteEntry = (rows: RowBytes, n: number, output: Output) => number

/** The bytes that rows lie in. */
export interface RowBytes {
  readonly batch: RowBatch
  /** Its bytes. */
  readonly view: DataView
  /** Whether all of them are valid UTF-8. */
  readonly isUtf8: boolean
}

const [quote, comma, letterN, brace, braceEnd] = [34, 44, 110, 123, 125]
/** How a value gets into the line. */
const [absent, copied, utc, rewritten] = [0, 1, 2, 3]

const fields = entryColumns.map(({ name, type, nullable }) => ({
  name,
  type,
  nullable,
  /** As it stands before the value. */
  head: new DataView(new TextEncoder().encode(`"${name}":`).buffer),
}))

type Field = (typeof fields)[number]
const isText = Uint8Array.from(fields, ({ type }) => (type === 'string' ? 1 : 0))
/** The heads, four bytes each; the last word of a field holds the last four of its head, which may be in others, too. */
const mostWords = Math.ceil(Math.max(...fields.map(({ head }) => head.byteLength)) / 4) + 1
const headWords = Uint32Array.from({ length: fields.length * mostWords }, (_, n) => {
  const { head } = fields[Math.floor(n / mostWords)] as Field
  const at = n % mostWords === mostWords - 1 ? head.byteLength - 4 : (n % mostWords) * 4
  return at + 4 <= head.byteLength ? head.getUint32(at) : 0
})
const lengths = Uint8Array.from(fields, ({ head }) => head.byteLength)

/** Makes the writer. */
export function createEntryWriter(privacy: Privacy): WriteEntry {
  // Of each field, as it was found in the row that is being written.
  const hows = new Uint8Array(fields.length)
  const starts = new Uint32Array(fields.length)
  const values = new Uint32Array(fields.length)
  const ends = new Uint32Array(fields.length)
  /** The row in which a field was found last. */
  const turns = new Float64Array(fields.length)
  let turn = 0
  /** The fields of the row before, in its order: the next row has most likely the same. */
  const order = new Uint8Array(fields.length)
  const isPrivate = Uint8Array.from(fields, ({ name }) => (privacy.fields.has(name) ? rewritten : copied))

  /** Finds the values of a row; false where it has to be parsed. */
  function find({ batch, view, isUtf8 }: RowBytes, n: number): boolean {
    const { names, nameStarts } = batch
    const end = batch.ends[n] as number
    // Where no text of the row needs a look, a value reaches until the next name.
    const isKnown = isUtf8 && batch.isOdd[n] === 0
    const last = nameStarts[n + 1] as number
    let name = nameStarts[n] as number
    turn++
    let at = batch.starts[n] as number
    if (view.getUint8(at++) !== brace) return false
    for (let member = 0; member < fields.length; member++) {
      const index = fieldAt(view, at, order[member] as number)
      if (index === -1 || turns[index] === turn) return false
      order[member] = index
      turns[index] = turn
      starts[index] = at
      const value = at + (lengths[index] as number)
      values[index] = value
      name++
      const next = isKnown ? (name < last ? (names[name] as number) : end) - 1 : 0
      at = scan(index, view, value, next, end, isUtf8)
      if (at === -1) return false
      ends[index] = at
      const byte = view.getUint8(at++)
      if (byte !== comma) return byte === braceEnd && at === end
    }
    return false
  }

  /** Gives the index after a value; -1 where it is not in its one form. `next`: where it ends, if that is known. */
  function scan(index: number, view: DataView, at: number, next: number, end: number, isUtf8: boolean): number {
    const first = view.getUint8(at)
    if (first === quote && isText[index] === 1) {
      hows[index] = isPrivate[index] as number
      if (next > at + 1 && view.getUint8(next - 1) === quote) return next
      const after = scanText(view, at, end)
      if (scanned.hasEscape || (scanned.hasNonAscii && !isUtf8)) hows[index] = rewritten
      return after
    }
    const { type, nullable } = fields[index] as Field
    if (first === letterN && nullable) {
      hows[index] = absent
      return scanNull(view, at)
    }
    if (type === 'timestamp') {
      const after = scanTime(view, at)
      hows[index] = after === at + timeLength + 2 ? copied : utc
      return after
    }
    hows[index] = copied
    return type === 'int32' || type === 'int64' ? scanInteger(view, at, mostDigits[type]) : -1
  }

  /** Writes the fields that were found; -1 where a required one is missing. */
  function write(bytes: Uint8Array, output: Output): number {
    let replaced = 0
    let separator = brace
    // Fields that follow each other in the row and in the line are copied at once.
    let [runStart, runEnd] = [0, 0]
    const endRun = () => {
      if (runEnd === 0) return
      output.byte(separator)
      output.copy(bytes, runStart, runEnd)
      separator = comma
      runEnd = 0
    }
    for (let index = 0; index < fields.length; index++) {
      const { nullable, name } = fields[index] as Field
      const how = turns[index] === turn ? (hows[index] as number) : absent
      if (how === absent) {
        if (nullable) continue
        return -1
      }
      const [start, value, end] = [starts[index] as number, values[index] as number, ends[index] as number]
      if (how === copied) {
        if (runEnd === 0 || runEnd + 1 !== start) {
          endRun()
          runStart = start
        }
        runEnd = end
        continue
      }
      endRun()
      if (how === utc) {
        runStart = start
        runEnd = value + timeLength
        endRun()
        output.text('Z"')
        continue
      }
      const text = privacy.apply(name, JSON.parse(decode(bytes.subarray(value, end))))
      if (typeof text !== 'string') continue
      const clean = cleanText(text, privacy.replacesNul)
      if (clean !== text) replaced++
      output.byte(separator)
      separator = comma
      output.copy(bytes, start, value)
      output.text(JSON.stringify(clean))
    }
    endRun()
    return replaced
  }

  return (rows, n, output) => {
    const before = output.length
    let replaced = -1
    try {
      if (find(rows, n)) replaced = write(rows.batch.bytes, output)
    } catch {
      // An escape that is none, or bytes that end within a value: the parser says what is wrong.
    }
    if (replaced === -1) output.length = before
    return replaced
  }
}

/** The field whose name begins at `at`; -1 where it is none of the contract's, or not followed by its value at once. */
function fieldAt(view: DataView, at: number, likely: number): number {
  if (isHead(view, at, likely)) return likely
  for (let index = 0; index < fields.length; index++) if (isHead(view, at, index)) return index
  return -1
}

function isHead(view: DataView, at: number, index: number): boolean {
  const first = index * mostWords
  const last = (lengths[index] as number) - 4
  for (let n = 0; n < last; n += 4) if (view.getUint32(at + n) !== headWords[first + (n >> 2)]) return false
  return view.getUint32(at + last) === headWords[first + mostWords - 1]
}
