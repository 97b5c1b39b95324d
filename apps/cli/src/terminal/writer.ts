import type { styleText } from 'node:util'
import { codeOf } from '@cdn/kit/system-error'
import { CommandError, cliExitCodes, SilentEnd } from './command-error.ts'

export type Style = Parameters<typeof styleText>[0]

/** Standard output or standard error. */
export interface Writer {
  readonly isTerminal: boolean
  /** Whether it is a terminal with colors; off with NO_COLOR or TERM=dumb. */
  readonly hasColor: boolean
  /** Whether another program reads it, perhaps on the same terminal. */
  readonly isPipe: boolean
  /** Current columns of the terminal; infinite for a pipe or a file. */
  readonly width: () => number
  /**
   * Writes data, and waits until the reader accepts more. Pass many lines in one call if you have them.
   *
   * @throws SilentEnd if the reader closed the stream
   */
  readonly write: (data: string | Uint8Array) => Promise<void>
  readonly paint: (style: Style, text: string) => string
}

/** The part of a process's stream that a writer needs. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  /** File descriptor of a process's stream. */
  readonly fd?: number
  hasColors?(): boolean
  write(data: string | Uint8Array, done: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Creates a writer on a stream. If a write fails although the reader is open (a full disk), the write rejects with CommandError.
 *
 * @param closed called if the reader closed the stream
 */
export function createWriter(stream: OutputStream, closed: (reason: SilentEnd) => void = () => {}): Writer {
  const isTerminal = stream.isTTY === true
  const hasColor = isTerminal && (stream.hasColors?.() ?? false)
  let end: Error | undefined
  const fail = (error: Error): Error => {
    const code = codeOf(error) ?? error.message
    const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'].includes(code)
    end ??= isClosed ? new SilentEnd(cliExitCodes.done) : new CommandError(`The output cannot be written: ${code}`)
    if (end instanceof SilentEnd) closed(end)
    return end
  }
  stream.on('error', fail)
  return {
    isTerminal,
    hasColor,
    isPipe: !isTerminal && stream.fd !== undefined && isPipe(stream.fd),
    width: () => (isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    write: (data) =>
      new Promise((resolve, reject) => {
        if (end) return reject(end)
        if (data.length === 0) return resolve()
        stream.write(data, (error) => (error ? reject(fail(error)) : resolve()))
      }),
    paint: (style, text) => {
      // A static import would load node:util even when no color is used, which slows the start.
      if (!hasColor) return text
      return process.getBuiltinModule('node:util').styleText(style, text, { validateStream: false })
    },
  }
}

function isPipe(fd: number): boolean {
  const status = process.getBuiltinModule('node:fs').fstatSync(fd)
  return status.isFIFO() || status.isSocket()
}
