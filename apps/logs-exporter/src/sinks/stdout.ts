import type { Writable } from 'node:stream'
import { SinkError } from '../errors.ts'
import { passOn } from './at-least-once.ts'
import type { Sink } from './sink.ts'

export interface StdoutSinkOptions {
  /** `process.stdout`, or a replacement in tests. */
  readonly output: Writable
}

/**
 * Writes NDJSON lines to standard output, at the pace of its reader. The lines of one write stay together. Writes of different
 * zones may alternate.
 */
export function openStdoutSink({ output }: StdoutSinkOptions): Sink {
  let failure: NodeJS.ErrnoException | undefined
  output.on('error', (error) => {
    failure = error
  })

  /** Writes bytes. Ends when the signal fires, even if the reader of the output has stopped. */
  async function write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (failure) throw toSinkError(failure)
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      output.write(bytes, (error) => {
        signal.removeEventListener('abort', stop)
        if (error) reject(toSinkError(error))
        else resolve()
      })
    })
  }

  const check = async () => {
    if (failure) throw toSinkError(failure)
  }
  const sink = { name: 'stdout', check, async close() {} }
  return passOn(sink, (signal) => ({
    pass: ({ bytes }) => write(bytes, signal),
    async end() {
      await write(new Uint8Array(0), signal)
      return 0
    },
  }))
}

function toSinkError(error: NodeJS.ErrnoException): SinkError {
  const code = error.code ?? error.name
  const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(code)
  // Node destroys a stream after an error, so no later write can succeed.
  const sentence = isClosed
    ? 'The reader of standard output closed it.'
    : `Standard output cannot be written (${code}).`
  return new SinkError('closed', sentence)
}
