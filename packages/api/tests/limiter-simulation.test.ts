/** The limiter with a virtual clock, against platforms that count requests in each permitted way. */
import { mulberry32 } from '@cdn/kit/mulberry32'
import { createClock, createVirtualTime } from '@cdn/kit/testing/virtual-time'
import { expect, test } from 'vitest'
import { createLimiter } from '../src/index.ts'

const permitted = { requests: 30, windowMs: 10_000 }
const zones = 5

const durationMs = 5 * 60_000
/** Response times in ms. The platform counts a request at a random time before its response. */
const [fastest, slowest] = [5, 900]

/** How a platform may count its rate limit (§8 does not say). */
const countings = ['fixed', 'sliding', 'bucket'] as const
type Counting = (typeof countings)[number]

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

/** Simulates 100 callers of 5 zones. Each caller repeats its request after each response. */
async function simulate(counting: Counting) {
  const random = mulberry32(7)
  const { now, sleep, run } = createVirtualTime(createClock(), { quietTurns: 1 })
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
  return { refused, use: requests / possible }
}

test.each(countings)('no 429, and the permitted rate is used, if the platform counts by %s', async (counting) => {
  const { refused, use } = await simulate(counting)
  expect(refused).toBe(0)
  // `use` is relative to the requests that are possible if each takes a slot until a window after its response.
  expect(Math.abs(use - 1)).toBeLessThan(0.05) // in five minutes, the burst at the start raises the rate
})
