import type { Writable } from 'node:stream'
import { passOn } from '../once-passed.ts'
import type { Sink } from '../sink.ts'
import { SinkError } from '../sink-error.ts'

export interface StdoutSinkOptions {
  /** `process.stdout`, or whatever stands for it. */
  readonly output: Writable
}

/**
 * Lines of NDJSON on the standard output, as fast as its reader takes them. Lines of one write are never torn, though those
 * of several zones alternate.
 */
export function openStdoutSink({ output }: StdoutSinkOptions): Sink {
  let failure: NodeJS.ErrnoException | undefined
  output.on('error', (error) => {
    failure = error
  })

  /** A reader that takes nothing keeps nobody from ending. */
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
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END') {
    return new SinkError('closed', 'Nobody reads the standard output any more.')
  }
  const kind = code === 'ENOSPC' ? 'transient' : 'permanent'
  return new SinkError(kind, `The standard output cannot be written (${code}).`)
}
