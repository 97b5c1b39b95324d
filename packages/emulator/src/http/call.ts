import type { InterfaceName } from '@cdn/api/contract'

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

/** An answer on its way out. A body in parts is produced as it is read. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Iterable<string> | null
}
