import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** What happens to an answer on its way, beside what it says. Each transport does it in its own way. */
export interface Wire {
  /** The answer arrives this many milliseconds after the request, by the emulator's clock. */
  readonly delayMs?: number
  /** No answer arrives: the connection is reset, or stays open in silence. */
  readonly lost?: 'reset' | 'silence'
  /** The connection ends after this share of the body, of its first part where it has several. */
  readonly cutAt?: number
  /** The body arrives in pieces of so many bytes, with a pause in milliseconds before each but the first. */
  readonly pieces?: { readonly bytes: number; readonly pauseMs: number }
  /** `location` leads to an origin that is none of the platform's. */
  readonly redirected?: true
  /** When the request arrived, in milliseconds by the emulator's clock. */
  readonly since?: number
}

/** What a caller sees of a connection that was reset, with Node's words for it. */
export class ConnectionReset extends Error {
  readonly code = 'ECONNRESET'
  readonly syscall = 'read'

  constructor() {
    super('read ECONNRESET')
  }
}

/**
 * Waits for the moment at which the answer arrives.
 *
 * @throws the signal's reason where the caller leaves before
 */
export async function awaitArrival({ since = 0, delayMs }: Wire, clock: Clock, signal: AbortSignal): Promise<void> {
  if (delayMs !== undefined) await clock.waitUntil(since + delayMs, signal)
}

/**
 * The body as it arrives.
 *
 * @param parts the body as the platform gives it
 * @throws ConnectionReset where the body is cut; the signal's reason where the caller leaves before its end
 */
export async function* passBody(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { since = 0, delayMs = 0, cutAt, pieces }: Wire,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let due = since + delayMs
  for await (const part of parts) {
    if (cutAt !== undefined) {
      yield part.subarray(0, Math.floor(part.length * cutAt))
      // What was written leaves the process before the connection ends.
      await setImmediate()
      throw new ConnectionReset()
    }
    const bytes = pieces?.bytes ?? part.length
    for (let start = 0; start < part.length; start += bytes) {
      if (pieces && due > since + delayMs) await clock.waitUntil(due, signal)
      yield part.subarray(start, start + bytes)
      due += pieces?.pauseMs ?? 0
    }
  }
}
