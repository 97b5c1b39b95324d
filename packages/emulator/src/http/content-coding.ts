import { constants, createGzip, type Gzip } from 'node:zlib'
import { type EmulatorResponse, isWhole } from './messages.ts'

/** Minimum size of a compressed body in bytes. Compression saves little on smaller bodies. The figure is our choice. */
const minGzipBytes = 1024

/**
 * Whether a response is compressed. The supplement states that v1 supports gzip. For v2, the variant `pageCoding` decides.
 *
 * @param acceptEncoding the request's header, or null
 */
export function acceptsGzip(answer: EmulatorResponse, acceptEncoding: string | null | undefined): boolean {
  const { body } = answer
  if (!answer.compressible || body === null || !acceptEncoding) return false
  if (isWhole(body) && body.length < minGzipBytes) return false
  const offers = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()))
  const offer = offers.find(([coding]) => coding === 'gzip') ?? offers.find(([coding]) => coding === '*')
  return offer !== undefined && !offer.slice(1).some((part) => /^q=0(\.0*)?$/.test(part))
}

/** Headers of a compressed response. */
export const gzipHeaders = { 'content-encoding': 'gzip', vary: 'accept-encoding' } as const

/** Creates a gzip stream that prefers speed over size, because callers are usually on the same machine. */
export function createFastGzip(): Gzip {
  return createGzip({ level: constants.Z_BEST_SPEED })
}
