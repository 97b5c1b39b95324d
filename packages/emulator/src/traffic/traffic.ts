import { contracts } from '@cdn/api/contract'
import type { LogRow } from '../state/log-row.ts'
import type { Variants } from '../variants.ts'
import { createRandom, type Random } from './random.ts'
import { edges, hostileTexts, paths, referers, userAgents, visitors } from './texts.ts'

/** What a zone's traffic is made from; the same plan gives the same rows. */
export interface TrafficPlan {
  readonly seed: number
  readonly zoneId: string
  /** Rows reach from a little before the retention up to this time, in milliseconds. */
  readonly until: number
  /** Milliseconds. */
  readonly retention: number
  /** Rows that are spread over the time, beside the planted ones. */
  readonly rows: number
  readonly extendedLogging: boolean
  readonly variants: Pick<Variants, 'storedPrecision' | 'requestIds'>
}

/** How far before the retention rows reach: those must never be shown again. */
const beforeRetention = 3 * 3_600_000

/** A row is never newer than this at the start, so that the newest is older than any request. */
const youngest = 2_000

const statusCodes = [200, 200, 200, 200, 206, 301, 304, 304, 403, 404, 404, 429, 500, 502, 503] as const
const cacheStatuses = contracts.logging.openapi.full.components.schemas?.['CacheStatus']?.['enum'] as [
  string,
  ...string[],
]

/**
 * Traffic of one zone: rows spread over the retention, and rows planted where readers go wrong, namely several on one
 * millisecond, at both edges of the retention, and around every midnight.
 */
export function createTraffic(plan: TrafficPlan): LogRow[] {
  const random = createRandom(`traffic ${plan.seed} ${plan.zoneId}`)
  const oldest = plan.until - plan.retention
  const times = [...spread(plan, random), ...ties(plan, random), oldest - 1, oldest, oldest + 1, ...midnights(plan)]
  const rows = times
    .sort((a, b) => a - b)
    .map((time, index) => createRow(plan, random, precise(time, plan, random), index))
  return withSpecialIds(rows, plan.variants.requestIds)
}

function spread({ until, retention, rows }: TrafficPlan, random: Random): number[] {
  const span = retention + beforeRetention - youngest
  return Array.from({ length: rows }, () => until - youngest - random.below(span))
}

/** Four to nine rows on one millisecond, six times in the last day and six times before. */
function ties({ until, retention }: TrafficPlan, random: Random): number[] {
  const day = 24 * 3_600_000
  return Array.from({ length: 12 }, (_, index) => {
    const age = index % 2 === 0 ? youngest + random.below(day - youngest) : day + random.below(retention - day)
    return Array(4 + random.below(6)).fill(until - age) as number[]
  }).flat()
}

function midnights({ until, retention }: TrafficPlan): number[] {
  const day = 24 * 3_600_000
  const first = Math.ceil((until - retention) / day) * day
  const count = Math.floor((until - youngest - first) / day) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => [first + index * day - 1, first + index * day]).flat()
}

function precise(time: number, { variants }: TrafficPlan, random: Random): number {
  return variants.storedPrecision === 'microsecond' ? time + random.below(1000) / 1000 : time
}

function createRow(plan: TrafficPlan, random: Random, timestamp: number, index: number): LogRow {
  const [countryCode, remoteIp, asn, asnOrganization] = random.pick(visitors)
  const statusCode = random.pick(statusCodes)
  const bytes = 200 + random.below(2_000_000)
  const isKnown = random.below(8) > 0
  const range = plan.extendedLogging && statusCode === 206
  return {
    timestamp,
    pullZoneId: plan.zoneId,
    requestId: random.hex(32),
    cacheStatus: cacheStatuses[index % cacheStatuses.length] ?? cacheStatuses[0],
    statusCode,
    // Now and then a body whose size needs more than 32 bits.
    bytesSent: random.below(40) === 0 ? 5_000_000_000 + bytes : bytes,
    remoteIp: isKnown ? remoteIp : null,
    countryCode: isKnown ? countryCode : null,
    userAgent: userText(random, userAgents),
    referer: random.below(3) === 0 ? null : userText(random, referers),
    ja4Fingerprint: random.below(4) === 0 ? null : `t13d1516h2_${random.hex(12)}_${random.hex(12)}`,
    asn: isKnown ? asn : null,
    asnOrganization: isKnown ? asnOrganization : null,
    edgeLocation: random.pick(edges),
    scheme: random.below(6) === 0 ? 'http' : 'https',
    host: random.below(5) === 0 ? `www.zone-${plan.zoneId}.example` : `zone-${plan.zoneId}.example`,
    path: random.below(6) === 0 ? `/search?q=${random.pick(hostileTexts)}` : random.pick(paths),
    bodyBytesSent: plan.extendedLogging ? bytes - 180 : null,
    contentRange: range ? `bytes 0-${bytes - 1}/${bytes * 3}` : null,
    authorizationHeader: plan.extendedLogging && random.below(5) === 0 ? `Bearer visitor-${random.hex(16)}` : null,
    originShield: random.below(12) === 0,
  }
}

function userText(random: Random, ordinary: readonly [string, ...string[]]): string | null {
  if (random.below(12) === 0) return null
  return random.below(5) === 0 ? random.pick(hostileTexts) : random.pick(ordinary)
}

/** Takes ids away, or shares one among neighbours, where that variant is on. */
function withSpecialIds(rows: readonly LogRow[], requestIds: Variants['requestIds']): LogRow[] {
  return rows.map((row, index) => {
    if (requestIds === 'unique' || index % 5 > 0) return row
    return { ...row, requestId: requestIds === 'some null' ? null : (rows[index - 1]?.requestId ?? row.requestId) }
  })
}
