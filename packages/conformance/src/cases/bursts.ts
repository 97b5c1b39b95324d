/** Sends requests beyond the rate limit of a pull zone (§8), and counts what a limiter accepted and refused. */
import { type Operation, operations, type RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'

import { call, credentialOf } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { Answered } from '../exchange/exchange.ts'
import { need, TargetUnavailable } from '../exchange/failure.ts'
import { isOfGateway, isSuccess } from '../exchange/response.ts'

/** Pause between bursts, as a multiple of the window. After this pause, every kind of limiter has its full budget. */
export const quietShare = 1.37

/** Requests to the logs in the order in which they were sent or answered, with times of the target's clock in ms. */
export type Trace = readonly {
  readonly operation: Operation
  readonly sentAt: number
  readonly answeredAt: number
  readonly response: Answered
}[]

/** The operations with a rate limit: both versions of the logs. */
export const limitedOperations = operations.filter(({ rateLimit }) => rateLimit)

/**
 * Returns the pull zone for the bursts of an operation. If the fixtures have two pull zones, the operations use
 * different ones, so that their checks can run in parallel.
 */
export function burstZone({ fixtures }: CheckContext, { name }: Operation): string {
  const logged = need(fixtures.loggedZoneId, 'loggedZoneId')
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
): Promise<Trace> {
  const { requests, windowMs } = limitOf(assertDefined(of[0]))
  await context.rest(zone, restMs ?? windowMs * quietShare)
  const count = Math.ceil((requests * 4) / 3)
  return sendAtOnce(
    context,
    zone,
    of.flatMap((operation) => repeated(operation, count)),
    true,
  )
}

/** The rate of a steady caller, as a multiple of the permitted rate. Such a caller shows limits that a burst does not show. */
const steadyShare = 5 / 3
/**
 * Maximum duration of a steady caller, as a multiple of the window. Every kind of limiter accepts requests again within this time.
 */
const maxShare = 2.4

/** A burst, and the requests of a caller that then goes on without a pause. */
export type LimitTrace = Awaited<ReturnType<typeof limitTrace>>

/**
 * Sends a burst, then requests at `steadyShare` times the permitted rate, and finally a quarter of the permitted requests at once. The
 * steady requests end one window after the last refusal before a new success, after `maxShare` windows, or as soon as more than three
 * times the limit is accepted. All checks of a run share these requests. A new fixed window accepts the last requests. A sliding window
 * and a bucket accept few of them, because the caller made no pause.
 *
 * @returns the burst, all requests, and the last ones
 */
export function limitTrace(context: CheckContext, operation: Operation, zone: string) {
  const { requests, windowMs } = limitOf(operation)
  return context.once(`trace of ${operation.name} on ${zone}`, async () => {
    const first = await burst(context, zone, [operation])
    const all = [...first]
    const start = context.now().getTime()
    const isOver = () => {
      const now = context.now().getTime()
      const accepted = acceptedOf(all)
      const refused = refusedOf(all)
      const again = accepted.find(({ sentAt }) => sentAt > Math.max(start, refused[0]?.answeredAt ?? now))
      const last = again && refused.findLast(({ sentAt }) => sentAt < again.sentAt)
      const isLong = now >= start + windowMs * maxShare || accepted.length > 3 * requests
      return isLong || (last !== undefined && now >= last.sentAt + windowMs)
    }
    const pauseMs = windowMs / (requests * steadyShare)
    const pending: Promise<void>[] = []
    while (!isOver()) {
      await context.wait(pauseMs)
      const step = sendAtOnce(context, zone, [operation]).then((sent) => void all.push(...sent))
      // `Promise.all` below reports a rejection. Until then, it must not count as unhandled.
      step.catch(() => {})
      pending.push(step)
      // A virtual clock stands still while a request is handled.
      if (context.virtualClock) await step
    }
    await Promise.all(pending)
    await context.wait(2 * pauseMs)
    const last = await sendAtOnce(context, zone, repeated(operation, Math.ceil(requests / 4)))
    return { burst: first, all: [...all, ...last], last }
  })
}

/**
 * Sends requests at once, and waits for all responses, including 429 and server errors. A request without a response is left out,
 * because it shows nothing about the limit.
 *
 * @param of the operation of each request
 * @param isMixed whether the requests differ in size and search; each is sent twice, with both schemes if the fixtures have a token
 */
export async function sendAtOnce(
  context: CheckContext,
  zone: string,
  of: readonly Operation[],
  isMixed = false,
): Promise<Trace> {
  const hasBearer = isMixed && context.fixtures.credentials.bearer !== undefined
  const one = async (operation: Operation, index: number) => {
    const turn = isMixed ? of.slice(0, index).filter((other) => other === operation).length : 0
    const scheme = operation.schemes[hasBearer ? turn % operation.schemes.length : 0]
    const query = { ...shortResponse(operation, 1 + (Math.floor(turn / 2) % 4)), ...(turn % 6 > 3 && { search: 'a' }) }
    const credential = credentialOf(context, operation, assertDefined(scheme))
    const sentAt = context.now().getTime()
    const request = { path: { [limitOf(operation).per]: zone }, query, credential }
    const response = await call(context, operation, request, { seeAnyStatus: true })
    return { operation, sentAt, answeredAt: context.now().getTime(), response }
  }
  const results = await Promise.allSettled(of.map(one))
  for (const result of results)
    if (result.status === 'rejected' && !(result.reason instanceof TargetUnavailable)) throw result.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Returns a list that holds an operation `count` times. */
export function repeated(operation: Operation, count: number): Operation[] {
  return Array.from({ length: count }, () => operation)
}

/** Maximum share of the responses of a trace that count as stray errors of a gateway. */
const maxStrayShare = 0.1

/** Removes errors of a gateway if they are few. Many of them count as responses of the server, perhaps instead of 429. */
export function withoutStrays(trace: Trace): Trace {
  const others = trace.filter(({ response }) => !isOfGateway(response))
  return trace.length - others.length <= trace.length * maxStrayShare ? others : trace
}

export function acceptedOf(trace: Trace): Trace {
  return trace.filter(({ response }) => isSuccess(response))
}

/** The requests that were refused with 429. */
export function refusedOf(trace: Trace): Trace {
  return trace.filter(({ response }) => response.status === 429)
}

function limitOf({ name, rateLimit }: Operation): RateLimit {
  return need(rateLimit, `rate limit of ${name}`)
}

/** Returns the time from the first request to the last response, in ms. */
export function durationOf(trace: Trace): number {
  return Math.max(...trace.map(({ answeredAt }) => answeredAt)) - Math.min(...trace.map(({ sentAt }) => sentAt))
}

/**
 * Returns the maximum number of requests of a burst that a conformant server accepts: the budget of one window, and what
 * a bucket or a sliding window adds during the burst. A burst that crosses the border of a fixed window may exceed it.
 */
export function maxAccepted({ requests, windowMs }: RateLimit, trace: Trace): number {
  return Math.floor(requests * (1 + durationOf(trace) / windowMs))
}

/**
 * Returns the maximum number of requests that were surely accepted after a refusal and within one window of it. At the
 * refusal, a fixed or sliding window was used up and a bucket was empty, so no kind of limiter accepts more than the limit.
 */
export function mostAfterRefusal(trace: Trace, { windowMs }: RateLimit): number {
  const accepted = acceptedOf(trace)
  const counts = refusedOf(trace).map(
    ({ sentAt, answeredAt }) =>
      accepted.filter((other) => other.sentAt > answeredAt && other.answeredAt < sentAt + windowMs).length,
  )
  return Math.max(0, ...counts)
}

/**
 * Returns a query for a response of few rows or lines, because a page or file can be of any size. Such a request counts
 * toward the limit, too (supplement).
 */
export function shortResponse(operation: Operation, size = 1): Record<string, string> {
  const isPaged = operation.parameters.some(({ name, in: place }) => place === 'query' && name === 'limit')
  return { [isPaged ? 'limit' : 'end']: String(size) }
}
