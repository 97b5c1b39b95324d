import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { TrafficPlan } from './options.ts'
import { createRandom, hash, mix, type Random, toHex8 } from './random.ts'
import { createRowMaker } from './row.ts'

/** Rows of one zone for all times. Rows are not stored: each block is generated from its number when it is read. */
export type Traffic = ReturnType<typeof createTraffic>

/** Every twelfth row goes to the origin shield. */
const shieldEvery = 12

/** Limits of a block, in rows and in milliseconds. A block is generated as a whole. */
const blockRows = 1_000
const maxBlockMs = 60_000

/**
 * Creates traffic. The rows of a block depend only on seed, zone, plan, variants and block number. Rows are evenly spaced with
 * jitter, so the rate determines the number of rows in each block.
 */
export function createTraffic(
  seed: number,
  zoneId: string,
  plan: TrafficPlan,
  variants: Pick<Variants, 'requestIds' | 'storedPrecision' | 'loneSurrogates' | 'controlCharacters'>,
) {
  const { rowsPerSecond, lateShare, maxLatenessMs, hostileShare, tieShare, bursts } = plan
  const blockMs = Math.max(1, Math.min(maxBlockMs, Math.floor((blockRows * 1000) / rowsPerSecond)))
  const name = `traffic ${seed} ${zoneId}`
  const zonePrefix = toHex8(hash(name))

  /** Returns the number of rows in a block, without bursts. A fraction of a row carries over to the next block. */
  function spreadOf(block: number): number {
    const until = (number: number) => Math.floor((number * blockMs * rowsPerSecond) / 1000)
    return until(block + 1) - until(block)
  }

  function burstTimes(block: number): number[] {
    if (!bursts) return []
    const { everyMs } = bursts
    const first = Math.ceil((block * blockMs) / everyMs)
    const end = Math.ceil(((block + 1) * blockMs) / everyMs)
    return Array.from({ length: end - first }, (_, index) => (first + index) * everyMs)
  }

  /** Returns the times of the rows in a block, in ascending order. */
  function timesOf(block: number, random: Random): number[] {
    const start = block * blockMs
    const count = spreadOf(block)
    const ticks = variants.storedPrecision === 'microsecond' ? 1000 : 1 // per millisecond
    let last = start
    const times = Array.from({ length: count }, (_, index) => {
      const isTie = tieShare > 0 && random.chance(tieShare)
      const offset = Math.floor((ticks * ((index + random.fraction()) * blockMs)) / count) / ticks
      if (!isTie || index === 0) last = start + offset
      return last
    })
    const inBursts = burstTimes(block).flatMap((time) => Array<number>(bursts?.rows ?? 0).fill(time))
    return inBursts.length === 0 ? times : [...times, ...inBursts].sort((a, b) => a - b)
  }

  /** Returns the rows of a block, in ascending order. Blocks are counted from 1970. */
  function rowsOf(block: number): readonly StoredLogRow[] {
    const random = createRandom(`${name} ${block}`)
    const idPrefix = zonePrefix + toHex8(mix(block))
    const isShield = (index: number) => (index + block) % shieldEvery === 0
    const make = createRowMaker({ zoneId, random, idPrefix, variants, hostileShare, isShield })
    return timesOf(block, random).map((time) => {
      const late = lateShare > 0 && random.chance(lateShare) ? 1 + random.below(maxLatenessMs) : 0
      return make(time, Math.ceil(time) + late)
    })
  }

  return {
    /** Length of a block in milliseconds. */
    blockMs,
    rowsOf,
    /** Returns the number of rows with `from <= timestamp < to`, in milliseconds. */
    count(from: number, to: number): number {
      const [first, last] = [Math.floor(from / blockMs), Math.floor(to / blockMs)]
      const within = (block: number) =>
        rowsOf(block).filter((row) => row.timestamp >= from && row.timestamp < to).length
      if (first === last) return within(first)
      let count = within(first) + within(last)
      for (let block = first + 1; block < last; block++)
        count += spreadOf(block) + burstTimes(block).length * (bursts?.rows ?? 0)
      return count
    },
  }
}
