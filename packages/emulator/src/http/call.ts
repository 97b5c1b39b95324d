import type { InterfaceName } from '@cdn/api/contract'
import type { Wire } from '../faults/wire.ts'

/** A request on its way in, the same from a socket and in process. */
export interface Call {
  readonly interface: InterfaceName
  /** Upper case. */
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** As sent: percent-encoded, without the question mark. */
  readonly query: string
  readonly headers: { get(name: string): string | null }
  /** Reads the request body to its end. */
  body(): Promise<Uint8Array>
}

/** Whether a body is there as a whole. */
export function isWhole(body: Answer['body']): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** An answer on its way out. A body in parts is produced as it is read; bytes are UTF-8. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | Iterable<string> | null
  /** What a fault does to it on its way; absent where it arrives as it is. */
  readonly wire?: Wire
}
