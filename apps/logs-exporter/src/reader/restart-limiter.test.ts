import { rateLimit } from '@cdn/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRestartLimiter } from './restart-limiter.ts'

/** A platform with a sliding window, and a process that is killed at the end of each of its lives. Time is virtual. */
function createPlatform() {
  let time = 0
  const accepted: number[] = []
  const sleep = async (ms: number) => {
    time += ms
  }
  return {
    /**
     * Starts a process that is idle, then sends one request after the other until it is killed. Returns the time of the last accepted request, and the number of 429s.
     */
    async live({ ms, idleMs, responseMs }: { ms: number; idleMs: number; responseMs: number }) {
      const [end, rests] = [time + ms, [] as number[]]
      const limiter = createRestartLimiter({ now: () => time, sleep, onRest: (_, ms) => rests.push(ms) })
      time += idleMs
      let refused = 0
      while (time < end) {
        await limiter.run(1n, async () => {
          if (time >= end) return // killed while it waited
          while (accepted[0] !== undefined && accepted[0] <= time - rateLimit.windowMs) accepted.shift()
          const status = accepted.length >= rateLimit.requests ? 429 : 200
          if (status === 429) refused++
          else accepted.push(time)
          time += responseMs
          return new Response(null, { status })
        })
      }
      time = end
      expect(rests).toEqual(Array(refused).fill(rateLimit.windowMs))
      return { last: accepted.at(-1) ?? 0, refused }
    },
    now: () => time,
  }
}

test('a life causes at most one 429, also after a burst', async () => {
  const life = fc.record({
    ms: fc.integer({ min: 500, max: 40_000 }),
    idleMs: fc.constantFrom(0, 0, 12_000),
    responseMs: fc.integer({ min: 1, max: 700 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 2, maxLength: 20 }), async (lives) => {
      const platform = createPlatform()
      for (const each of lives) expect((await platform.live(each)).refused).toBeLessThanOrEqual(1)
    }),
  )
})

test.each([1000, 3000, 8000])(
  'a process that is killed every %i ms sends requests in each of its lives',
  async (ms) => {
    const platform = createPlatform()
    for (let n = 0; n < 50; n++) {
      const begun = platform.now()
      const { last, refused } = await platform.live({ ms, idleMs: 0, responseMs: 20 })
      expect(last).toBeGreaterThanOrEqual(begun)
      expect(refused).toBe(0)
    }
  },
)
