import type { LogRow } from '../state/log-row.ts'
import type { Blocks } from '../state/log-walk.ts'
import type { Variants } from '../variants.ts'
import type { TrafficPlan } from './options.ts'
import { createRandom, hash, mix, type Random, toHex8 } from './random.ts'
import { createRowMaker } from './row.ts'

/** Rows of one zone for all times. Nothing is stored: a block is made from its number whenever it is asked for. */
export interface Traffic extends Blocks {
  /** How many rows there are with `from <= timestamp < to`, in milliseconds. */
  count(from: number, to: number): number
}

/** A block is made as a whole, so it should not be large; a minute is enough for a slow zone. */
const blockRows = 1_000
const longestBlockMs = 60_000

/**
 * Traffic as a pure function of seed, zone and block. Rows are spread evenly with jitter, so that every block has the
 * number of rows that the rate gives it.
 */
export function createTraffic(
  seed: number,
  zoneId: string,
  plan: TrafficPlan,
  { requestIds, storedPrecision }: Pick<Variants, 'requestIds' | 'storedPrecision'>,
): Traffic {
  const { rowsPerSecond, lateShare, maxLatenessMs, hostileShare } = plan
  const blockMs = Math.max(1, Math.min(longestBlockMs, Math.floor((blockRows * 1000) / rowsPerSecond)))
  const name = `traffic ${seed} ${zoneId}`
  const zonePrefix = toHex8(hash(name))

  function rowsOf(block: number): readonly LogRow[] {
    const random = createRandom(`${name} ${block}`)
    const idPrefix = zonePrefix + toHex8(mix(block))
    const make = createRowMaker({ zoneId, random, idPrefix, requestIds, hostileShare })
    return timesOf(block, blockMs, plan, storedPrecision, random).map((time) => {
      const late = lateShare > 0 && random.chance(lateShare) ? 1 + random.below(maxLatenessMs) : 0
      return make(time, Math.ceil(time) + late)
    })
  }

  return {
    blockMs,
    rowsOf,
    count(from, to) {
      const [first, last] = [Math.floor(from / blockMs), Math.floor(to / blockMs)]
      const within = (block: number) =>
        rowsOf(block).filter((row) => row.timestamp >= from && row.timestamp < to).length
      if (first === last) return within(first)
      let count = within(first) + within(last)
      for (let block = first + 1; block < last; block++) count += countOf(block, blockMs, plan)
      return count
    },
  }
}

/** How many rows a block has. */
function countOf(block: number, blockMs: number, plan: TrafficPlan): number {
  return spreadOf(block, blockMs, plan) + burstTimes(block, blockMs, plan).length * (plan.bursts?.rows ?? 0)
}

/** Rows by the rate alone; fractions add up over the blocks. */
function spreadOf(block: number, blockMs: number, { rowsPerSecond }: TrafficPlan): number {
  const until = (number: number) => Math.floor((number * blockMs * rowsPerSecond) / 1000)
  return until(block + 1) - until(block)
}

/** The times of the bursts in a block. */
function burstTimes(block: number, blockMs: number, { bursts }: TrafficPlan): number[] {
  if (!bursts) return []
  const { everyMs } = bursts
  const first = Math.ceil((block * blockMs) / everyMs)
  const end = Math.ceil(((block + 1) * blockMs) / everyMs)
  return Array.from({ length: end - first }, (_, index) => (first + index) * everyMs)
}

/** The times of a block's rows, ascending. */
function timesOf(
  block: number,
  blockMs: number,
  plan: TrafficPlan,
  precision: Variants['storedPrecision'],
  random: Random,
): number[] {
  const start = block * blockMs
  const count = spreadOf(block, blockMs, plan)
  const ticks = precision === 'microsecond' ? 1000 : 1
  let last = start
  const times = Array.from({ length: count }, (_, index) => {
    const isTie = plan.tieShare > 0 && random.chance(plan.tieShare)
    const offset = Math.floor((ticks * ((index + random.fraction()) * blockMs)) / count) / ticks
    if (!isTie || index === 0) last = start + offset
    return last
  })
  const bursts = burstTimes(block, blockMs, plan)
  if (bursts.length === 0) return times
  return [...times, ...bursts.flatMap((time) => Array(plan.bursts?.rows ?? 0).fill(time) as number[])].sort(
    (a, b) => a - b,
  )
}
