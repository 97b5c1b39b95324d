/** Sends requests beyond the rate limit of a pull zone (§8). The judge of the rate reads them in the history. */
import { type Operation, operations, type RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'

import { call, credentialOf } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { Answered } from '../exchange/exchange.ts'
import { requireOrSkip, TargetUnavailable } from '../exchange/failure.ts'
import { isSuccess } from '../exchange/response.ts'
import { zoneOf } from '../rules/judge-rate.ts'

/** Pause between bursts, as a multiple of the window. After this pause, every kind of limiter has its full budget. */
export const quietWindows = 1.37
/** A limiter may treat a pull zone as new after this time without requests, in ms. */
const idleMs = 61_000

/** The operations with a rate limit: both versions of the logs. */
export const limitedOperations = operations.filter(({ rateLimit }) => rateLimit)

/**
 * Returns the pull zone for the bursts of an operation. If the fixtures have two pull zones, the operations use
 * different ones, so that their checks can run in parallel.
 */
export function burstZone({ fixtures }: CheckContext, { name }: Operation): string {
  const logged = requireOrSkip(fixtures.loggedZoneId, 'loggedZoneId')
  const index = limitedOperations.findIndex((operation) => operation.name === name)
  return index % 2 === 0 ? (fixtures.otherLoggedZoneId ?? logged) : logged
}

/**
 * Sends 4/3 of the permitted requests of each operation at once, after a rest. The caller makes sure with `context.alone` that no
 * other check uses the pull zone. The requests differ in scheme, size and search, because none of these matters to the limit.
 *
 * @param of operations, in the order of their requests
 * @param restMs time without requests before the burst; by default long enough for the full budget of every limiter
 */
export async function burst(
  context: CheckContext,
  zone: string,
  of: readonly Operation[],
  restMs?: number,
): Promise<readonly Answered[]> {
  const { requests, windowMs } = limitOf(assertDefined(of[0]))
  await context.rest(zone, restMs ?? windowMs * quietWindows)
  const count = Math.ceil((requests * 4) / 3)
  return sendAtOnce(
    context,
    zone,
    of.flatMap((operation) => repeatOperations(operation, count)),
    true,
  )
}

/** Sends a burst of all operations after a long rest, in which a limiter may drop its record of the pull zone. */
export async function idleBurst(context: CheckContext, zone: string): Promise<readonly Answered[]> {
  await sendAtOnce(context, zone, limitedOperations)
  return burst(context, zone, limitedOperations.toReversed(), idleMs)
}

/** The rate of a steady caller, as a multiple of the permitted rate. Such a caller shows limits that a burst does not show. */
const steadyShare = 5 / 3
/**
 * Maximum duration of a steady caller, as a multiple of the window. Every kind of limiter accepts requests again within this time.
 */
const maxShare = 2.4

export interface BurstResult {
  /** The responses to the burst, which may be of several operations. */
  readonly burst: readonly Answered[]
  /** All responses of the operation. */
  readonly all: readonly Answered[]
  /** The responses to the last requests at once. */
  readonly last: readonly Answered[]
}

/**
 * Sends a burst, then requests at `steadyShare` times the permitted rate, and finally a quarter of the permitted requests at once. The
 * steady requests end one window after the last refusal before a new success, after `maxShare` windows, or as soon as more than three
 * times the limit is accepted. A new fixed window accepts the last requests. A sliding window and a bucket accept few of them, because the
 * caller made no pause. In a live run, all checks share these requests, which begin with an `idleBurst` for the last operation.
 */
export function exceedLimit(context: CheckContext, operation: Operation): Promise<BurstResult> {
  const zone = burstZone(context, operation)
  const isIdle = !context.virtualClock && operation === limitedOperations.at(-1)
  const make = async () => {
    const from = context.history.length
    const first = await (isIdle ? idleBurst(context, zone) : burst(context, zone, [operation]))
    const { all, last } = await sendSteadily(context, operation, zone, from)
    return { burst: first, all: [...first.filter(({ sent }) => sent.operation === operation), ...all], last }
  }
  const send = () => context.alone([zone], make)
  return context.virtualClock ? send() : context.once(`requests beyond the limit of ${operation.name}`, send)
}

/** @param from number of exchanges in the history before the burst */
async function sendSteadily(context: CheckContext, operation: Operation, zone: string, from: number) {
  const { requests, windowMs } = limitOf(operation)
  const start = context.now().getTime()
  const isOver = () => {
    const now = context.now().getTime()
    const sent = context.history.slice(from).filter((entry) => entry.operation === operation && zoneOf(entry) === zone)
    const accepted = sent.filter(isSuccess)
    const refused = sent.filter(({ status }) => status === 429)
    const again = accepted.find(({ startMs }) => startMs > Math.max(start, refused[0]?.endMs ?? now))
    const last = again && refused.findLast(({ startMs }) => startMs < again.startMs)
    const isLong = now >= start + windowMs * maxShare || accepted.length > 3 * requests
    return isLong || (last !== undefined && now >= last.startMs + windowMs)
  }
  const pauseMs = windowMs / (requests * steadyShare)
  const all: Answered[] = []
  const pending: Promise<void>[] = []
  while (!isOver()) {
    await context.wait(pauseMs)
    const step = sendAtOnce(context, zone, [operation]).then((answers) => void all.push(...answers))
    // `Promise.all` below reports a rejection. Until then, it must not count as unhandled.
    step.catch(() => {})
    pending.push(step)
    // A virtual clock stands still while a request is handled.
    if (context.virtualClock) await step
  }
  await Promise.all(pending)
  await context.wait(2 * pauseMs)
  const last = await sendAtOnce(context, zone, repeatOperations(operation, Math.ceil(requests / 4)))
  return { all: [...all, ...last], last }
}

/**
 * Sends requests at once, and waits for all responses, including 429 and server errors. A request without a response is left out,
 * because it shows nothing about the limit.
 *
 * @param of the operation of each request
 * @param isMixed whether the requests differ in size, in search and, if the fixtures have a token, in scheme
 */
export async function sendAtOnce(
  context: CheckContext,
  zone: string,
  of: readonly Operation[],
  isMixed = false,
): Promise<readonly Answered[]> {
  const hasBearer = isMixed && context.fixtures.credentials.bearer !== undefined
  const one = (operation: Operation, index: number) => {
    const turn = isMixed ? of.slice(0, index).filter((other) => other === operation).length : 0
    const scheme = operation.schemes[hasBearer ? turn % operation.schemes.length : 0]
    const query = { ...shortResponse(operation, 1 + (Math.floor(turn / 2) % 4)), ...(turn % 6 > 3 && { search: 'a' }) }
    const credential = credentialOf(context, operation, assertDefined(scheme))
    const request = { path: { [limitOf(operation).per]: zone }, query, credential }
    return call(context, operation, request, { seeAnyStatus: true })
  }
  const results = await Promise.allSettled(of.map(one))
  for (const result of results)
    if (result.status === 'rejected' && !(result.reason instanceof TargetUnavailable)) throw result.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Returns a list of `count` operations, which take turns. */
export function repeatOperations(operation: Operation | readonly Operation[], count: number): Operation[] {
  const all = [operation].flat()
  return Array.from({ length: count }, (_, index) => assertDefined(all[index % all.length]))
}

function limitOf({ name, rateLimit }: Operation): RateLimit {
  return requireOrSkip(rateLimit, `rate limit of ${name}`)
}

/**
 * Returns a query for a response of few rows or lines, because a page or file can be of any size. Such a request counts
 * toward the limit, too (supplement).
 */
export function shortResponse(operation: Operation, size = 1): Record<string, string> {
  const isPaged = operation.parameters.some(({ name, in: place }) => place === 'query' && name === 'limit')
  return { [isPaged ? 'limit' : 'end']: String(size) }
}
