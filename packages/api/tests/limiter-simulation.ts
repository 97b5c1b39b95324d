/**
 * Simulates the limiter with a virtual clock, against platforms that count requests in each permitted way. A test simulates
 * minutes; `node tests/limiter-simulation.ts [hours]` simulates hours and prints the results.
 */

import { mulberry32 } from '@cdn/kit/mulberry32'
import { createLimiter } from '../src/index.ts'
import { createVirtualTime } from './virtual-time.ts'

const permitted = { requests: 30, windowMs: 10_000 }
const zones = 5

/** How a platform may count its rate limit (§8 does not say). */
export type Counting = 'fixed' | 'sliding' | 'bucket'

/** Result of a simulation. */
export interface Figures {
  readonly requests: number
  readonly refused: number
  /** Mean response time, in seconds. */
  readonly meanResponse: number
  /** Requests relative to the permitted number, divided by 10/(10 + mean response time). The possible maximum is 1. */
  readonly use: number
}

/** Creates a function that decides whether the platform accepts a request of one zone. It does not use the limiter's code. */
function createJudge(counting: Counting, phase: number): (at: number) => boolean {
  const accepted: number[] = []
  let tokens = permitted.requests
  let last = 0
  return (at) => {
    if (counting === 'bucket') {
      tokens = Math.min(permitted.requests, tokens + ((at - last) * permitted.requests) / permitted.windowMs)
      last = at
      if (tokens < 1) return false
      tokens--
      return true
    }
    const window = (time: number) => Math.floor((time + phase) / permitted.windowMs)
    while (accepted[0] !== undefined && !isCounted(accepted[0], at)) accepted.shift()
    if (accepted.length >= permitted.requests) return false
    return accepted.push(at) > 0
    function isCounted(before: number, now: number): boolean {
      return counting === 'fixed' ? window(before) === window(now) : now - before < permitted.windowMs
    }
  }
}

/**
 * Simulates 100 callers of 5 zones. Each caller repeats its request after each response.
 *
 * @param options responses take `fastest` to `slowest` ms; the platform counts the request at a random time before its response
 */
export async function simulate(options: {
  readonly counting: Counting
  readonly durationMs: number
  readonly slowest: number
  readonly fastest?: number
  readonly random: () => number
}): Promise<Figures> {
  const { counting, durationMs, slowest, fastest = 5, random } = options
  const { now, sleep, run } = createVirtualTime()
  const judges = Array.from({ length: zones }, () => createJudge(counting, random() * permitted.windowMs))
  let requests = 0
  let refused = 0
  let responseMs = 0

  async function send(zone: number): Promise<void> {
    const ms = fastest + random() * (slowest - fastest)
    const way = random() * ms
    requests++
    responseMs += ms
    await sleep(way)
    if (!judges[zone]?.(now())) refused++
    await sleep(ms - way)
  }
  const limiter = createLimiter({ now, sleep })
  const end = new AbortController()
  const call = async (zone: number) => {
    while (!end.signal.aborted) await limiter.run(zone, () => send(zone), end.signal)
  }
  for (let caller = 0; caller < 100; caller++) call(caller % zones).catch(() => {})
  await run(durationMs)
  end.abort()
  const meanResponse = responseMs / requests / 1000
  const windows = durationMs / permitted.windowMs
  const possible = (zones * permitted.requests * windows * 10) / (10 + meanResponse)
  return { requests, refused, meanResponse, use: requests / possible }
}

if (import.meta.main) {
  const durationMs = Number(process.argv[2] ?? 1) * 3_600_000
  for (const counting of ['fixed', 'sliding', 'bucket'] as const) {
    const figures = await simulate({ counting, durationMs, slowest: 900, random: mulberry32(1) })
    console.log(counting, JSON.stringify(figures))
  }
}
