import { setImmediate } from 'node:timers/promises'
import type { TransportEffects } from '../exchange/messages.ts'
import type { EmulatorClock } from '../platform/clock.ts'

/** The error that Node reports for a reset connection. */
export class ConnectionReset extends Error {
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

/**
 * Yields the body as it arrives: in whole parts, or in small pieces with pauses.
 *
 * @param parts the complete body
 * @throws ConnectionReset where the body is cut; the signal's reason if the caller disconnects during a pause
 */
export async function* passBody(
  parts: AsyncIterable<Uint8Array>,
  { dueAt = 0, cutAt, pieces }: TransportEffects,
  clock: EmulatorClock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let due = dueAt
  for await (const part of parts) {
    if (cutAt !== undefined) {
      yield part.subarray(0, Math.floor(part.length * cutAt))
      // Wait until the written bytes have left the process. Then the connection ends.
      await setImmediate()
      throw new ConnectionReset()
    }
    const bytes = pieces?.bytes ?? part.length
    for (let start = 0; start < part.length; start += bytes) {
      if (pieces && due > dueAt) await clock.waitUntil(due, signal)
      yield part.subarray(start, start + bytes)
      due += pieces?.pauseMs ?? 0
    }
  }
}
