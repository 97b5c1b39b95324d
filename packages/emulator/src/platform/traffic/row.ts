import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { mix, type Random, toHex8 } from './random.ts'
import * as texts from './texts.ts'

const statusCodes = [200, 200, 200, 200, 206, 301, 304, 304, 403, 404, 404, 429, 500, 502, 503] as const
const cacheStatuses = assertDefined(contracts.logging.openapi.full.components.schemas?.['CacheStatus']?.enum).map(
  String,
)

/** The hostile texts with U+FFFD instead of lone surrogates. Most parsers reject a page that contains a lone surrogate. */
const wellFormedTexts = texts.hostileTexts.map((text) => text.toWellFormed())

/** Common settings of the rows of one batch. */
export interface RowSource {
  readonly zoneId: string
  readonly random: Random
  /** 16 hexadecimal digits that are unique to the batch. All request ids of the batch start with them. */
  readonly idPrefix: string
  readonly variants: Pick<Variants, 'requestIds' | 'loneSurrogates' | 'controlCharacters'>
  /** Share of hostile texts, 0 to 1. */
  readonly hostileShare: number
  /** Whether the edge sent the request with this index to the origin shield. */
  isShield(index: number): boolean
}

/**
 * Creates a function that generates rows in sequence.
 *
 * @returns a function of the timestamp and the time at which the row becomes visible. Any 65,536 consecutive rows have different
 *   sizes, so no two of them are equal even if they share an id.
 */
export function createRowMaker(source: RowSource): (timestamp: number, visibleFrom?: number) => StoredLogRow {
  const { zoneId, random, idPrefix, variants, hostileShare } = source
  const { requestIds } = variants
  const allTexts = variants.loneSurrogates === 'raw' ? texts.hostileTexts : wellFormedTexts
  const hostileTexts =
    variants.controlCharacters === 'raw' ? allTexts : allTexts.filter((each) => !/\p{Cc}/u.test(each))
  const hosts = [`zone-${zoneId}.example`, `www.zone-${zoneId}.example`] as const
  const hostile = (ordinary: string) => (random.chance(hostileShare) ? random.pick(hostileTexts) : ordinary)
  const text = (ordinary: readonly string[]) => (random.below(12) === 0 ? null : hostile(random.pick(ordinary)))
  let index = 0
  let lastId: string | null = null

  function nextId(): string | null {
    const uniqueId = idPrefix + toHex8(mix(index)) + random.hex(8)
    if (requestIds === 'unique' || index % 5 > 0) return uniqueId
    return requestIds === 'some null' ? null : (lastId ?? uniqueId)
  }

  return (timestamp, visibleFrom) => {
    const [countryCode, remoteIp, asn, asnOrganization] = random.pick(texts.visitors)
    const isKnown = random.below(8) > 0
    const statusCode = random.pick(statusCodes)
    const bytes = 200 + (index % 65_536) + 65_536 * random.below(30)
    lastId = nextId()
    const row: StoredLogRow = {
      timestamp,
      visibleFrom,
      pullZoneId: zoneId,
      requestId: lastId,
      cacheStatus: assertDefined(cacheStatuses[index % cacheStatuses.length]),
      statusCode,
      // Some bodies have a size of more than 32 bits.
      bytesSent: random.below(40) === 0 ? 5_000_000_000 + bytes : bytes,
      remoteIp: isKnown ? remoteIp : null,
      countryCode: isKnown ? countryCode : null,
      userAgent: text(texts.userAgents),
      referer: random.below(3) === 0 ? null : text(texts.referers),
      ja4Fingerprint: random.below(4) === 0 ? null : random.pick(texts.fingerprints),
      asn: isKnown ? asn : null,
      asnOrganization: isKnown ? asnOrganization : null,
      edgeLocation: random.pick(texts.edges),
      scheme: random.below(6) === 0 ? 'http' : 'https',
      host: random.below(5) === 0 ? hosts[1] : hosts[0],
      path: pathOf(random, hostileShare, hostileTexts),
      bodyBytesSent: bytes - 180,
      contentRange: statusCode === 206 ? `bytes 0-${bytes - 1}/${bytes * 3}` : null,
      authorizationHeader: random.below(5) === 0 ? `Bearer visitor-${random.hex(16)}` : null,
      originShield: source.isShield(index),
    }
    index++
    return row
  }
}

function pathOf(random: Random, hostileShare: number, hostileTexts: readonly string[]): string {
  if (!random.chance(hostileShare)) return random.pick(texts.paths)
  return random.below(32) === 0 ? texts.longPath : `/search?q=${random.pick(hostileTexts)}`
}
