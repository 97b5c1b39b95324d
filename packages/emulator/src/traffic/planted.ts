import type { LogRow } from '../state/log-row.ts'
import type { Variants } from '../variants.ts'
import { createRandom, hash, type Random, toHex8 } from './random.ts'
import { createRowMaker } from './row.ts'

/** What a fresh emulator's rows of a zone are made from; the same plan gives the same rows. */
export interface PlantedPlan {
  readonly seed: number
  readonly zoneId: string
  /** Rows reach from a little before the retention up to this time, in milliseconds. */
  readonly until: number
  /** Milliseconds. */
  readonly retention: number
  /** Rows that are spread over the time, beside the planted ones. */
  readonly rows: number
  readonly variants: Pick<Variants, 'storedPrecision' | 'requestIds'>
}

/** How far before the retention rows reach: those must never be shown again. */
const beforeRetention = 3 * 3_600_000

/** A row is never newer than this at the start, so that the newest is older than any request. */
const youngest = 2_000

/**
 * Traffic of one zone: rows spread over the retention, and rows planted where readers go wrong, namely several on one
 * millisecond, at both edges of the retention, and around every midnight.
 */
export function plantRows(plan: PlantedPlan): LogRow[] {
  const random = createRandom(`traffic ${plan.seed} ${plan.zoneId}`)
  const oldest = plan.until - plan.retention
  const times = [...spread(plan, random), ...ties(plan, random), oldest - 1, oldest, oldest + 1, ...midnights(plan)]
  const make = createRowMaker({
    zoneId: plan.zoneId,
    random,
    idPrefix: toHex8(hash(`${plan.seed} ${plan.zoneId}`)) + toHex8(0),
    requestIds: plan.variants.requestIds,
    hostileShare: 0.2,
  })
  return times.sort((a, b) => a - b).map((time) => make(precise(time, plan, random)))
}

function spread({ until, retention, rows }: PlantedPlan, random: Random): number[] {
  const span = retention + beforeRetention - youngest
  return Array.from({ length: rows }, () => until - youngest - random.below(span))
}

/** Four to nine rows on one millisecond, six times in the last day and six times before. */
function ties({ until, retention }: PlantedPlan, random: Random): number[] {
  const day = 24 * 3_600_000
  return Array.from({ length: 12 }, (_, index) => {
    const age = index % 2 === 0 ? youngest + random.below(day - youngest) : day + random.below(retention - day)
    return Array(4 + random.below(6)).fill(until - age) as number[]
  }).flat()
}

function midnights({ until, retention }: PlantedPlan): number[] {
  const day = 24 * 3_600_000
  const first = Math.ceil((until - retention) / day) * day
  const count = Math.floor((until - youngest - first) / day) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => [first + index * day - 1, first + index * day]).flat()
}

function precise(time: number, { variants }: PlantedPlan, random: Random): number {
  return variants.storedPrecision === 'microsecond' ? time + random.below(1000) / 1000 : time
}
