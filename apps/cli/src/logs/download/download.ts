import type { FileHandle } from 'node:fs/promises'
import type { TransportError } from '@cdn/api'
import type { Line } from './line-format.ts'
import { findSeam, isSame, type Seam } from './part-file.ts'

/** What is written, and from where. Times are in milliseconds. */
export interface DownloadPlan {
  /** Reads the lines of the day from a line on, oldest first. */
  readonly read: (start: number) => AsyncIterable<Line>
  readonly format: (line: Line) => string
  /** The file that is written; what it holds already is gone on with. */
  readonly handle: FileHandle
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Told now and then, and when something happens. */
  readonly observe: (event: DownloadEvent) => Promise<void>
}

export type DownloadEvent =
  | { readonly kind: 'progress'; readonly lines: number; readonly bytes: number; readonly time: number }
  /** Going on after a break; `lines` stay. */
  | { readonly kind: 'resumed'; readonly lines: number }
  /** The file of the platform is another one before the break: it is read from the start. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'trouble'; readonly error: Error; readonly pauseMs: number }

/** What came of a download. */
export interface Downloaded {
  readonly lines: number
  /** Lines that do not parse; they are in the file. */
  readonly malformed: number
  /** Whether the lines are in the order of time, as was asked for. */
  readonly isSorted: boolean
}

/** Rows of the last minutes may be joined by late ones. */
const latenessMs = 300_000
/** Breaks in a row without a new line, after which the download is given up. */
const mostBreaks = 5
const firstPauseMs = 1000
const chunkLength = 262_144

class Changed extends Error {}

/**
 * Writes a day file. Where it breaks off, it goes on behind the last line that is sure: the lines before are asked for once more
 * and compared, since the file of a day grows, also in its middle when rows arrive late. Where they differ, or the lines are
 * not in order, so that a number of lines to skip means nothing, it begins again.
 *
 * @throws a LoggingError, a TransportError that came again and again, an error of the file system, the signal's reason
 */
export async function download(plan: DownloadPlan): Promise<Downloaded> {
  const { handle, observe, now, sleep } = plan
  let breaks = 0
  let most = 0
  let isFresh = false
  for (;;) {
    const seam = isFresh ? undefined : await findSeam(handle, now() - latenessMs)
    isFresh = false
    const writing = createWriting(handle)
    try {
      return await attempt(plan, seam, writing)
    } catch (error) {
      if (error instanceof Changed) {
        isFresh = true
        await observe({ kind: 'changed' })
        continue
      }
      await writing.flush()
      breaks = writing.lines > most ? 1 : breaks + 1
      most = Math.max(most, writing.lines)
      if (!isBreak(error) || breaks >= mostBreaks) throw error
      const pauseMs = firstPauseMs * 2 ** (breaks - 1)
      await observe({ kind: 'trouble', error, pauseMs })
      await sleep(pauseMs)
    }
  }
}

type Writing = ReturnType<typeof createWriting>

async function attempt(plan: DownloadPlan, seam: Seam | undefined, writing: Writing): Promise<Downloaded> {
  const { read, format, observe } = plan
  if (!seam) await writing.begin(0, 0)
  let again: string[] | undefined = seam && []
  const join = async () => {
    if (!seam || !again) return
    if (!isSame(seam.overlap, again)) throw new Changed()
    again = undefined
    await writing.begin(seam.bytes, seam.lines)
    await observe({ kind: 'resumed', lines: seam.lines })
  }
  let latest = seam?.time ?? Number.NEGATIVE_INFINITY
  let malformed = seam?.malformed ?? 0
  let isSorted = true
  for await (const line of read(seam ? seam.lines - seam.overlap.length : 0)) {
    const text = format(line)
    const isBefore = line.malformed || line.timestamp < latest
    if (seam && again && isBefore && again.length <= seam.overlap.length) {
      again.push(text)
      continue
    }
    await join()
    if (line.malformed) malformed++
    else {
      isSorted &&= line.timestamp >= latest
      latest = line.timestamp
    }
    if (await writing.add(text)) {
      await observe({ kind: 'progress', lines: writing.lines, bytes: writing.bytes, time: latest })
    }
  }
  await join()
  await writing.flush()
  return { lines: writing.lines, malformed, isSorted }
}

/** Writes lines at the end of a file, many at a time. */
function createWriting(handle: FileHandle) {
  let held = ''
  const writing = {
    lines: 0,
    bytes: 0,
    /** Cuts the file, to go on from there. */
    async begin(bytes: number, lines: number) {
      await handle.truncate(bytes)
      Object.assign(writing, { bytes, lines })
    },
    /** @returns whether something was written */
    async add(line: string) {
      held += `${line}\n`
      writing.lines++
      if (held.length < chunkLength) return false
      await writing.flush()
      return true
    },
    async flush() {
      const data = Buffer.from(held)
      held = ''
      for (let done = 0; done < data.length; ) {
        const { bytesWritten } = await handle.write(data, done, data.length - done, writing.bytes)
        done += bytesWritten
        writing.bytes += bytesWritten
      }
    },
  }
  return writing
}

/** Whether an answer broke off, so that it may be gone on with. (Where none came the reader has tried often enough.) */
function isBreak(error: unknown): error is Error {
  const { name, kind } = error as Partial<TransportError>
  return name === 'TransportError' && kind === 'body'
}
