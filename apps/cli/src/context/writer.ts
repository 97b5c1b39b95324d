import type { styleText } from 'node:util'
import { CommandError, OutputClosed } from '../errors/command-error.ts'

export type Style = Parameters<typeof styleText>[0]

/** Standard output or standard error. */
export interface Writer {
  readonly isTerminal: boolean
  /** On a terminal that has colours, and not with NO_COLOR or TERM=dumb. */
  readonly hasColor: boolean
  /** How many columns a line may have: the terminal's at this moment; without bound where it is no terminal. */
  readonly width: () => number
  /**
   * Writes, and waits until whoever reads can take more. Hand over many lines at once where there are many.
   *
   * @throws OutputClosed when the reader is gone
   */
  readonly write: (data: string | Uint8Array) => Promise<void>
  /** Puts a style around a text; the text alone where there are no colours. */
  readonly paint: (style: Style, text: string) => string
  /**
   * @param listener called when the terminal's size has changed
   * @returns a function that ends it
   */
  readonly onResize: (listener: () => void) => () => void
}

/** The part of a process's stream that a writer needs. */
export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
  write(data: string | Uint8Array, done: (error?: Error | null) => void): boolean
  on(event: 'error' | 'resize', listener: (error: Error) => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

/**
 * Makes a writer of a stream. A stream that breaks for another reason than its reader being gone (a full disk) rejects the
 * write with a CommandError.
 *
 * @param closed called when the reader is gone
 */
export function createWriter(stream: OutputStream, closed: (reason: OutputClosed) => void = () => {}): Writer {
  const isTerminal = stream.isTTY === true
  const hasColor = isTerminal && (stream.hasColors?.() ?? false)
  let end: Error | undefined
  const fail = (error: Error): Error => {
    const { code = error.message } = error as NodeJS.ErrnoException
    const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'].includes(code)
    end ??= isClosed ? new OutputClosed() : new CommandError(`The output cannot be written: ${code}`)
    if (end instanceof OutputClosed) closed(end)
    return end
  }
  stream.on('error', fail)
  return {
    isTerminal,
    hasColor,
    width: () => (isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    write: (data) =>
      new Promise((resolve, reject) => {
        if (end) return reject(end)
        if (data.length === 0) return resolve()
        stream.write(data, (error) => (error ? reject(fail(error)) : resolve()))
      }),
    paint: (style, text) => {
      // An import would load all of node:util, colours or not.
      if (!hasColor) return text
      return process.getBuiltinModule('node:util').styleText(style, text, { validateStream: false })
    },
    onResize: (listener) => {
      stream.on('resize', listener)
      return () => void stream.off('resize', listener)
    },
  }
}
