import type { FileHandle } from 'node:fs/promises'
import type { LogLine } from '@cdn/api/logs'
import { backOff } from '@cdn/kit/wait'
import { CommandError, isNamed } from '../../terminal/command-error.ts'
import { formatBytes, formatCount, formatSpan } from '../format.ts'
import type { TimeRange } from '../range.ts'
import { progressText } from '../read-zone.ts'
import type { StatusLine } from '../status-line.ts'
import { findResumePoint, hasSameLines, lineTime, type ResumePoint } from './part-file.ts'

interface DownloadPlan {
  /** The time that the file covers: a day, or today so far. */
  readonly range: TimeRange
  /** Reads the lines of the day, oldest first. `start` is the number of lines to skip. */
  readonly read: (start: number) => AsyncIterable<readonly LogLine[]>
  readonly format: (line: string) => string
  /** The output file, opened to be read and appended to. If it contains a partial download, that download is resumed. */
  readonly handle: FileHandle
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly line: StatusLine
}

/** Late rows may still arrive among rows that are younger than this, in ms. */
const latenessMs = 300_000
const maxBreaks = 5
const [firstPauseMs, maxPauseMs] = [1000, 60_000]

class Changed extends Error {}

const start: ResumePoint = { bytes: 0, lines: 0, time: Number.NEGATIVE_INFINITY, overlap: [] }

/**
 * Writes a day file. After a break, the download resumes after the last line that cannot change any more. Late rows can also change
 * the middle of the platform's file, so the last lines before that point are requested again and compared. If they differ, the
 * download starts again. It also starts again if the lines of the partial file are not in ascending order: then a number of lines to skip
 * has no meaning.
 *
 * @returns the number of lines, and whether the platform sent them in ascending order
 * @throws errors of `read` (a broken response only after several attempts), a file system error, CommandError if another download writes
 *   to the file, or the signal's reason
 */
export async function download(plan: DownloadPlan) {
  const { handle, line, now, sleep } = plan
  let breaks = 0
  let most = 0
  for (let isFresh = false; ; ) {
    const { size } = await handle.stat()
    const resumePoint = (!isFresh && (await findResumePoint(handle, now() - latenessMs))) || start
    const progress = { lines: resumePoint.lines, isSorted: true }
    try {
      await attempt(plan, resumePoint, size, progress)
      return progress
    } catch (error) {
      isFresh = error instanceof Changed
      if (isFresh) {
        await line.note("the platform's file has changed before the break; reading it from the start")
        continue
      }
      breaks = progress.lines > most ? 1 : breaks + 1
      most = Math.max(most, progress.lines)
      // Only a response that broke off or stopped can be resumed. Without a response, the reader has already retried.
      const isCut = (kind: string) => kind === 'body' || (kind === 'timeout' && progress.lines > resumePoint.lines)
      if (!isNamed(error, 'TransportError') || !isCut(error.kind) || breaks >= maxBreaks) throw error
      const pauseMs = backOff(breaks, { firstMs: firstPauseMs, maxMs: maxPauseMs })
      await line.note(`${error.message}; retrying in ${formatSpan(pauseMs)}`)
      await sleep(pauseMs)
    }
  }
}

/** @param size present length of the file in bytes */
async function attempt(
  { range, read, format, handle, line }: DownloadPlan,
  resumePoint: ResumePoint,
  size: number,
  progress: { lines: number; isSorted: boolean },
): Promise<void> {
  const again: string[] = []
  let isJoined = false
  const join = async () => {
    if (isJoined) return
    if (!hasSameLines(resumePoint.overlap, again)) throw new Changed()
    isJoined = true
    await checkSize(handle, size)
    await handle.truncate(resumePoint.bytes)
    if (resumePoint.lines === 0) return
    await line.note(`resumed after ${formatCount(resumePoint.lines)} lines; the last ones were read again and match`)
  }
  if (resumePoint.lines === 0) await join()
  let { bytes, time: latest } = resumePoint
  for await (const lines of read(resumePoint.lines - resumePoint.overlap.length)) {
    let text = ''
    for (const { text: shown, row } of lines) {
      // As in the partial file, a line without a time belongs to the line before it.
      if (!isJoined && !(lineTime(shown) >= resumePoint.time) && again.length <= resumePoint.overlap.length) {
        again.push(format(shown))
        continue
      }
      await join()
      text += `${format(shown)}\n`
      progress.lines++
      const time = row.malformed ? latest : row.timestamp
      progress.isSorted &&= time >= latest
      latest = time
    }
    if (isJoined) await checkSize(handle, bytes)
    await handle.appendFile(text)
    bytes += Buffer.byteLength(text)
    const has = `${formatCount(progress.lines)} lines · ${formatBytes(bytes)}`
    await line.show(progressText(has, range, latest - range.from))
  }
  await join()
  await checkSize(handle, bytes)
}

/** Two downloads into one file would mix their lines. @throws CommandError if another process has changed the file */
async function checkSize(handle: FileHandle, bytes: number): Promise<void> {
  if ((await handle.stat()).size !== bytes)
    throw new CommandError(
      'Another download writes to the same partial file: wait for its end, or choose another --file.',
    )
}
