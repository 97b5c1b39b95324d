import { operations } from '@cdn/api/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryEntry } from '../exchange/history.ts'
import { judgeRate } from './judge-rate.ts'

const limited = operations.filter(({ rateLimit }) => rateLimit)
const [windowMs, requests] = [10_000, 30]
const zones = ['1', '2']

/** Decides whether a limiter accepts a request at a time. */
type Limiter = (now: number) => boolean

/** The permitted kinds of limiters, and what a mistake changes of them. */
const kinds = {
  sliding: (counts: boolean, size = requests, length = windowMs): Limiter => {
    let taken: number[] = []
    return (now) => {
      taken = taken.filter((time) => time > now - length)
      const isAccepted = taken.length < size
      if (isAccepted || counts) taken.push(now)
      return isAccepted
    }
  },
  fixed: (phase: number): Limiter => {
    const counts = new Map<number, number>()
    return (now) => {
      const window = Math.floor((now + phase) / windowMs)
      counts.set(window, (counts.get(window) ?? 0) + 1)
      return (counts.get(window) ?? 0) <= requests
    }
  },
  bucket: (counts: boolean): Limiter => {
    let [level, since] = [requests, 0]
    return (now) => {
      level = Math.min(requests, level + ((now - since) * requests) / windowMs)
      since = now
      const isAccepted = level >= 1
      level = isAccepted ? level - 1 : counts ? 0 : level
      return isAccepted
    }
  },
}

const limiter = fc.oneof(
  fc.boolean().map((counts) => () => kinds.sliding(counts)),
  fc.nat(windowMs - 1).map((phase) => () => kinds.fixed(phase)),
  fc.boolean().map((counts) => () => kinds.bucket(counts)),
)

/** Groups of requests at once: the pause before a group, the times of its requests on their way, and the pull zone. */
const traffic = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.nat(500), fc.nat(4_000), fc.integer({ min: 13_700, max: 20_000 })),
    waysMs: fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 45 }),
    zone: fc.constantFrom(...zones),
    isShared: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)
type Traffic = typeof traffic extends fc.Arbitrary<infer T> ? T : never

/** Plays requests on a server. Each arrives between its start and its end, and the server sees them in the order in which they arrive. */
function historyOf(groups: Traffic, limiterOf: (zone: string, operation: string) => Limiter): HistoryEntry[] {
  let now = 100_000
  const sent = groups.flatMap(({ pauseMs, waysMs, zone, isShared }) => {
    now += pauseMs
    const start = now
    const group = waysMs.map(([there, back], index) => {
      const operation = limited[isShared ? index % limited.length : 0]
      return { operation, zone, startMs: start, at: start + there, endMs: start + there + back }
    })
    now = Math.max(...group.map(({ endMs }) => endMs))
    return group
  })
  const arrived = sent.toSorted((one, other) => one.at - other.at)
  return arrived.flatMap(({ operation, zone, startMs, at, endMs }, index) => {
    if (!operation) return []
    const status = limiterOf(zone, operation.name)(at) ? 200 : 429
    const times = { startMs, endMs, start: startMs * 1_000 + index, end: endMs * 1_000 + 999 }
    const of = { operation, method: 'GET', path: { pullZoneId: zone }, query: new URLSearchParams(), check: 'c' }
    return { ...of, ...times, body: undefined, shown: undefined, status }
  })
}

/** Makes each limiter once: one for each pull zone, and, if they do not share it, for each version. */
function perZone(make: () => Limiter, isOneEach = false) {
  const limiters = new Map<string, Limiter>()
  return (zone: string, operation: string) => {
    const key = isOneEach ? `${zone} ${operation}` : zone
    const known = limiters.get(key) ?? make()
    limiters.set(key, known)
    return known
  }
}

const verdict = (entries: readonly HistoryEntry[]) => judgeRate(entries, { zones, since: 0, isAlone: true })

test('no permitted limiter is accused, whatever the requests', () => {
  fc.assert(
    fc.property(traffic, limiter, fc.boolean(), (groups, make, isOneEach) => {
      expect(verdict(historyOf(groups, perZone(make, isOneEach)))).toEqual([])
    }),
    { numRuns: 1_000 },
  )
})

/** Groups of a size, each after a pause, first on one pull zone and then on the other. */
function bursts(size: number, ...pauses: readonly number[]): Traffic {
  const waysMs = Array.from({ length: size }, (): [number, number] => [20, 20])
  return zones.flatMap((zone) => pauses.map((pauseMs) => ({ pauseMs, zone, waysMs, isShared: false })))
}

test.each([
  ['one request less', 'below', () => kinds.sliding(false, requests - 1), bursts(30, 15_000, 15_000)],
  ['a longer window', 'below', () => kinds.sliding(false, requests, 1.2 * windowMs), bursts(30, 15_000, 10_300)],
  ['one request more', 'beyond', () => kinds.sliding(false, requests + 1), bursts(40, 15_000, 13_700)],
  ['no limit', 'beyond', () => () => true, bursts(40, 15_000, 13_700)],
])('%s is a violation', (_, how, make, groups) => {
  const violations = verdict(historyOf(groups, perZone(make)))
  expect(new Set(violations.map((one) => one.how))).toEqual(new Set([how]))
  expect(violations.every(({ isCertain }) => isCertain)).toBe(true)
})

test('a burst may cross the border of a fixed window once, and refusals on one of two pull zones may be due to another caller', () => {
  expect(
    verdict(
      historyOf(
        bursts(40, 15_000),
        perZone(() => () => true),
      ),
    ),
  ).toEqual([])
  const entries = historyOf(bursts(30, 15_000, 15_000), (zone) => (zone === '1' ? () => false : () => true))
  const violations = judgeRate(entries, { zones, since: 0, isAlone: false })
  expect(violations.map(({ how, zone, isCertain }) => [how, zone, isCertain])).toEqual([['below', '1', false]])
})
