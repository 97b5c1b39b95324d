import type { FileHandle } from 'node:fs/promises'
import { timeOf } from './line-format.ts'

/** Where a file that was written in part can be gone on with. */
export interface Seam {
  /** How much of the file stays. */
  readonly bytes: number
  readonly lines: number
  /** Lines among them that do not parse. */
  readonly malformed: number
  /** The first time that is read anew, in milliseconds. */
  readonly time: number
  /** The last lines that stay, from the first of their millisecond on: the platform must show them again. */
  readonly overlap: readonly string[]
}

interface Group {
  readonly time: number
  readonly lines: string[]
}

/** How many lines are compared, at least. */
const leastOverlap = 100
const pieceBytes = 65_536

/**
 * Finds the seam of a file that was written in part. The last millisecond may be incomplete, and rows of equal times come in
 * another order each time: whole milliseconds only stay. What was young at the time of writing may have got late rows
 * since: it goes, too.
 *
 * @param settled rows from this time on may still be joined by others, in milliseconds
 * @returns the seam; undefined where the file has to be read from the start
 */
export async function findSeam(handle: FileHandle, settled: number): Promise<Seam | undefined> {
  let groups: Group[] = []
  let bytes = 0
  let lines = 0
  let malformed = 0
  for await (const line of wholeLines(handle)) {
    const last = groups.at(-1)
    const time = timeOf(line)
    if (last && time < last.time) return undefined
    if (time >= settled) return toSeam(groups, { bytes, lines, malformed, time })
    // A line that does not parse belongs to the one before it.
    if (last && !(time > last.time)) last.lines.push(line)
    else if (!Number.isNaN(time)) groups = [...trim(groups), { time, lines: [line] }]
    else return undefined
    bytes += Buffer.byteLength(line) + 1
    lines++
    if (Number.isNaN(time)) malformed++
  }
  const last = groups.pop()
  if (!last) return undefined
  for (const line of last.lines) {
    bytes -= Buffer.byteLength(line) + 1
    lines--
    if (Number.isNaN(timeOf(line))) malformed--
  }
  return toSeam(groups, { bytes, lines, malformed, time: last.time })
}

function toSeam(groups: readonly Group[], kept: Omit<Seam, 'overlap'>): Seam | undefined {
  const overlap = groups.flatMap((group) => group.lines)
  return overlap.length === 0 ? undefined : { ...kept, overlap }
}

/** Lets go of the oldest groups, as long as enough lines stay. The newest one may still turn out to be incomplete. */
function trim(groups: Group[]): Group[] {
  const count = groups.slice(1, -1).reduce((sum, { lines }) => sum + lines.length, 0)
  return count >= leastOverlap ? groups.slice(1) : groups
}

/** The lines of a file; a last one without its end was not written completely. */
async function* wholeLines(handle: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const buffer = Buffer.alloc(pieceBytes)
  let rest = ''
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, pieceBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    const parts = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}

/**
 * Whether the platform shows the same lines again, in whatever order those of one millisecond come.
 *
 * @param shown the lines that came before the seam's time
 */
export function isSame(overlap: readonly string[], shown: readonly string[]): boolean {
  const [known, again] = [[...overlap].sort(), [...shown].sort()]
  return known.length === again.length && known.every((line, n) => line === again[n])
}
