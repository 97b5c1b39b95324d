import { type Answer, isWhole } from './call.ts'

/**
 * Whether an answer goes out compressed: bodies in parts do (supplement: v1 supports gzip) where the caller allows it.
 *
 * @param acceptEncoding the request's header, or null
 */
export function acceptsGzip(answer: Answer, acceptEncoding: string | null | undefined): boolean {
  if (answer.body === null || isWhole(answer.body) || !acceptEncoding) return false
  const offers = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()))
  const offer = offers.find(([coding]) => coding === 'gzip') ?? offers.find(([coding]) => coding === '*')
  return offer !== undefined && !offer.slice(1).some((part) => /^q=0(\.0*)?$/.test(part))
}
