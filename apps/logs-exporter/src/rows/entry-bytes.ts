import { decode } from '@cdn/api/batches'
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
export type WriteEntry = (rows: RowBytes, start: number, end: number, output: Output) => number

/** The bytes that rows lie in. */
export interface RowBytes {
  readonly bytes: Uint8Array
  /** The same. */
  readonly view: DataView
  /** Whether all of them are valid UTF-8. */
  readonly isUtf8: boolean
}

const [comma, brace, braceEnd] = [44, 123, 125]
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
  const isPrivate = fields.map(({ name }) => privacy.fields.has(name))

  /** Finds the values of a row; false where it has to be parsed. */
  function find({ view, isUtf8 }: RowBytes, start: number, end: number): boolean {
    turn++
    let at = start
    if (view.getUint8(at++) !== brace) return false
    for (let n = 0; n < fields.length; n++) {
      const index = fieldAt(view, at, order[n] as number)
      if (index === -1 || turns[index] === turn) return false
      order[n] = index
      turns[index] = turn
      starts[index] = at
      const value = at + (fields[index]?.head.byteLength as number)
      values[index] = value
      at = scan(index, view, value, end, isUtf8)
      if (at === -1) return false
      ends[index] = at
      const byte = view.getUint8(at++)
      if (byte !== comma) return byte === braceEnd && at === end
    }
    return false
  }

  function scan(index: number, view: DataView, at: number, end: number, isUtf8: boolean): number {
    const { type, nullable } = fields[index] as Field
    const afterNull = nullable ? scanNull(view, at) : -1
    if (afterNull !== -1) {
      hows[index] = absent
      return afterNull
    }
    if (type === 'timestamp') {
      const after = scanTime(view, at)
      hows[index] = after === at + timeLength + 2 ? copied : utc
      return after
    }
    hows[index] = copied
    if (type === 'int32' || type === 'int64') return scanInteger(view, at, mostDigits[type])
    const after = scanText(view, at, end)
    if (isPrivate[index] || scanned.hasEscape || (scanned.hasNonAscii && !isUtf8)) hows[index] = rewritten
    return after
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

  return (rows, start, end, output) => {
    const before = output.length
    let replaced = -1
    try {
      if (find(rows, start, end)) replaced = write(rows.bytes, output)
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
  const { head } = fields[index] as Field
  const last = head.byteLength - 4
  for (let n = 0; n < last; n += 4) if (view.getUint32(at + n) !== head.getUint32(n)) return false
  return view.getUint32(at + last) === head.getUint32(last)
}
