import { entryColumns } from './columns.ts'
import { textEnd, wasOdd } from './json-bytes.ts'
import { viewOf } from './output.ts'
import { mostDigits, scanInteger, scanNull } from './scan-value.ts'

/**
 * What is noted of an entry of version 2 whose form is the usual one, so that its line can be put together from its bytes: where
 * its members begin and end, in the order of the contract, two numbers for members that follow each other. Those that are null
 * are left out, and so is the timestamp, which every line has in its own form. An entry without marks has to be parsed.
 */
export interface Marks {
  /** Notes an entry; gives the index after it. -1, with nothing noted, where it is not in the usual form. */
  note(view: DataView, at: number): number
  /** The time that the entry shows, as it is written: where the value begins and ends. */
  readonly time: { start: number; end: number }
  /** How many numbers were noted since `take`. */
  readonly count: number
  /** Takes back the last ones, down to so many. */
  shorten(count: number): void
  take(): Uint32Array
}

/** Stands on the start of a member whose value cannot be copied as it is; no page has so many bytes. */
export const rewritten = 2 ** 31

const [quote, comma, brace, braceEnd, letterN] = [34, 44, 123, 125, 110]
/** How a value gets into the line. */
const [absent, copied, changed] = [0, 1, 2]

const fields = entryColumns.map(({ name, type, nullable }) => ({
  name,
  type,
  nullable,
  /** As it stands before the value. */
  head: viewOf(`"${name}":`),
}))

type Field = (typeof fields)[number]
/** The heads, four bytes each; the last word of a field holds the last four of its head, which may be in others, too. */
const mostWords = Math.ceil(Math.max(...fields.map(({ head }) => head.byteLength)) / 4) + 1
const headWords = Uint32Array.from({ length: fields.length * mostWords }, (_, n) => {
  const { head } = fields[Math.floor(n / mostWords)] as Field
  const at = n % mostWords === mostWords - 1 ? head.byteLength - 4 : (n % mostWords) * 4
  return at + 4 <= head.byteLength ? head.getUint32(at) : 0
})
const lengths = Uint8Array.from(fields, ({ head }) => head.byteLength)
/** How a value is recognised. */
const [text, timestamp, integer] = [0, 1, 2]
const kinds = Uint8Array.from(fields, ({ type }) =>
  type === 'string' ? text : type === 'timestamp' ? timestamp : integer,
)
const digits = Uint8Array.from(fields, ({ type }) => (type === 'int32' || type === 'int64' ? mostDigits[type] : 0))
const isNullable = Uint8Array.from(fields, ({ nullable }) => (nullable ? 1 : 0))

/**
 * Makes the one that notes.
 *
 * @param fieldsToChange those whose value is not copied as it is in any case
 */
export function createMarks(fieldsToChange: ReadonlySet<string>): Marks {
  const ways = Uint8Array.from(fields, ({ name }) => (fieldsToChange.has(name) ? changed : copied))
  // Of each field, as it was found in the entry that is being looked at.
  const hows = new Uint8Array(fields.length)
  const starts = new Uint32Array(fields.length)
  const ends = new Uint32Array(fields.length)
  /** The entry in which a field was found last. */
  const turns = new Float64Array(fields.length)
  let turn = 0
  /** The fields of the entry before, in its order: the next one has most likely the same. */
  const order = new Uint8Array(fields.length)
  const time = { start: 0, end: 0 }
  let numbers = new Uint32Array(fields.length * 4)
  let count = 0

  /** Finds the members; gives the index after the entry. -1 where it has others, or a value that is not in its one form. */
  function find(view: DataView, start: number): number {
    turn++
    let at = start + 1
    for (let member = 0; member < fields.length; member++) {
      const index = fieldAt(view, at, order[member] as number)
      // Of two members with one name the last counts, but the first must be JSON all the same.
      if (index === -1 || turns[index] === turn) return -1
      order[member] = index
      turns[index] = turn
      starts[index] = at
      at += lengths[index] as number
      const first = view.getUint8(at)
      const kind = kinds[index]
      if (first === quote && kind === text) {
        at = textEnd(view, at)
        hows[index] = wasOdd() ? changed : (ways[index] as number)
      } else if (first === letterN && isNullable[index] === 1) {
        at = scanNull(view, at)
        hows[index] = absent
      } else if (first === quote && kind === timestamp) {
        time.start = at
        at = textEnd(view, at)
        time.end = at
        hows[index] = absent
      } else {
        at = kind === integer ? scanInteger(view, at, digits[index] as number) : -1
        hows[index] = copied
      }
      if (at === -1) return -1
      ends[index] = at
      const byte = view.getUint8(at++)
      if (byte !== comma) return byte === braceEnd ? at : -1
    }
    return -1
  }

  /** Notes the fields that were found; false where a required one is missing. */
  function noteFound(): boolean {
    let runEnd = 0
    for (let index = 0; index < fields.length; index++) {
      if (turns[index] !== turn) {
        if (isNullable[index] === 0) return false
        continue
      }
      const how = hows[index]
      if (how === absent) continue
      const start = starts[index] as number
      if (how === changed) {
        if (runEnd > 0) numbers[count++] = runEnd
        numbers[count++] = start + rewritten
        numbers[count++] = ends[index] as number
        runEnd = 0
        continue
      }
      if (runEnd === 0 || runEnd + 1 !== start) {
        if (runEnd > 0) numbers[count++] = runEnd
        numbers[count++] = start
      }
      runEnd = ends[index] as number
    }
    if (runEnd > 0) numbers[count++] = runEnd
    return true
  }

  return {
    time,
    get count() {
      return count
    },
    note(view, at) {
      if (view.getUint8(at) !== brace) return -1
      let end = -1
      try {
        end = find(view, at)
      } catch {
        // The page ends sooner than another member could: whoever looks at it without haste says what is wrong, if anything is.
      }
      if (end === -1) return -1
      if (count + fields.length * 2 > numbers.length) numbers = grown(numbers)
      const before = count
      if (noteFound()) return end
      count = before
      return -1
    },
    shorten(to) {
      count = to
    },
    take() {
      const taken = numbers.slice(0, count)
      count = 0
      return taken
    },
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

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
