import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { type EmulatorResponse, isWhole } from './messages.ts'

/** Maximum length of a body that is compressed at once. A longer one would make other requests wait. The figure is our choice. */
const maxAtOnce = 65_536
/** Prefers speed over size, because callers are usually on the same machine. */
const fast = { level: constants.Z_BEST_SPEED }

/**
 * Whether a response is compressed. The supplement states that v1 supports gzip. For v2, the variant `pageCoding` decides.
 *
 * @param acceptEncoding the request's header, or null
 */
export function acceptsGzip(response: EmulatorResponse, acceptEncoding: string | null | undefined): boolean {
  if (!response.compressible || response.body === null || !acceptEncoding) return false
  const offers = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()))
  const offer = offers.find(([coding]) => coding === 'gzip') ?? offers.find(([coding]) => coding === '*')
  return offer !== undefined && !offer.slice(1).some((part) => /^q=0(\.0*)?$/.test(part))
}

/** Headers of a compressed response. */
export const gzipHeaders = { 'content-encoding': 'gzip', vary: 'accept-encoding' } as const

/** Compresses a short body, because a stream costs more than the compression. @returns undefined for any other body */
export function gzipAtOnce(body: NonNullable<EmulatorResponse['body']>): Uint8Array | undefined {
  return isWhole(body) && body.length <= maxAtOnce ? gzipSync(body, fast) : undefined
}

/** Creates a gzip stream for a body in parts, or for a long one. */
export function createFastGzip(): Gzip {
  return createGzip(fast)
}
