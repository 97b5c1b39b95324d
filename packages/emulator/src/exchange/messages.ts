import type { InterfaceName } from '@cdn/api/contract'

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

/** Disturbances of a response in transit. Sockets and the in-process `fetch` each apply them in their own way. */
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

/**
 * A response of the emulator. A body in parts is generated while it is read. Texts are sent as UTF-8, bytes unchanged.
 */
export interface EmulatorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | Iterable<string> | null
  /** Whether the body is compressed for a caller that accepts gzip. */
  readonly compressible?: boolean
  /** The effects of a fault on the response in transit. By default the response arrives unchanged. */
  readonly transport?: TransportEffects
}

/** Whether a response has a body that is complete in memory. jsdom has a `Uint8Array` of its own, so `isView` decides, not `instanceof`. */
export function isWhole(body: EmulatorResponse['body']): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || ArrayBuffer.isView(body)
}

/** Yields the bytes of a body, part by part. */
export async function* toBytes(body: NonNullable<EmulatorResponse['body']>): AsyncGenerator<Uint8Array> {
  for (const part of isWhole(body) ? [body] : body) yield typeof part === 'string' ? Buffer.from(part) : part
}

/**
 * Returns the headers of a response. If the body is compressible and the caller accepts gzip, the headers state gzip; otherwise they
 * are the same object. The supplement states that v1 supports gzip. For v2, the variant `pageCoding` decides.
 *
 * @param acceptEncoding the request's header, or null
 */
export function headersOf(
  { compressible, body, headers }: EmulatorResponse,
  acceptEncoding: string | null,
): Readonly<Record<string, string>> {
  if (!compressible || body === null) return headers
  const offers = (acceptEncoding ?? '').toLowerCase().split(',')
  const parts = offers.map((offer) => offer.split(';').map((part) => part.trim()))
  const offer = parts.find(([coding]) => coding === 'gzip') ?? parts.find(([coding]) => coding === '*')
  const isGzip = offer && !offer.some((part) => /^q=0(\.0*)?$/.test(part))
  return isGzip ? { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' } : headers
}
