import { dayMs } from '@cdn/kit/time'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createRandom, hash, type Random, toHex8 } from './random.ts'
import { createRowMaker } from './row.ts'

/** Input for the rows of one zone in a fresh emulator. Equal plans produce equal rows. */
export interface InitialRowsPlan {
  readonly seed: number
  readonly zoneId: string
  /** Time of the newest rows, in milliseconds. The oldest rows are older than the retention. */
  readonly until: number
  /** Retention in milliseconds. */
  readonly retention: number
  readonly variants: Pick<Variants, 'storedPrecision' | 'requestIds' | 'loneSurrogates'>
}

/** Number of rows that are spread over the retention. The rows at edge cases come in addition. */
const spreadRows = 300

/** How far the rows reach beyond the retention, in milliseconds. Rows beyond the retention must never be shown. */
const beyondRetentionMs = 3 * 3_600_000

/** Minimum age of a row at the start, in milliseconds, so that all rows are older than the first request. */
const minAgeMs = 2_000

/** Rows by plan. Emulators with the same plan share them, because most tests create an emulator. */
const known = new Map<string, readonly StoredLogRow[]>()

/**
 * Returns the rows of one zone: rows that are spread over the retention, and rows at edge cases. The edge cases are several rows
 * on one millisecond, both sides of the edge of the retention, and every midnight.
 */
export function createInitialRows(plan: InitialRowsPlan): readonly StoredLogRow[] {
  const key = JSON.stringify(plan)
  const rows = known.get(key) ?? generate(plan)
  if (known.size > 32) known.clear()
  known.set(key, rows)
  return rows
}

function generate(plan: InitialRowsPlan): StoredLogRow[] {
  const random = createRandom(`traffic ${plan.seed} ${plan.zoneId}`)
  const oldest = plan.until - plan.retention
  const times = [...spread(plan, random), ...ties(plan, random), oldest - 1, oldest, oldest + 1, ...midnights(plan)]
  const make = createRowMaker({
    zoneId: plan.zoneId,
    random,
    idPrefix: toHex8(hash(`${plan.seed} ${plan.zoneId}`)) + toHex8(0),
    variants: plan.variants,
    hostileShare: 0.2,
    isShield: () => random.below(12) === 0,
  })
  return times.sort((a, b) => a - b).map((time) => make(precise(time, plan, random)))
}

function spread({ until, retention }: InitialRowsPlan, random: Random): number[] {
  const span = retention + beyondRetentionMs - minAgeMs
  return Array.from({ length: spreadRows }, () => until - minAgeMs - random.below(span))
}

/** Returns the times of ties: four to nine rows on one millisecond, six times in the last day and six times before. */
function ties({ until, retention }: InitialRowsPlan, random: Random): number[] {
  return Array.from({ length: 12 }, (_, index) => {
    const age = index % 2 === 0 ? minAgeMs + random.below(dayMs - minAgeMs) : dayMs + random.below(retention - dayMs)
    return Array<number>(4 + random.below(6)).fill(until - age)
  }).flat()
}

function midnights({ until, retention }: InitialRowsPlan): number[] {
  const first = Math.ceil((until - retention) / dayMs) * dayMs
  const count = Math.floor((until - minAgeMs - first) / dayMs) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => [
    first + index * dayMs - 1,
    first + index * dayMs,
  ]).flat()
}

function precise(time: number, { variants }: InitialRowsPlan, random: Random): number {
  return variants.storedPrecision === 'microsecond' ? time + random.below(1000) / 1000 : time
}
