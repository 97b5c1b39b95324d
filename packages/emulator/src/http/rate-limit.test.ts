import { operations } from '@cdn/api/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { start } from '../testing.ts'
import { chooseVariants, type Variants } from '../variants.ts'
import { refuseRate } from './gate.ts'
import { createLimiter } from './rate-limit.ts'

const limited = operations.filter(({ rateLimit }) => rateLimit)
const { requests, windowMs } = limited[0]?.rateLimit ?? { requests: 0, windowMs: 0 }

interface Sent {
  readonly at: number
  readonly zone: number
  /** 0 or 1: which version of the logging interface. */
  readonly version: number
}

/** Requests to two zones over both versions: bursts, short pauses, and waits until a window after an earlier one. */
const schedules = fc
  .array(fc.nat(2 ** 20), { minLength: 2 * requests, maxLength: 5 * requests, size: 'max' })
  .map((numbers) => {
    const schedule: Sent[] = []
    let at = 1_000_000
    for (const number of numbers) {
      const pause = number >> 2
      const earlier = schedule[pause % Math.max(1, schedule.length)]
      if (earlier && pause % 32 === 0) at = Math.max(at, earlier.at + windowMs - 1 + (pause % 3))
      else if (pause % 3 === 0) at += pause % 300
      schedule.push({ at, zone: number & 1, version: (number >> 1) & 1 })
    }
    return schedule
  })

/** The requests that a fresh platform lets through. */
function pass(schedule: readonly Sent[], chosen: Partial<Variants> = {}): Sent[] {
  const variants = chooseVariants(chosen)
  const platform = { variants, limiter: createLimiter(variants) } as Parameters<typeof refuseRate>[2]
  return schedule.filter(({ at, zone, version }) => {
    const operation = limited[version]
    return operation && !refuseRate(operation, { pullZoneId: BigInt(zone) }, platform, at)
  })
}

const ofZone = (schedule: readonly Sent[], zone: number) => schedule.filter((sent) => sent.zone === zone)
const countWithin = (schedule: readonly Sent[], after: number, until: number) =>
  schedule.filter(({ at }) => at > after && at <= until).length

/** Whether each request of one zone is let through exactly where a rule, written apart, says so. */
function follows(schedule: readonly Sent[], through: readonly Sent[], allows: (sent: Sent, before: Sent[]) => boolean) {
  const accepted = new Set(through)
  const before: Sent[] = []
  for (const sent of schedule) {
    expect(accepted.has(sent)).toBe(allows(sent, before))
    if (accepted.has(sent)) before.push(sent)
  }
}

const check = (property: (schedule: Sent[]) => void, numRuns: number) =>
  fc.assert(fc.property(schedules, property), { numRuns })

describe('rate limit (§8)', () => {
  it('has two operations to look at', () => {
    expect(limited.map(({ name }) => name)).toEqual(['query-logs', 'read-log-file'])
  })

  it('by default lets no window hold more for a zone over both versions, refuses nobody who leaves room, and keeps zones apart', () => {
    let refused = 0
    check((schedule) => {
      const through = pass(schedule)
      for (const zone of [0, 1]) {
        const own = ofZone(through, zone)
        // Some window holds too many only where one that ends with a request does.
        for (const { at } of own) expect(countWithin(own, at - windowMs, at)).toBeLessThanOrEqual(requests)
        expect(pass(ofZone(schedule, zone))).toEqual(own)
        refused += ofZone(schedule, zone).length - own.length
      }
      const own = ofZone(schedule, 0)
      follows(own, through, ({ at }, before) => countWithin(before, at - windowMs, at) < requests)
    }, 10_000)
    expect(refused).toBeGreaterThan(10_000)
  }, 60_000)

  it('fixed: each window since 1970 by itself', () => {
    check((schedule) => {
      const windowOf = ({ at }: Sent) => Math.floor(at / windowMs)
      follows(
        ofZone(schedule, 0),
        pass(schedule, { rateWindow: 'fixed' }),
        (sent, before) => before.filter((other) => windowOf(other) === windowOf(sent)).length < requests,
      )
    }, 2_000)
  })

  it('bucket: a full one to begin with, and a share of it for the time since', () => {
    check((schedule) => {
      const through = ofZone(pass(schedule, { rateWindow: 'bucket' }), 0)
      for (const [index, first] of through.entries()) {
        for (const [further, { at }] of through.slice(index).entries())
          expect(further + 1).toBeLessThanOrEqual(requests + ((at - first.at) * requests) / windowMs + 1e-6)
      }
      const quiet = (schedule.at(-1)?.at ?? 0) + windowMs
      const burst = Array.from({ length: requests + 5 }, () => ({ at: quiet, zone: 0, version: 0 }))
      expect(pass([...schedule, ...burst], { rateWindow: 'bucket' }).filter(({ at }) => at === quiet)).toHaveLength(
        requests,
      )
    }, 500)
  })

  it('one bucket each: the versions are as if alone', () => {
    check((schedule) => {
      const through = pass(schedule, { rateBuckets: 'one each' })
      for (const version of [0, 1]) {
        const isOwn = (sent: Sent) => sent.version === version
        expect(through.filter(isOwn)).toEqual(pass(schedule.filter(isOwn)))
      }
    }, 2_000)
  })

  it('refused requests counted: whoever keeps asking stays out', () => {
    check((schedule) => {
      const own = ofZone(schedule, 0)
      const index = new Map(own.map((sent, at) => [sent, at]))
      follows(own, pass(schedule, { refusedRequests: 'counted' }), (sent) => {
        const asked = own.slice(0, index.get(sent))
        return countWithin(asked, sent.at - windowMs, sent.at) < requests
      })
    }, 2_000)
  })

  it('is the one that requests meet', async () => {
    const { emulator, ask } = await start()
    const zones = [emulator.fixtures.loggedZoneId, emulator.fixtures.otherLoggedZoneId]
    const paths = (zone: number) => [`v2/pullzones/${zones[zone]}/logs?limit=1`, `06-17-26/${zones[zone]}.log?end=1`]
    const schedule =
      fc.sample(schedules, { numRuns: 100, seed: 7 }).find((sent) => pass(sent).length < sent.length) ?? []
    const through: Sent[] = []
    for (const [index, sent] of schedule.entries()) {
      emulator.clock.advance(sent.at - (schedule[index - 1]?.at ?? sent.at))
      const response = await ask.logging(paths(sent.zone)[sent.version] ?? '')
      if (response.status !== 429) through.push(sent)
    }
    expect(through).toEqual(pass(schedule))
    expect(through.length).toBeLessThan(schedule.length)
  })
})
