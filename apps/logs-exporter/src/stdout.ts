import type { Writable } from 'node:stream'
import { backOff } from '@cdn/kit/wait'
import type { Observe } from './engine/events.ts'
import { isDamage, maxFailures } from './engine/failure.ts'
import { SinkError, toError } from './errors.ts'
import { countLines } from './formats/format.ts'
import type { DeadLetters } from './ledger/dead-letters.ts'
import type { Ledger, NextSegment } from './ledger/ledger.ts'
import { rangeText } from './segments/segment.ts'
import { type Sink, segmentsOf } from './sinks/sink.ts'

/** Means that standard output is closed or broken, so that no later write can succeed. The message is one sentence. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

export interface StdoutOptions {
  /** `process.stdout`, or a replacement in tests. */
  readonly output: Writable
  readonly sink: Pick<Sink, 'segments' | 'read'>
  readonly ledger: Pick<Ledger, 'nextSegment' | 'moveCursor'>
  readonly rejects: DeadLetters
  readonly observe: Observe
  /** Waits. Resolves early, without an error, if the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
}

/** Interval between checks for new segments, in ms: short, compared with the minutes after which a window closes. */
const idleMs = 5_000
const pauses = { firstMs: 1_000, maxMs: 5 * 60_000, randomShare: 0.5 }
/** Consecutive failed reads of a damaged segment after which it is left out: 30 to 65 minutes after the first one. */
const maxDamage = 20

/**
 * Writes the rows of all segments to standard output as NDJSON, in the order in which the ledger recorded the segments, at the pace of
 * the reader. The cursor moves after each piece, so a killed process writes at most one piece twice. Failures are repeated without a
 * limit, with growing pauses. The sink is only read, so the export never waits for standard output.
 *
 * @param untilWritten whether to end when all segments are written, or after several consecutive failures
 * @returns whether all segments are written, after the signal fires or, with `untilWritten`, at the end
 * @throws OutputError
 */
export async function writeRows(options: StdoutOptions, { untilWritten = false } = {}): Promise<boolean> {
  const { ledger, observe, signal, sleep } = options
  const write = createWrite(options.output, signal)
  let failures = 0
  /** Consecutive failures because the segment is damaged. Any other failure resets the number. */
  let damaged = 0
  const reset = () => {
    failures = damaged = 0
  }
  while (!signal.aborted) {
    try {
      const next = await ledger.nextSegment()
      if (next) {
        await writeSegment(options, next, write, damaged >= maxDamage, reset)
        reset()
      } else if (untilWritten) return true
      else await sleep(idleMs, signal)
    } catch (cause) {
      if (signal.aborted) break
      if (cause instanceof OutputError) throw cause
      failures++
      damaged = isDamage(cause) ? damaged + 1 : 0
      const waitMs = backOff(failures, pauses)
      observe({ type: 'stdout-failed', error: toError(cause), failures, waitMs })
      if (untilWritten && failures >= maxFailures) return false
      await sleep(waitMs, signal)
    }
  }
  return false
}

type Write = (bytes: Uint8Array) => Promise<void>

/** @param isLeftOut whether a damaged segment becomes a dead letter instead of an error */
async function writeSegment(
  { sink, ledger, rejects, observe, signal }: StdoutOptions,
  next: NextSegment,
  write: Write,
  isLeftOut: boolean,
  onWritten: () => void,
): Promise<void> {
  try {
    const { zone, from, to, revision } = next
    const segment = (await segmentsOf(sink, { zone, from, to }, signal)).find((each) => each.revision === revision)
    if (!segment)
      throw new SinkError('damaged', `The sink lacks segment r${revision} of zone ${zone}, ${rangeText(next)}.`)
    let { sent } = next
    let isWhole = false
    for await (const { bytes, isLast } of piecesAfter(sink.read(segment, signal), sent)) {
      await write(bytes)
      sent += bytes.length
      isWhole = isLast
      await ledger.moveCursor(next, isWhole ? 'whole' : sent)
      onWritten()
      observe({ type: 'stdout', rows: countLines(bytes) })
    }
    if (!isWhole) await ledger.moveCursor(next, 'whole') // all lines were written before
  } catch (error) {
    if (!isLeftOut || !isDamage(error)) throw error
    await rejects.add('stdout', [{ text: '', reason: error.message }])
    await ledger.moveCursor(next, 'whole')
    observe({ type: 'stdout-skipped', error })
  }
}

/** Minimum length of a piece except for the last one, in bytes. Each piece costs a write of the ledger. */
const pieceBytes = 1024 * 1024

/** Joins whole lines to pieces. The last piece follows after the whole segment was checked. @param sent bytes to leave out at the start */
async function* piecesAfter(lines: AsyncIterable<Uint8Array>, sent: number) {
  let skip = sent
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const part of lines) {
    const left = part.subarray(Math.min(skip, part.length))
    skip -= part.length - left.length
    waiting.push(left)
    size += left.length
    if (size < pieceBytes) continue
    yield { bytes: Buffer.concat(waiting), isLast: false }
    waiting = []
    size = 0
  }
  if (size > 0) yield { bytes: Buffer.concat(waiting), isLast: true }
}

/** @returns a function that resolves when the system has taken the bytes, or rejects with an OutputError or the signal's reason */
function createWrite(output: Writable, signal: AbortSignal): Write {
  let failure: NodeJS.ErrnoException | undefined
  output.on('error', (error) => {
    failure = error
  })
  return async (bytes) => {
    if (failure) throw toOutputError(failure)
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      output.write(bytes, (error) => {
        signal.removeEventListener('abort', stop)
        if (error) reject(toOutputError(error))
        else resolve()
      })
    })
  }
}

/** Node destroys a stream after an error, so no later write can succeed. */
function toOutputError(error: NodeJS.ErrnoException): OutputError {
  const code = error.code ?? error.name
  const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(code)
  return new OutputError(
    isClosed ? 'The reader of standard output closed it.' : `Standard output cannot be written (${code}).`,
  )
}
