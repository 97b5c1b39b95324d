import type { InterfaceName } from '@cdn/api/contract'
import type { TransportEffects } from '../faults/transport-effects.ts'

/** A request to the emulator, from a socket or in process. */
export interface EmulatorRequest {
  readonly interface: InterfaceName
  /** Upper case. */
  readonly method: string
  /** Percent-encoded, as sent, without the query. */
  readonly path: string
  /** Percent-encoded, as sent, without the question mark. */
  readonly query: string
  readonly headers: { get(name: string): string | null }
  /** Reads the request body to its end. */
  body(): Promise<Uint8Array>
}

/** Whether a body is complete in memory. Other bodies are produced in parts. jsdom has a `Uint8Array` of its own, so `isView` decides. */
export function isWhole(body: EmulatorResponse['body']): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || ArrayBuffer.isView(body)
}

/**
 * A response of the emulator. A body in parts is generated while it is read. An empty part marks a point at which other requests
 * can be served. A body of bytes is UTF-8.
 */
export interface EmulatorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | Iterable<string> | null
  /** Whether the body is compressed for a caller that accepts gzip. */
  readonly compressible?: boolean
  /** What a fault does to the response in transit. By default the response arrives unchanged. */
  readonly transport?: TransportEffects
}
