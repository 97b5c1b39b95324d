import { isUtf8 } from 'node:buffer'
import { contracts } from '@cdn/api/contract'
import type { RowBatch } from './batch.ts'
import { cleanText } from './canonical.ts'
import { type Column, entryColumns } from './columns.ts'
import { controls, firstOf, zeros } from './four-bytes.ts'
import { type Output, viewOf } from './output.ts'
import type { Privacy } from './privacy.ts'
import { mostDigits, scanInteger } from './scan-value.ts'
import { splitUrl } from './url-parts.ts'
import type { WriteRows } from './write-rows.ts'
import { createTimeWriter } from './write-time.ts'

const [quote, backslash, brace, pipe, dash, carriageReturn] = [34, 92, 123, 124, 45, 13]
const [colon, slash, question, hash] = [58, 47, 63, 35]
/** `http`, `s` and `//` */
const timeDigits = mostDigits.int64
const [http, letterS, slashes] = [0x68747470, 115, 0x2f2f]
const lineFields = contracts.logging.operations.flatMap(({ responses }) => responses.flatMap(({ line }) => line ?? []))
const longest = lineFields.length
const shortest = lineFields.filter(({ extended }) => !extended).length
const urlField = lineFields.findIndex(({ name }) => name === 'url')
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A column, and where its value stands in a line; parts of the address are cut out of it. */
interface Place {
  readonly column: Column
  /** As it stands before the value, comma included; `textHead` with the quote of a text. */
  readonly head: DataView<ArrayBuffer>
  readonly textHead: DataView<ArrayBuffer>
  readonly field: number
  readonly part: 'scheme' | 'host' | 'path' | undefined
  readonly isTime: boolean
  /** Of an integer; 0 of a text. */
  readonly mostDigits: number
}

const places: readonly Place[] = entryColumns.flatMap((column) => {
  const { name, type } = column
  const part = name === 'scheme' || name === 'host' || name === 'path' ? name : undefined
  const field = part ? urlField : lineFields.findIndex((lineField) => lineField.name === name)
  if (field === -1) return []
  const [head, textHead] = [viewOf(`,"${name}":`), viewOf(`,"${name}":"`)]
  const digits = type === 'int32' || type === 'int64' ? mostDigits[type] : 0
  return [{ column, head, textHead, field, part, isTime: type === 'timestamp', mostDigits: digits }]
})

/** What a line of the export has at most beside the values, each of which stands in it twice at most. */
const mostBeside = places.reduce(
  (sum, { textHead }) => sum + textHead.byteLength + 1,
  '"2026-06-17T14:30:00.000Z"'.length,
)

/**
 * Makes the writer of lines of version 1. It leaves to the parser those with another number of fields, an integer in another form,
 * or bytes that are no UTF-8.
 */
export function createLineWriter(privacy: Privacy): WriteRows {
  const writeTime = createTimeWriter()
  const starts = new Uint32Array(longest)
  const ends = new Uint32Array(longest)
  /** Whether the text of a field cannot stand between quotes as it is. */
  const isSpecial = new Uint8Array(longest)
  const isPrivate = places.map(({ column }) => privacy.fields.has(column.name))
  /** Of the address: the index after its scheme, -1 where that is not of the web, and after its host. */
  const address = { schemeEnd: -1, hostEnd: -1 }

  /** Finds the fields; gives their number. */
  function find(view: DataView, start: number, end: number): number {
    const last = view.byteLength - 4
    let count = 0
    starts[0] = start
    isSpecial[0] = 0
    for (let next = start; next < end; ) {
      if (next <= last) {
        const found = special(view.getUint32(next, true))
        next += found === 0 ? 4 : firstOf(found)
        if (found === 0 || next >= end) continue
      }
      const byte = view.getUint8(next++)
      if (byte === pipe) {
        ends[count++] = next - 1
        starts[count] = next
        isSpecial[count] = 0
      } else if (byte === quote || byte === backslash || byte < 32) isSpecial[count] = 1
    }
    ends[count++] = end
    return count
  }

  /** Writes a text as JSON, where it may leave; gives whether it had to be changed. */
  function writeText({ column, head }: Place, text: string | null, output: Output, more: number): boolean {
    const value = text === null ? null : privacy.apply(column.name, text)
    if (typeof value !== 'string') return false
    const clean = cleanText(value, privacy.replacesNul)
    output.copy(head, 0, head.byteLength)
    output.text(JSON.stringify(clean), more)
    return clean !== value
  }

  function write(batch: RowBatch, view: DataView<ArrayBuffer>, n: number, count: number, output: Output): number {
    const { bytes } = batch
    const most = mostBeside + 2 * ((batch.ends[n] as number) - (batch.starts[n] as number))
    output.reserve(most)
    let replaced = 0
    splitAddress(view, starts[urlField] as number, ends[urlField] as number, address)
    for (let index = 0; index < places.length; index++) {
      const place = places[index] as Place
      const { column, head, textHead, field, part, isTime, mostDigits } = place
      if (field >= count) continue
      let start = starts[field] as number
      let end = ends[field] as number
      const isAbsent = end === start + 1 && bytes[start] === dash && field > 0
      if (isAbsent && column.nullable) continue
      if (isTime) {
        if (scanInteger(view, start, timeDigits) !== end) return -1
        output.copy(head, 0, head.byteLength)
        writeTime(batch.times[n] as number, output)
      } else if (mostDigits > 0) {
        if (bytes[start] === dash || scanInteger(view, start, mostDigits) !== end) return -1
        output.copy(head, 0, head.byteLength)
        output.copy(view, start, end)
      } else if (isSpecial[field] === 1 || isPrivate[index] || (part && address.schemeEnd === -1)) {
        const text = decoder.decode(bytes.subarray(start, end))
        if (writeText(place, part ? splitUrl(text)[part] : text, output, most)) replaced++
      } else {
        if (part === 'scheme') end = address.schemeEnd
        else if (part === 'path') start = address.hostEnd
        else if (part === 'host') {
          start = address.schemeEnd + 3
          end = address.hostEnd
        }
        output.copy(textHead, 0, textHead.byteLength)
        output.copy(view, start, end)
        output.byte(quote)
      }
    }
    return replaced
  }

  return (batch) => {
    const { bytes, starts, ends } = batch
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const isPlain = isUtf8(bytes)
    return (n, output) => {
      const [start, end] = [starts[n] as number, ends[n] as number]
      const before = output.length
      let replaced = -1
      try {
        // One more carriage return than its end has: left to the parser.
        const isOdd = bytes[end - 1] === carriageReturn || !(isPlain || isUtf8(bytes.subarray(start, end)))
        const count = isOdd ? 0 : find(view, start, end)
        if (count === shortest || count === longest) replaced = write(batch, view, n, count, output)
      } catch {
        // More fields than there can be, or bytes that end within a value: the parser says what is wrong.
      }
      if (replaced === -1) output.length = before
      else output.put(before, brace) // instead of the first comma
      return replaced
    }
  }
}

/** What ends a field or cannot stand between quotes as it is. A pipe and a backslash differ in one bit only. */
function special(four: number): number {
  return zeros((four | 0x20202020) ^ 0x7c7c7c7c) | zeros(four ^ 0x22222222) | controls(four)
}

/** Finds the parts of an address that begins with `http://` or `https://`. */
function splitAddress(
  view: DataView,
  start: number,
  end: number,
  address: { schemeEnd: number; hostEnd: number },
): void {
  address.schemeEnd = -1
  if (end - start < 8 || view.getUint32(start) !== http) return
  const schemeEnd = view.getUint8(start + 4) === letterS ? start + 5 : start + 4
  if (view.getUint8(schemeEnd) !== colon || view.getUint16(schemeEnd + 1) !== slashes) return
  let hostEnd = schemeEnd + 3
  while (hostEnd < end && !isPathStart(view.getUint8(hostEnd))) hostEnd++
  address.schemeEnd = schemeEnd
  address.hostEnd = hostEnd
}

function isPathStart(byte: number): boolean {
  return byte === slash || byte === question || byte === hash
}
