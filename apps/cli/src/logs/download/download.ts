import type { FileHandle } from 'node:fs/promises'
import { isNamed } from '../../terminal/error-kinds.ts'
import type { DayFileLine } from './line-format.ts'
import { findSeam, isSame, type Seam } from './part-file.ts'

/** The parts of a download. Times are in milliseconds. */
export interface DownloadPlan {
  /** Reads the lines of the day from a given line on, oldest first. */
  readonly read: (start: number) => AsyncIterable<DayFileLine>
  readonly format: (line: DayFileLine) => string
  /** The output file; a partial download in it is resumed. */
  readonly handle: FileHandle
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called from time to time, and for each event. */
  readonly observe: (event: DownloadEvent) => Promise<void>
}

export type DownloadEvent =
  | { readonly kind: 'progress'; readonly lines: number; readonly bytes: number; readonly time: number }
  /** Resumed after a break; `lines` are kept. */
  | { readonly kind: 'resumed'; readonly lines: number }
  /** The platform's file has changed before the break; it is read from the start. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'failure'; readonly error: Error; readonly pauseMs: number }

/** The result of a download. */
export interface Downloaded {
  readonly lines: number
  /** Unparseable lines; they are in the file. */
  readonly malformed: number
  /** Whether the lines are ascending, as requested. */
  readonly isSorted: boolean
}

/** Rows this young may still be followed by late ones. */
const latenessMs = 300_000
/** Maximum number of consecutive breaks without a new line. */
const maxBreaks = 5
const firstPauseMs = 1000
const chunkLength = 262_144

class Changed extends Error {}

/**
 * Writes a day file. After a break, it resumes after the last line that cannot change any more. The lines before it are requested
 * again and compared, since late rows also change the middle of the file. If they differ, or are not ascending (so that a number
 * of lines to skip has no meaning), it starts again.
 *
 * @throws an ApiError, a TransportError after several attempts, a file system error, or the signal's reason
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
      if (!isBreak(error) || breaks >= maxBreaks) throw error
      const pauseMs = firstPauseMs * 2 ** (breaks - 1)
      await observe({ kind: 'failure', error, pauseMs })
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

/** Appends lines to a file in large writes. */
function createWriting(handle: FileHandle) {
  let held = ''
  const writing = {
    lines: 0,
    bytes: 0,
    /** Truncates the file. */
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

/** Whether a response broke off and can be resumed. (Without a response, the reader has already retried.) */
function isBreak(error: unknown): error is Error {
  return isNamed(error, 'TransportError') && error.kind === 'body'
}
