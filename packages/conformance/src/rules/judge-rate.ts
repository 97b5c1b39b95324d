/** Judges the rate limit of the pull zones (§8) by all requests of a run, not only those of one check: a pure function of the history. */
import type { Operation, RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { HistoryEntry } from '../exchange/history.ts'
import { misreadIds } from '../exchange/hostile-input.ts'
import { isOfGateway, isSuccess, isTruePause, type StatedPause, statedPause } from '../exchange/response.ts'

export interface RateOptions {
  /** The ids of the logged pull zones. */
  readonly zones: readonly string[]
  /** Time in ms since which the history has every request of the suite. */
  readonly since: number
  /** Whether no other caller uses the pull zones. */
  readonly isAlone: boolean
}

/**
 * How the limit of an operation on a pull zone is broken:
 * - `below`: requests are refused although fewer requests than the limit came within a window before each of them.
 * - `zone`: the same, but only while another pull zone is used, too.
 * - `beyond`: more requests are not refused than any kind of limiter accepts.
 * - `advice`: the next request after the time that `Retry-After` states is refused.
 */
export interface RateViolation {
  readonly how: 'below' | 'zone' | 'beyond' | 'advice'
  readonly operation: Operation
  readonly zone: string
  readonly entries: readonly HistoryEntry[]
  /** False if another caller may be the reason: other callers are unlikely to use all pull zones. */
  readonly isCertain: boolean
}

/** The requests of an operation, those to the same pull zone, and those to all logged pull zones. */
interface Traffic {
  readonly limit: RateLimit
  readonly mine: readonly HistoryEntry[]
  readonly own: readonly HistoryEntry[]
  readonly all: readonly HistoryEntry[]
  readonly since: number
}

/** Minimum number of refusals on each pull zone that prove something if other callers may use the pull zones. */
const minRefusals = 2

/**
 * Returns how the limits are broken, for any permitted kind of limiter: a fixed or sliding window, or a bucket; refused requests count or
 * not; both versions share a limit or not.
 */
export function judgeRate(entries: readonly HistoryEntry[], options: RateOptions): readonly RateViolation[] {
  const { zones, since, isAlone } = options
  const requests = entries.filter(({ operation }) => operation.rateLimit)
  const requestsTo = new Map(
    zones.map((zone) => {
      // A server may read another id as that of the pull zone.
      const ids = new Set<string | undefined>([zone, ...misreadIds(zone)])
      return [zone, requests.filter((entry) => ids.has(zoneOf(entry)))]
    }),
  )
  const all = [...requestsTo.values()].flat()
  const broken = [...new Set(requests.map(({ operation }) => operation))].flatMap((operation) =>
    zones.flatMap((zone) => {
      const own = requestsTo.get(zone) ?? []
      const mine = own.filter((entry) => entry.operation === operation && zoneOf(entry) === zone)
      const limit = operation.rateLimit
      const limits = limit ? brokenIn({ limit, mine, own, all, since }, isAlone ? 1 : minRefusals) : []
      return limits.map((one) => ({ ...one, operation, zone }))
    }),
  )
  return broken.map((one) => {
    const { how, operation } = one
    const alike = broken.filter((other) => other.how === how && other.operation === operation && other.isProven)
    const isEverywhere = zones.every((zone) => alike.some((other) => other.zone === zone))
    return { ...one, isCertain: one.isProven && (how === 'beyond' || isAlone || isEverywhere) }
  })
}

/** The id of the pull zone of a request to the logs. */
export function zoneOf({ operation, path }: HistoryEntry): string | undefined {
  return path[operation.rateLimit?.per ?? '']
}

type Broken = Pick<RateViolation, 'how' | 'entries'> & { readonly isProven: boolean }

function brokenIn(traffic: Traffic, min: number): Broken[] {
  const { limit, mine, own, all, since } = traffic
  const isBelow = (entry: HistoryEntry, among: readonly HistoryEntry[]) =>
    othersBefore(entry, among, limit).length < limit.requests
  const refused = mine.filter(
    (entry) => entry.status === 429 && entry.startMs >= since + limit.windowMs && isBelow(entry, own),
  )
  const alone = refused.filter((entry) => isBelow(entry, all))
  // The whole budget was accepted while no other pull zone was used.
  const isContrast = (entry: HistoryEntry) =>
    isSuccess(entry) && isBelow(entry, all) && othersBefore(entry, own, limit).length === limit.requests - 1
  const below: Broken = { how: 'below', entries: alone, isProven: true }
  const zone: Broken = { how: 'zone', entries: refused, isProven: refused.length > 0 && mine.some(isContrast) }
  const isOfZone = alone.length < min && refused.length >= min
  const [beyond, advice] = [beyondOf(traffic), refusedInVain(traffic)]
  return [
    ...(alone.length >= min ? [below] : []),
    ...(isOfZone ? [zone] : []),
    ...(beyond.length > 0 ? [{ how: 'beyond' as const, entries: beyond, isProven: true }] : []),
    ...(advice.length > 0 ? [{ how: 'advice' as const, entries: advice, isProven: true }] : []),
  ]
}

/** The other requests that may have come before a request, within a window. */
function othersBefore(entry: HistoryEntry, among: readonly HistoryEntry[], { windowMs }: RateLimit) {
  return among.filter(
    (other) =>
      other !== entry &&
      other.start < entry.end &&
      other.startMs <= entry.endMs &&
      other.endMs >= entry.startMs - windowMs,
  )
}

/** The responses other than 429 that no kind of limiter gives. */
function beyondOf({ limit, mine, own }: Traffic): readonly HistoryEntry[] {
  // At a refusal, a window was used up, or a bucket was empty.
  const { requests, windowMs } = limit
  const accepted = mine.filter(isSuccess)
  for (const refusal of mine.filter(({ status }) => status === 429)) {
    const isAfter = ({ start, startMs }: HistoryEntry) => startMs > refusal.endMs || start > refusal.end
    const after = accepted.filter((entry) => isAfter(entry) && entry.endMs < refusal.startMs + windowMs)
    if (after.length > requests) return after
  }
  // A group may cross the border of a fixed window, but all borders have the same distance.
  const spans = groupsOf(own, limit).flatMap((group) => spanOf(group, mine, limit) ?? [])
  const crosses = (time: number) =>
    spans.every(({ from, to }) => {
      const past = (((time - from + toleranceMs) % windowMs) + windowMs) % windowMs
      return past <= to - from + 2 * toleranceMs
    })
  const isOfFixedWindow = spans.some(({ from }) => crosses(from - toleranceMs))
  return isOfFixedWindow ? [] : spans.flatMap(({ entries }) => entries)
}

/** How inexact the borders of a fixed window are, in ms: the clocks may drift during a run. */
const toleranceMs = 50

/** Returns the groups of requests to a pull zone, each after at least one quiet window. Then each kind of limiter has its full budget. */
function groupsOf(own: readonly HistoryEntry[], { windowMs }: RateLimit): HistoryEntry[][] {
  const groups: HistoryEntry[][] = []
  let quietFrom = Number.NEGATIVE_INFINITY
  for (const entry of own.toSorted((one, other) => one.startMs - other.startMs)) {
    if (entry.startMs >= quietFrom + windowMs) groups.push([])
    groups.at(-1)?.push(entry)
    quietFrom = Math.max(quietFrom, entry.endMs)
  }
  return groups
}

/** The first part of a group in which more requests are not refused than a bucket or a sliding window accepts in its time. */
interface Span {
  readonly from: number
  readonly to: number
  readonly entries: readonly HistoryEntry[]
}

function spanOf(group: readonly HistoryEntry[], mine: readonly HistoryEntry[], limit: RateLimit): Span | undefined {
  const [first] = group
  const of = new Set(mine)
  const through = withoutStrays(group.filter((entry) => of.has(entry))).filter(({ status }) => status !== 429)
  // If the server accepts fewer requests than the limit, an error refuses the others, not the limit.
  if (!first || isFailing(through, limit)) return undefined
  const byEnd = through.toSorted((one, other) => one.endMs - other.endMs)
  const index = byEnd.findIndex(({ endMs }, at) => at >= maxAccepted(limit, endMs - first.startMs))
  const last = byEnd[index]
  return last && { from: first.startMs, to: last.endMs, entries: byEnd.slice(index) }
}

/** The number of requests that a bucket or a sliding window with its full budget accepts in a time. */
function maxAccepted({ requests, windowMs }: RateLimit, durationMs: number): number {
  return Math.floor(requests * (1 + durationMs / windowMs))
}

function isFailing(through: readonly HistoryEntry[], { requests }: RateLimit): boolean {
  return !through.every(isSuccess) && through.filter(isSuccess).length < requests * 0.9
}

/** Maximum share of the responses to requests at once that count as stray errors of a gateway. */
export const maxStrayShare = 0.1

/** Removes requests without a response, and errors of a gateway if they are few. Many of them count as responses of the server. */
function withoutStrays(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const answered = entries.filter(({ status }) => status > 0)
  const others = answered.filter((entry) => !isOfGateway(entry))
  return answered.length - others.length <= answered.length * maxStrayShare ? others : answered
}

/**
 * Returns what a burst on a pull zone shows of the limit of an operation. `exceeded`: too many requests were accepted, possibly across the
 * border of a fixed window. `slow`: the requests took too long to exceed the limit. `failing`: errors refused them before the limit did.
 * `limited`: the limit refused some of them. `silence`: none was answered.
 */
export function shownLimit(entries: readonly HistoryEntry[], operation: Operation, limit: RateLimit) {
  const mine = withoutStrays(entries.filter((entry) => entry.operation === operation))
  if (mine.length === 0) return 'silence'
  const through = mine.filter(({ status }) => status !== 429)
  if (isFailing(through, limit)) return 'failing'
  if (spanOf(entries, mine, limit)) return 'exceeded'
  return through.length < mine.length ? 'limited' : 'slow'
}

/** The refused requests that came alone, after the time that the refusals before them state. */
function refusedInVain({ limit, mine, own }: Traffic): readonly HistoryEntry[] {
  return mine.filter((entry) => {
    if (entry.status !== 429) return false
    const before = own.filter((other) => other !== entry && other.start < entry.end)
    const refusals = before.filter((other) => pauseOf(other) !== undefined)
    const last = Math.max(...refusals.map(({ end }) => end))
    // A request after the last refusal may have used up what the refusal promised.
    if (before.some(({ start, endMs }) => start > last || endMs > entry.startMs)) return false
    const pauses = refusals.map((other) => ({ endMs: other.endMs, pause: assertDefined(pauseOf(other)) }))
    const isDue = pauses.every(({ endMs, pause }) => !(endMs + pause.ms > entry.startMs))
    return isDue && pauses.length > 0 && pauses.every(({ pause }) => isTruePause(pause, limit))
  })
}

function pauseOf({ status, response, endMs }: HistoryEntry): StatedPause | undefined {
  return status === 429 && response ? statedPause(response, new Date(endMs)) : undefined
}
