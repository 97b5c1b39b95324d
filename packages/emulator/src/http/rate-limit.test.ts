import { operations } from '@cdn/api/contract'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseVariants, type Variants } from '../variants/variants.ts'
import { createRequestLimiter, refuseRate } from './rate-limit.ts'

const limited = operations.filter(({ rateLimit }) => rateLimit)
const { requests, windowMs } = limited[0]?.rateLimit ?? { requests: 0, windowMs: 0 }

interface Sent {
  readonly at: number
  readonly zone: number
  /** Index of the logging operation that the request calls: 0 or 1. */
  readonly version: number
}

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

function pass(schedule: readonly Sent[], chosen: Partial<Variants> = {}): Sent[] {
  const variants = chooseVariants(chosen)
  const context = { variants, limiter: createRequestLimiter(variants) }
  return schedule.filter(({ at, zone, version }) => {
    const operation = limited[version]
    return operation && !refuseRate(operation, { pullZoneId: BigInt(zone) }, context, at)
  })
}

const ofZone = (schedule: readonly Sent[], zone: number) => schedule.filter((sent) => sent.zone === zone)
const countWithin = (schedule: readonly Sent[], after: number, until: number) =>
  schedule.filter(({ at }) => at > after && at <= until).length

function follows(schedule: readonly Sent[], through: readonly Sent[], allows: (sent: Sent, before: Sent[]) => boolean) {
  const accepted = new Set(through)
  const before: Sent[] = []
  const wrong = schedule.filter((sent) => {
    const isAllowed = allows(sent, before)
    if (accepted.has(sent)) before.push(sent)
    return accepted.has(sent) !== isAllowed
  })
  expect(wrong).toEqual([])
}

const check = (property: (schedule: Sent[]) => void, numRuns: number) =>
  fc.assert(fc.property(schedules, property), { numRuns: propertyRuns(numRuns) })

// `rateBuckets`, `refusedRequests` and `retryAfter` are observed in tests/variants.

describe('rate limit (§8)', () => {
  test('by default limits every window per zone over both versions, allows all other requests, and keeps zones separate', () => {
    let refused = 0
    check((schedule) => {
      const through = pass(schedule)
      for (const zone of [0, 1]) {
        const allowed = ofZone(through, zone)
        // It is enough to check windows that end with a request: if any window has too many requests, one of these has, too.
        expect(allowed.filter(({ at }) => countWithin(allowed, at - windowMs, at) > requests)).toEqual([])
        expect(pass(ofZone(schedule, zone))).toEqual(allowed)
        refused += ofZone(schedule, zone).length - allowed.length
      }
      const sent = ofZone(schedule, 0)
      follows(sent, through, ({ at }, before) => countWithin(before, at - windowMs, at) < requests)
    }, 200)
    expect(refused).toBeGreaterThan(200)
  }, 300_000)

  test('fixed: counts each window since 1970 separately', () => {
    check((schedule) => {
      const windowOf = ({ at }: Sent) => Math.floor(at / windowMs)
      follows(
        ofZone(schedule, 0),
        pass(schedule, { rateWindow: 'fixed' }),
        (sent, before) => before.filter((other) => windowOf(other) === windowOf(sent)).length < requests,
      )
    }, 100)
  })

  test('bucket: starts full and refills in proportion to time', () => {
    check((schedule) => {
      const through = ofZone(pass(schedule, { rateWindow: 'bucket' }), 0)
      const isTooMany = (first: Sent, index: number) =>
        through
          .slice(index)
          .some(({ at }, further) => further + 1 > requests + ((at - first.at) * requests) / windowMs + 1e-6)
      expect(through.filter(isTooMany)).toEqual([])
      const quiet = (schedule.at(-1)?.at ?? 0) + windowMs
      const burst = Array.from({ length: requests + 5 }, () => ({ at: quiet, zone: 0, version: 0 }))
      expect(pass([...schedule, ...burst], { rateWindow: 'bucket' }).filter(({ at }) => at === quiet)).toHaveLength(
        requests,
      )
    }, 100)
  })
})
