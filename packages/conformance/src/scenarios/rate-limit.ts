import type { Operation, RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import {
  acceptedOf,
  burst,
  burstZone,
  durationOf,
  type LimitTrace,
  limitedOperations,
  limitTrace,
  maxAccepted,
  mostAfterRefusal,
  quietShare,
  refusedOf,
  repeated,
  sendAtOnce,
  type Trace,
  withoutStrays,
} from '../cases/bursts.ts'
import { tellingHeaders } from '../cases/unspecified/point-check.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { ReceivedResponse } from '../exchange/exchange.ts'
import {
  type Expected,
  expect,
  Failure,
  oneStatus,
  Skip,
  success,
  TargetUnavailable,
  wrong,
} from '../exchange/failure.ts'
import { type ChecksOf, type Decides, type Decision, decide } from '../exchange/requirements.ts'
import { isOfGateway, isSuccess, isTruePause, statedPause, statusOf } from '../exchange/response.ts'

/** After this multiple of the stated window, the full budget must be available again. */
const nextShare = 1.03
/** A limiter may treat a pull zone as new after this time without requests, in ms. */
const idleMs = 61_000
const needs = ['loggedZoneId', 'credentials.accessKey'] as const

type Run = (context: CheckContext, operation: Operation, limit: RateLimit) => Promise<void>

/** Checks of the rate limit per pull zone (§8). Every permitted kind of limiter passes them. */
export const rateLimit: ChecksOf = (operation) => {
  const limit = operation.rateLimit
  if (!limit) return []
  const check = (decides: Decides, run: Run, rest: Pick<Decision, 'needs'> = { needs }) =>
    decide(operation, { decides, burst: true, ...rest, run: (context) => run(context, operation, limit) })
  return [
    check('<interface>.rate-limit.accepted', accepted),
    check('<interface>.rate-limit.accepted/below', below),
    check('<operation>.retry-after/advice', advised),
    check('<interface>.rate-limit.429', steady),
    check('<interface>.rate-limit.429/idle', idle),
    check('<interface>.rate-limit.per-pull-zone', perZone, { needs: [...needs, 'otherLoggedZoneId'] }),
  ]
}

/**
 * Checks that a caller that exceeded the limit can use the full rate after a quiet period, whether or not refused requests count.
 */
function accepted(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  return onEitherZone(context, burstZone(context, operation), limit, async (zone) => {
    await limitTrace(context, operation, zone)
    await context.rest(zone, limit.windowMs * quietShare)
    await expectAccepted(context, operation, limit, zone)
    // The second round detects a window that is longer than stated.
    await context.wait(limit.windowMs * nextShare)
    await expectAccepted(context, operation, limit, zone)
  })
}

/**
 * Verifies a pull zone. If the fixtures have a second pull zone, a failure counts only if the second one fails, too: the server's limit is
 * the same for both, but another caller is unlikely to use both.
 *
 * @throws Failure of the second pull zone, or of the only one; Skip if only the first one fails
 */
async function onEitherZone(
  context: CheckContext,
  zone: string,
  limit: RateLimit,
  verify: (zone: string) => Promise<void>,
): Promise<void> {
  const alone = (one: string) => context.alone([one], () => verify(one))
  try {
    await alone(zone)
  } catch (error) {
    const other = otherZone(context, zone)
    if (other === zone || error instanceof Skip) throw error
    await alone(other)
    await context.wait(limit.windowMs)
    throw disturbed(zone)
  }
}

/**
 * The share of the permitted rate at which a caller stays below the limit, and the sizes of its groups of requests for a limit of
 * 30 (§8). No window holds more than 28 of the requests.
 */
const belowShare = 0.85
const groups = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 2, 8, 1, 3] as const

/** Maximum number of refusals below the limit that may have another cause. */
const maxStrayRefusals = 1

/** Checks that a caller that stays below the limit is never refused, whether its requests come evenly or in groups. */
async function below(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  // The requests of the whole run count, too. Another caller is unlikely to use both pull zones.
  const { loggedZoneId, otherLoggedZoneId } = context.fixtures
  const counts = [loggedZoneId, otherLoggedZoneId].map((zone) => (zone ? context.refusedBelowLimit(zone) : 0))
  const isRefused = counts.every((count) => count > maxStrayRefusals)
  const text = `${counts.join(' and ')} on the two pull zones`
  expect(!isRefused, belowLimit, wrong('requests below the limit are refused', { text }))
  // Both versions use this pull zone, because the check `idle` needs the other one without requests.
  const first = burstZone(context, assertDefined(limitedOperations[0]))
  return onEitherZone(context, first, limit, async (zone) => {
    await context.rest(zone, limit.windowMs * quietShare)
    const all: Trace[number][] = []
    for (const each of groups) {
      const size = Math.max(1, Math.floor((each * limit.requests) / 30))
      all.push(...(await sendAtOnce(context, zone, repeated(operation, size))))
      await context.wait((size * limit.windowMs) / (limit.requests * belowShare))
    }
    const refused = withoutStrays(all).filter(({ response }) => !isSuccess(response))
    expectNone(refused, belowLimit)
  })
}

/** Checks that a request succeeds after the time that a refusal states in `Retry-After`. */
function advised(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  return onEitherZone(context, burstZone(context, operation), limit, async (zone) => {
    // A burst is useful only if a refusal of the shared requests had `Retry-After`.
    const isTold = refusedOf((await limitTrace(context, operation, zone)).all).some(({ response }) =>
      response.headers.has('retry-after'),
    )
    const last = isTold ? refusedOf(await burst(context, zone, [operation])).at(-1) : undefined
    const pause = last && statedPause(last.response, new Date(last.answeredAt))
    if (!last || pause === undefined) throw new Skip('no refusal says when to come back')
    if (!isTruePause(pause, limit)) throw new Skip('Retry-After states no pause of the limiter')
    await context.wait(Math.max(0, last.answeredAt + pause.ms - context.now().getTime()))
    const [next] = withoutStrays(await sendAtOnce(context, zone, [operation]))
    const isAccepted = !next || isSuccess(next.response)
    if (!isAccepted) expectNone([next], success('a request after the time that Retry-After states'))
  })
}

const belowLimit = oneStatus(['2XX'], 'a request below the limit')

/** @throws Failure with the first of the refused requests */
function expectNone([first, ...others]: Trace, expected: Expected): void {
  if (!first) return
  const { response } = first
  throw new Failure(expected, { ...statusOf(response), count: 1 + others.length }, { responses: [response] })
}

/** A success beyond the limit. @param count number of accepted requests */
function tooMany(expected: Expected, response: ReceivedResponse, count: number): Failure {
  return new Failure(expected, { ...statusOf(response), count }, { responses: [response] })
}

/** Returns the other logged pull zone, or the same one if the fixtures have only one. */
function otherZone({ fixtures: { loggedZoneId, otherLoggedZoneId } }: CheckContext, zone: string): string {
  return [loggedZoneId, otherLoggedZoneId].find((id) => id !== undefined && id !== zone) ?? zone
}

function disturbed(zone: string): Skip {
  return new Skip(`inconclusive: another caller seems to use the pull zone ${zone}`)
}

/**
 * Sends exactly as many requests as the limit allows. All must be accepted, however long they take.
 *
 * @throws Skip if a gateway refused fewer than half of the requests, and nothing else refused any: that shows no limit
 */
async function expectAccepted(context: CheckContext, operation: Operation, limit: RateLimit, zone: string) {
  const trace = withoutStrays(await sendAtOnce(context, zone, repeated(operation, limit.requests)))
  const refused = trace.filter(({ response }) => !isSuccess(response))
  const isFew = refused.length > 0 && refused.length < trace.length / 2
  if (isFew && refused.every(({ response }) => isOfGateway(response)))
    throw new Skip(`inconclusive: ${refused.length} of ${trace.length} requests got an error of a gateway`)
  expectNone(refused, oneStatus(['2XX'], `one of the ${limit.requests} requests of a window`))
}

/**
 * Checks that the limit also applies to a caller that does not pause. This detects a limit or a window that differs slightly, and
 * a limiter that forgets earlier requests.
 */
async function steady(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const zone = burstZone(context, operation)
  await context.alone([zone], async () => {
    const trace = await limitTrace(context, operation, zone)
    context.observe(`${operation.interface}.${operation.name}.rate-limit`, kindOfLimiter(trace, limit))
    const again = () => burst(context, zone, [operation])
    const after = mostAfterRefusal(trace.all, limit)
    const [last] = acceptedOf(trace.all).slice(-1)
    if (after > limit.requests && last)
      throw tooMany(
        oneStatus([429], `a request beyond ${limit.requests} in a window after a 429`),
        last.response,
        after,
      )
    await expectLimited(limit, operation, [async () => trace.burst, again, again])
  })
}

/** Returns what the requests of a steady caller show about the kind of limiter, which §8 does not specify. */
function kindOfLimiter({ all, last }: LimitTrace, { requests, windowMs }: RateLimit): unknown {
  const [refusal] = refusedOf(all)
  if (!refusal) return 'no request was refused'
  const headers = tellingHeaders(refusal.response)
  const times = acceptedOf(all).map(({ sentAt }) => sentAt)
  // A caller that does not pause is hardly ever accepted again if its refused requests count.
  if (times.length < requests * 1.5) return { headers, refusedRequests: 'counted' }
  const pauses = times.sort((a, b) => a - b).map((time, index) => time - (times[index - 1] ?? time))
  const other = Math.max(...pauses) < windowMs / 4 ? 'bucket' : 'sliding'
  return {
    headers,
    refusedRequests: 'not counted',
    window: acceptedOf(last).length > last.length / 2 ? 'fixed' : other,
  }
}

/**
 * Checks that the limit of an operation depends neither on requests to the other version nor on a long rest, after which a
 * limiter may have dropped its record of the pull zone. Whether the versions share a limit is unspecified.
 */
async function idle(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const zone = burstZone(context, assertDefined(limitedOperations.at(-1)))
  const again = () => idleBurst(context, zone)
  await context.alone([zone], async () => {
    // The checks of both versions share the first burst.
    const first = await context.once(`burst after idling on ${zone}`, again)
    const isShared = acceptedOf(first).length <= maxAccepted(limit, first)
    if (refusedOf(first).length > 0) context.observe('logging.rate-limit.buckets', isShared ? 'shared' : 'one each')
    await expectLimited(limit, operation, [async () => first, again])
  })
}

async function idleBurst(context: CheckContext, zone: string): Promise<Trace> {
  await sendAtOnce(context, zone, limitedOperations)
  return burst(context, zone, limitedOperations, idleMs)
}

/**
 * Sends bursts until one of them shows the limit. A burst may cross the border of a fixed window. The next burst starts
 * at another place in the window, so it does not cross a border again.
 *
 * @throws Skip if no burst shows the limit, and one of them took too long to exceed it, or if server errors refused a burst before the
 *   limit; TargetUnavailable if no request of a burst got a response; Failure otherwise, if no burst shows the limit
 */
async function expectLimited(limit: RateLimit, { name }: Operation, rounds: readonly (() => Promise<Trace>)[]) {
  let failure: Failure | undefined
  const expected = oneStatus([429], `a request beyond ${limit.requests} of a burst`)
  let slowMs: number | undefined
  for (const round of rounds) {
    const trace = withoutStrays(await round()).filter(({ operation }) => operation.name === name)
    if (trace.length === 0) throw new TargetUnavailable('target unavailable: no request of a burst was answered')
    const max = maxAccepted(limit, trace)
    const through = acceptedOf(trace).length
    const strange = trace.find(({ response }) => !isSuccess(response) && response.status !== 429)?.response
    if (strange) {
      // The server accepted fewer requests than the limit allows, so a server error refused the rest, not the limit.
      if (through < limit.requests * 0.9) throw new Skip(`inconclusive: a burst was answered ${strange.status}`)
      failure ??= new Failure(expected, statusOf(strange), { responses: [strange] })
    } else if (max >= trace.length) slowMs = durationOf(trace)
    else if (through <= max) return
    else failure ??= tooMany(expected, assertDefined(acceptedOf(trace).at(-1)).response, through)
  }
  if (slowMs !== undefined) throw new Skip(`inconclusive: a burst took ${slowMs} ms, too long to exceed the limit`)
  if (failure) throw failure
}

/**
 * Checks that a burst on one pull zone does not use up the limit of the other one. If another caller uses the second zone,
 * requests to it are also refused without a burst on the first zone; then the check is inconclusive.
 */
async function perZone(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const spent = burstZone(context, operation)
  const zone = otherZone(context, spent)
  const rested = async () => context.rest(zone, limit.windowMs * quietShare)
  await context.alone([spent, zone], async () => {
    await rested()
    const spending = await burst(context, spent, [operation])
    try {
      await expectAccepted(context, operation, limit, zone)
    } catch (error) {
      if (context.virtualClock) throw error
      await rested()
      await expectAccepted(context, operation, limit, zone).catch(() => {
        throw disturbed(zone)
      })
      throw error
    }
    // A limit that was not reached on the first zone cannot affect the second one.
    if (refusedOf(spending).length === 0)
      throw new Skip(`inconclusive: no request of a burst on the pull zone ${spent} was refused with 429`)
  })
}
