import { dayMs, hourMs } from '@cdn/kit/time'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createRandom, hash, type Random, toHex8 } from './random.ts'
import { createRowMaker } from './row.ts'

/** Input for the rows of one zone in a fresh emulator. Equal plans produce equal rows. */
export interface InitialRowsPlan {
  readonly seed: number
  readonly zoneId: string
  /** Start of the clock, in milliseconds since 1970. All rows are older; the oldest ones are past the retention. */
  readonly until: number
  /** Retention in milliseconds. */
  readonly retention: number
  readonly variants: Pick<Variants, 'storedPrecision' | 'requestIds' | 'loneSurrogates' | 'controlCharacters'>
}

/** Number of rows that are spread over the retention and `beyondRetentionMs`. The rows at edge cases come in addition. */
const spreadRows = 300

/** How far the rows reach beyond the retention, in milliseconds. Rows beyond the retention must never be shown. */
const beyondRetentionMs = 3 * hourMs

/** Minimum age of a row at the start, in milliseconds, so that all rows are older than the first request. */
const minAgeMs = 2_000

/** Rows by plan. Emulators with the same plan share them, to save time in tests, which often create an emulator. */
const known = new Map<string, readonly StoredLogRow[]>()

/**
 * Returns the rows of one zone: rows that are spread over the retention and the three hours before it, and rows at edge cases. The
 * edge cases are several rows on one millisecond, both sides of the edge of the retention, and every midnight.
 */
export function createInitialRows(plan: InitialRowsPlan): readonly StoredLogRow[] {
  const key = JSON.stringify(plan)
  const rows = known.get(key) ?? generate(plan)
  if (known.size > 32) known.clear()
  known.set(key, rows)
  return rows
}

function generate(plan: InitialRowsPlan): StoredLogRow[] {
  const { seed, zoneId, variants } = plan
  const random = createRandom(`traffic ${seed} ${zoneId}`)
  const times = timesOf(plan, random)
  const idPrefix = toHex8(hash(`${seed} ${zoneId}`)) + toHex8(0)
  const isShield = () => random.below(12) === 0
  const make = createRowMaker({ zoneId, random, idPrefix, variants, hostileShare: 0.2, isShield })
  const fraction = () => (variants.storedPrecision === 'microsecond' ? random.below(1000) / 1000 : 0)
  return times.sort((a, b) => a - b).map((time) => make(time + fraction()))
}

function timesOf({ until, retention }: InitialRowsPlan, random: Random): number[] {
  const [oldest, newest] = [until - retention, until - minAgeMs]
  const span = newest - oldest + beyondRetentionMs
  const times = Array.from({ length: spreadRows }, () => newest - random.below(span))
  // Ties: four to nine rows on one millisecond, six times in the last day and six times before.
  for (let index = 0; index < 12; index++) {
    const age = index % 2 === 0 ? minAgeMs + random.below(dayMs - minAgeMs) : dayMs + random.below(retention - dayMs)
    times.push(...Array<number>(4 + random.below(6)).fill(until - age))
  }
  times.push(oldest - 1, oldest, oldest + 1)
  for (let midnight = Math.ceil(oldest / dayMs) * dayMs; midnight <= newest; midnight += dayMs)
    times.push(midnight - 1, midnight)
  return times
}
