import type { FileHandle } from 'node:fs/promises'
import { isNamed } from '../../terminal/command-error.ts'
import { type DayFileLine, findSeam, isSame, type Seam } from './part-file.ts'

/** The parts of a download. Times are in milliseconds. */
export interface DownloadPlan {
  /** Reads the lines of the day, oldest first. `start` is the number of lines to skip. */
  readonly read: (start: number) => AsyncIterable<DayFileLine>
  readonly format: (line: DayFileLine) => string
  /** The output file. If it contains a partial download, that download is resumed. */
  readonly handle: FileHandle
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Called at intervals with the progress, and for each event. */
  readonly observe: (event: DownloadEvent) => Promise<void>
}

export type DownloadEvent =
  | { readonly kind: 'progress'; readonly lines: number; readonly bytes: number; readonly time: number }
  /** The download resumed after a break and kept this many lines. */
  | { readonly kind: 'resumed'; readonly lines: number }
  /** The platform's file no longer matches the lines that were written before, so it is read from the start. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'failure'; readonly error: Error; readonly pauseMs: number }

export interface Downloaded {
  readonly lines: number
  readonly malformed: number
  readonly isSorted: boolean
}

/** Late rows may still arrive among rows that are younger than this. */
const latenessMs = 300_000
const maxBreaks = 5
const firstPauseMs = 1000
const chunkLength = 262_144

class Changed extends Error {}

/** The seam of an empty file. */
const start: Seam = { bytes: 0, lines: 0, malformed: 0, time: Number.NEGATIVE_INFINITY, overlap: [] }

/**
 * Writes a day file. After a break, the download resumes after the last line that cannot change any more. Late rows can also change
 * the middle of the platform's file, so the lines before that point are requested again and compared. If they differ, the download
 * starts again. It also starts again if they are not ascending, since a number of lines to skip has no meaning then.
 *
 * @throws ApiError, TransportError after several attempts, a file system error, or the signal's reason
 */
export async function download(plan: DownloadPlan): Promise<Downloaded> {
  const { handle, observe, now, sleep } = plan
  let breaks = 0
  let most = 0
  for (let isFresh = false; ; ) {
    const seam = isFresh ? undefined : await findSeam(handle, now() - latenessMs)
    const writing = createWriting(handle)
    try {
      return await attempt(plan, seam ?? start, writing)
    } catch (error) {
      isFresh = error instanceof Changed
      if (isFresh) {
        await observe({ kind: 'changed' })
        continue
      }
      await writing.flush()
      breaks = writing.lines > most ? 1 : breaks + 1
      most = Math.max(most, writing.lines)
      // Only a response that broke off can be resumed. Without a response, the reader has already retried.
      if (!isNamed(error, 'TransportError') || error.kind !== 'body' || breaks >= maxBreaks) throw error
      const pauseMs = firstPauseMs * 2 ** (breaks - 1)
      await observe({ kind: 'failure', error, pauseMs })
      await sleep(pauseMs)
    }
  }
}

type Writing = ReturnType<typeof createWriting>

async function attempt(plan: DownloadPlan, seam: Seam, writing: Writing): Promise<Downloaded> {
  const { read, format, observe } = plan
  const again: string[] = []
  let isJoined = false
  const join = async () => {
    if (isJoined) return
    if (!isSame(seam.overlap, again)) throw new Changed()
    isJoined = true
    await writing.begin(seam.bytes, seam.lines)
    if (seam.lines > 0) await observe({ kind: 'resumed', lines: seam.lines })
  }
  if (seam.lines === 0) await join()
  let { time: latest, malformed } = seam
  let isSorted = true
  for await (const line of read(seam.lines - seam.overlap.length)) {
    const text = format(line)
    const isBefore = line.malformed || line.timestamp < latest
    if (!isJoined && isBefore && again.length <= seam.overlap.length) {
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

function createWriting(handle: FileHandle) {
  let held = ''
  const writing = {
    lines: 0,
    bytes: 0,
    async begin(bytes: number, lines: number) {
      await handle.truncate(bytes)
      Object.assign(writing, { bytes, lines })
    },
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
