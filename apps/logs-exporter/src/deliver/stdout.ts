import type { Writable } from 'node:stream'
import { DeliveryError } from '../errors.ts'
import { accepted, type Receiver } from './loop.ts'

/**
 * Writes NDJSON lines to standard output, at the pace of its reader. A piece is sent when the system has taken its last byte.
 *
 * @param output `process.stdout`, or a replacement in tests
 */
export function createStdoutReceiver(output: Writable): Receiver {
  let failure: NodeJS.ErrnoException | undefined
  output.on('error', (error) => {
    failure = error
  })
  return {
    async check() {
      if (failure) throw toDeliveryError(failure)
    },
    async connect() {},
    /** Ends when the signal fires, even if the reader of the output has stopped. */
    async send({ bytes }, signal) {
      if (failure) throw toDeliveryError(failure)
      await new Promise<void>((resolve, reject) => {
        const stop = () => reject(signal.reason)
        signal.addEventListener('abort', stop)
        output.write(bytes, (error) => {
          signal.removeEventListener('abort', stop)
          if (error) reject(toDeliveryError(error))
          else resolve()
        })
      })
      return accepted
    },
  }
}

function toDeliveryError(error: NodeJS.ErrnoException): DeliveryError {
  const code = error.code ?? error.name
  const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(code)
  // Node destroys a stream after an error, so no later write can succeed.
  const sentence = isClosed
    ? 'The reader of standard output closed it.'
    : `Standard output cannot be written (${code}).`
  return new DeliveryError('closed', sentence)
}
