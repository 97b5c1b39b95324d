import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'

/** Disturbances of a response in transit. Sockets and the in-process `fetch` each apply it in their own way. */
export interface TransportEffects {
  /** Time from the request to the arrival of the response, in milliseconds of the emulator's clock. */
  readonly delayMs?: number
  /** No response arrives. `reset`: the connection is reset. `silence`: the connection stays open. */
  readonly lost?: 'reset' | 'silence'
  /** The connection ends after this share of the body. If the body has several parts, it is the share of the first part. */
  readonly cutAt?: number
  /** The body arrives in pieces of this size, with a pause before each piece except the first. */
  readonly pieces?: { readonly bytes: number; readonly pauseMs: number }
  /** Path and query of the header `location`. Its origin is outside the platform. */
  readonly redirectTo?: string
  /** Time at which the response arrives, in milliseconds since 1970 by the emulator's clock: the request's time plus `delayMs`. */
  readonly dueAt?: number
}

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
  clock: Clock,
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
