import { contracts } from '@cdn/api/contract'
import type { LogRow } from '../state/log-row.ts'
import type { Variants } from '../variants.ts'
import { mix, type Random, toHex8 } from './random.ts'
import { edges, fingerprints, hostileTexts, longPath, paths, referers, userAgents, visitors } from './texts.ts'

const statusCodes = [200, 200, 200, 200, 206, 301, 304, 304, 403, 404, 404, 429, 500, 502, 503] as const
const cacheStatuses = contracts.logging.openapi.full.components.schemas?.['CacheStatus']?.['enum'] as [
  string,
  ...string[],
]

/** What the rows of one batch have in common. */
export interface RowSource {
  readonly zoneId: string
  readonly random: Random
  /** 16 hexadecimal digits that no other batch has: request ids begin with them. */
  readonly idPrefix: string
  readonly requestIds: Variants['requestIds']
  /** Share of texts that are hostile, 0 to 1. */
  readonly hostileShare: number
}

/**
 * Makes rows, one after the other.
 *
 * @returns a function of the time and the time of visibility; no two of its rows are alike in every field, whatever
 *   their ids: up to 65,536 of them differ in size
 */
export function createRowMaker(source: RowSource): (timestamp: number, visibleFrom?: number) => LogRow {
  const { zoneId, random, idPrefix, requestIds, hostileShare } = source
  const hosts = [`zone-${zoneId}.example`, `www.zone-${zoneId}.example`] as const
  const hostile = (ordinary: string) => (random.chance(hostileShare) ? random.pick(hostileTexts) : ordinary)
  const text = (ordinary: readonly string[]) => (random.below(12) === 0 ? null : hostile(random.pick(ordinary)))
  let index = 0
  let lastId: string | null = null

  function nextId(): string | null {
    const own = idPrefix + toHex8(mix(index)) + random.hex(8)
    if (requestIds === 'unique' || index % 5 > 0) return own
    return requestIds === 'some null' ? null : (lastId ?? own)
  }

  return (timestamp, visibleFrom) => {
    const [countryCode, remoteIp, asn, asnOrganization] = random.pick(visitors)
    const isKnown = random.below(8) > 0
    const statusCode = random.pick(statusCodes)
    const bytes = 200 + (index % 65_536) + 65_536 * random.below(30)
    lastId = nextId()
    const row: LogRow = {
      timestamp,
      visibleFrom,
      pullZoneId: zoneId,
      requestId: lastId,
      cacheStatus: cacheStatuses[index % cacheStatuses.length] ?? cacheStatuses[0],
      statusCode,
      // Now and then a body whose size needs more than 32 bits.
      bytesSent: random.below(40) === 0 ? 5_000_000_000 + bytes : bytes,
      remoteIp: isKnown ? remoteIp : null,
      countryCode: isKnown ? countryCode : null,
      userAgent: text(userAgents),
      referer: random.below(3) === 0 ? null : text(referers),
      ja4Fingerprint: random.below(4) === 0 ? null : random.pick(fingerprints),
      asn: isKnown ? asn : null,
      asnOrganization: isKnown ? asnOrganization : null,
      edgeLocation: random.pick(edges),
      scheme: random.below(6) === 0 ? 'http' : 'https',
      host: random.below(5) === 0 ? hosts[1] : hosts[0],
      path: pathOf(random, hostileShare),
      bodyBytesSent: bytes - 180,
      contentRange: statusCode === 206 ? `bytes 0-${bytes - 1}/${bytes * 3}` : null,
      authorizationHeader: random.below(5) === 0 ? `Bearer visitor-${random.hex(16)}` : null,
      originShield: random.below(12) === 0,
    }
    index++
    return row
  }
}

function pathOf(random: Random, hostileShare: number): string {
  if (!random.chance(hostileShare)) return random.pick(paths)
  return random.below(32) === 0 ? longPath : `/search?q=${random.pick(hostileTexts)}`
}
