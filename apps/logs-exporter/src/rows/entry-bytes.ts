import { decode } from '@cdn/api/batches'
import { cleanText } from './canonical.ts'
import { entryColumns } from './columns.ts'
import { rewritten } from './entry-marks.ts'
import { type Output, viewOf } from './output.ts'
import type { Privacy } from './privacy.ts'
import type { WriteRows } from './write-rows.ts'
import { createTimeWriter } from './write-time.ts'

const [first] = entryColumns
if (first?.type !== 'timestamp')
  throw new Error('the exporter expects the timestamp to be the first field of a LogEntry')
const head = viewOf(`{"${first.name}":`)
const comma = 44
/** What a line has at most beside the bytes of its members. */
const mostBeside = head.byteLength + '"2026-06-17T14:30:00.000Z"'.length + entryColumns.length

/** Makes the writer of entries of version 2. It leaves to the parser those without marks, and those with an escape that is none. */
export function createEntryWriter(privacy: Privacy): WriteRows {
  const writeTime = createTimeWriter()

  /** Writes a member that cannot be copied, where it may leave; gives whether it had to be changed. */
  function rewrite(member: Uint8Array, output: Output, more: number): boolean {
    const [[name, value] = ['', null]] = Object.entries(JSON.parse(`{${decode(member)}}`))
    const text = privacy.apply(name, value)
    if (typeof text !== 'string') return false
    const clean = cleanText(text, privacy.replacesNul)
    output.text(`,"${name}":${JSON.stringify(clean)}`, more)
    return clean !== text
  }

  return ({ bytes, starts, ends, times, marks, markStarts }) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return (n, output) => {
      const last = markStarts[n + 1] as number
      const before = output.length
      let mark = markStarts[n] as number
      let replaced = 0
      if (!(mark < last)) return -1
      const most = mostBeside + (ends[n] as number) - (starts[n] as number)
      output.reserve(most)
      output.copy(head, 0, head.byteLength)
      writeTime(times[n] as number, output)
      try {
        for (; mark < last; mark += 2) {
          const [start, end] = [marks[mark] as number, marks[mark + 1] as number]
          if (start < rewritten) {
            output.byte(comma)
            output.copy(view, start, end)
          } else if (rewrite(bytes.subarray(start - rewritten, end), output, most)) replaced++
        }
      } catch {
        output.length = before
        return -1 // the parser says what is wrong
      }
      return replaced
    }
  }
}
