/**
 * Checks of the rate limit per pull zone (§8). They send requests, and the judge of the rate decides over all requests of the run. Errors
 * other than 429 fail a check, too.
 */
import type { Operation, RateLimit } from '@cdn/api/contract'
import {
  type BurstResult,
  burst,
  burstZone,
  exceedLimit,
  idleBurst,
  limitedOperations,
  quietWindows,
  repeatOperations,
  sendAtOnce,
} from '../cases/bursts.ts'
import { tellingHeaders } from '../cases/unspecified/point-check.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { Answered } from '../exchange/exchange.ts'
import { type Expected, Failure, oneStatus, Skip, success, TargetUnavailable } from '../exchange/failure.ts'
import { type ChecksOf, type Decides, type Decision, decide } from '../exchange/requirements.ts'
import { isOfGateway, isSuccess, isTruePause, seenStatus, statedPause } from '../exchange/response.ts'
import { judgeRate, maxStrayShare, type RateViolation, shownLimit } from '../rules/judge-rate.ts'

/** After this multiple of the stated window, the full budget must be available again. */
const nextShare = 1.03
const needs = ['loggedZoneId', 'credentials.accessKey'] as const

type Run = (context: CheckContext, operation: Operation, limit: RateLimit) => Promise<void>

/** Every permitted kind of limiter passes the checks. */
export const rateLimitChecks: ChecksOf = (operation) => {
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

type How = RateViolation['how']

const expectations: Readonly<Record<How, Expected>> = {
  below: oneStatus(['2XX'], 'a request below the rate limit'),
  zone: oneStatus(['2XX'], 'a request below the rate limit of its pull zone'),
  beyond: oneStatus([429], 'a request beyond the rate limit'),
  advice: success('a request after the time that Retry-After states'),
}

/** Returns how the requests of the run so far break limits. */
function brokenLimits(context: CheckContext): readonly RateViolation[] {
  const { history, since, virtualClock: isAlone } = context
  return judgeRate(history, { zones: zonesOf(context), since, isAlone })
}

function zonesOf({ fixtures: { loggedZoneId, otherLoggedZoneId } }: CheckContext): string[] {
  return [loggedZoneId, otherLoggedZoneId].filter((zone) => zone !== undefined)
}

/** @throws Failure if the limit of an operation is certainly broken in this way */
function expectNo(how: How, context: CheckContext, operation: Operation): void {
  const broken = brokenLimits(context).find((one) => one.operation === operation && one.how === how && one.isCertain)
  if (broken) throw failureOf(broken)
}

/** Shows the status that most of the requests got. */
function failureOf({ how, entries }: RateViolation): Failure {
  const alike = [...Map.groupBy(entries, ({ status }) => status).values()]
  const [most = entries] = alike.toSorted((one, other) => other.length - one.length)
  const response = most.findLast((entry) => entry.response)?.response
  const seen = response
    ? seenStatus(response)
    : ({ kind: 'status', status: most[0]?.status ?? 0, body: 'json' } as const)
  return new Failure(expectations[how], { ...seen, count: most.length }, { responses: response ? [response] : [] })
}

/**
 * Sends requests to a pull zone that no other check uses. If a refusal then has no reason, sends the requests again to each pull zone while
 * no other one is used, because other pull zones and other callers may be the reason.
 *
 * @throws Failure if the limit is certainly broken; Skip if refusals may have another reason
 */
async function onEachZone(
  context: CheckContext,
  [how, operation, limit]: readonly [How, Operation, RateLimit],
  first: string,
  play: (zone: string) => Promise<void>,
): Promise<void> {
  const zones = zonesOf(context)
  const reasons: readonly How[] = how === 'advice' ? [how] : ['below', 'zone']
  const isRefused = () =>
    brokenLimits(context).some((one) => one.operation === operation && one.zone === first && reasons.includes(one.how))
  await context.alone([first], () => play(first))
  expectNo(how, context, operation)
  if (!isRefused()) return
  for (const zone of [first, ...zones.filter((other) => other !== first)]) {
    await context.alone(zones, async () => {
      for (const one of zones) await context.rest(one, limit.windowMs * quietWindows)
      await play(zone)
    })
    expectNo(how, context, operation)
  }
  throw new Skip(`inconclusive: another caller seems to use the pull zone ${first}`)
}

/**
 * Verifies that requests below the limit get no error other than 429, except few errors of a gateway.
 *
 * @throws Failure if other errors refuse the requests; Skip if errors of a gateway refuse fewer than half of them
 */
function expectNoError(answers: readonly Answered[]): void {
  const [one, ...others] = answers.filter((answer) => !isSuccess(answer) && answer.status !== 429)
  const count = 1 + others.length
  const isStray = one && [one, ...others].every(isOfGateway) && count < answers.length / 2
  if (!one || (isStray && count <= answers.length * maxStrayShare)) return
  if (isStray) throw new Skip(`inconclusive: ${count} of ${answers.length} requests got an error of a gateway`)
  throw new Failure(expectations.below, { ...seenStatus(one), count }, { responses: [one] })
}

/** Groups of requests at once, each with the pause after it in ms. */
type Groups = readonly (readonly [of: readonly Operation[], pauseMs: number])[]

/** Sends groups of requests to a pull zone after a rest. */
async function sendGroups(context: CheckContext, zone: string, { windowMs }: RateLimit, groups: Groups) {
  await context.rest(zone, windowMs * quietWindows)
  const answers: Answered[] = []
  for (const [of, pauseMs] of groups) {
    answers.push(...(await sendAtOnce(context, zone, of)))
    await context.wait(pauseMs)
  }
  expectNoError(answers)
}

/**
 * A caller that exceeded the limit can use the full rate after a quiet period, whether or not refused requests count. The second round
 * detects a window that is longer than stated.
 */
async function accepted(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  await exceedLimit(context, operation)
  const all = repeatOperations(operation, limit.requests)
  const groups = [[all, limit.windowMs * nextShare] as const, [all, 0] as const]
  const play = (zone: string) => sendGroups(context, zone, limit, groups)
  await onEachZone(context, ['below', operation, limit], burstZone(context, operation), play)
}

/**
 * The share of the permitted rate at which a caller stays below the limit, and the sizes of its groups of requests for a limit of
 * 30 (§8). No window holds more than 28 of the requests.
 */
const belowShare = 0.85
const belowSizes = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 2, 8, 1, 3] as const

/**
 * A caller that stays below the limit is never refused, whether its requests come evenly or in groups. Both versions share the requests, on
 * the pull zone that need not be idle.
 */
async function below(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const { requests, windowMs } = limit
  const [first = operation] = limitedOperations
  const groups = belowSizes.map((each, index) => {
    const size = Math.max(1, Math.floor((each * requests) / 30))
    const inTurn = index % 2 === 0 ? limitedOperations : limitedOperations.toReversed()
    return [repeatOperations(inTurn, size), (size * windowMs) / (requests * belowShare)] as const
  })
  let isShared = !context.virtualClock
  await onEachZone(context, ['below', operation, limit], burstZone(context, first), async (zone) => {
    const send = () => sendGroups(context, zone, limit, groups)
    await (isShared ? context.once('requests below the limit', send) : send())
    isShared = false
  })
}

/** A request succeeds after the time that a refusal states in `Retry-After`. */
async function advised(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const isAdvice = ({ status, headers }: Answered) => status === 429 && headers.has('retry-after')
  // A burst is useful only if a refusal of the shared requests had `Retry-After`.
  const { all } = await exceedLimit(context, operation)
  if (!all.some(isAdvice)) throw new Skip('no refusal states Retry-After')
  await onEachZone(context, ['advice', operation, limit], burstZone(context, operation), async (zone) => {
    const answers = await burst(context, zone, [operation])
    const now = context.now()
    const pauses = answers.filter(isAdvice).flatMap((answer) => statedPause(answer, now) ?? [])
    if (pauses.length === 0) throw new Skip('no refusal of the burst states Retry-After')
    if (!pauses.every((pause) => isTruePause(pause, limit)))
      throw new Skip('Retry-After states no pause from 0 to one window of the limit')
    await context.wait(Math.max(0, ...pauses.map(({ ms }) => ms)))
    await sendAtOnce(context, zone, [operation])
  })
}

/**
 * The limit also applies to a caller that does not pause. This detects a limit or a window that differs slightly, and
 * a limiter that forgets earlier requests.
 */
async function steady(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const zone = burstZone(context, operation)
  const excess = await exceedLimit(context, operation)
  context.observe(`${operation.interface}.${operation.name}.rate-limit`, kindOfLimiter(excess, limit))
  const again = () => burst(context, zone, [operation])
  await context.alone([zone], () => expectLimited(context, operation, limit, excess.burst, again))
}

/** Returns what the requests of a steady caller show about the kind of limiter, which §8 does not specify. */
function kindOfLimiter({ all, last }: BurstResult, { requests, windowMs }: RateLimit): unknown {
  const refusal = all.find(({ status }) => status === 429)
  if (!refusal) return 'no request was refused'
  const headers = tellingHeaders(refusal)
  const times = all.filter(isSuccess).map(({ sent }) => sent.at.getTime())
  // A caller that does not pause is hardly ever accepted again if its refused requests count.
  if (times.length < requests * 1.5) return { headers, refusedRequests: 'counted' }
  const pauses = times.sort((a, b) => a - b).map((time, index) => time - (times[index - 1] ?? time))
  const other = Math.max(...pauses) < windowMs / 4 ? 'bucket' : 'sliding'
  return {
    headers,
    refusedRequests: 'not counted',
    window: last.filter(isSuccess).length > last.length / 2 ? 'fixed' : other,
  }
}

/**
 * The limit of an operation depends neither on requests to the other version nor on a long rest, after which a
 * limiter may have dropped its record of the pull zone. Whether the versions share a limit is unspecified.
 */
async function idle(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const { virtualClock } = context
  const last = limitedOperations.at(-1) ?? operation
  const zone = burstZone(context, last)
  const again = () => idleBurst(context, zone)
  const first = virtualClock ? await again() : (await exceedLimit(context, last)).burst
  const isShared = first.filter(isSuccess).length <= limit.requests * 1.5
  if (first.some(({ status }) => status === 429))
    context.observe('logging.rate-limit.buckets', isShared ? 'shared' : 'one each')
  await context.alone([zone], () => expectLimited(context, operation, limit, first, again))
}

/** Maximum number of bursts. A burst that crosses the border of a fixed window may exceed the limit; the next one crosses no border. */
const maxBursts = 3

/**
 * Sends bursts until one of them shows the limit.
 *
 * @throws Failure if the requests of the run exceed the limit of every kind of limiter; Skip if no burst shows the limit, because bursts
 *   took too long to exceed it or server errors refused them; TargetUnavailable if no request of a burst got a response
 */
async function expectLimited(
  context: CheckContext,
  operation: Operation,
  limit: RateLimit,
  first: readonly Answered[],
  again: () => Promise<readonly Answered[]>,
): Promise<void> {
  let answers = first
  for (let sent = 1; ; sent++) {
    expectNo('beyond', context, operation)
    const requests = new Set(answers.map(({ sent: { request } }) => request))
    const entries = context.history.filter(({ request }) => requests.has(request))
    const shown = shownLimit(entries, operation, limit)
    if (shown === 'silence') throw new TargetUnavailable('target unavailable: no request of a burst was answered')
    const strange = entries.find(({ status, operation: of }) => of === operation && status >= 300 && status !== 429)
    if (shown === 'failing') throw new Skip(`inconclusive: a burst was answered ${strange?.status}`)
    if (shown === 'limited') return
    if (sent === maxBursts) break
    answers = await again()
  }
  throw new Skip('inconclusive: bursts took too long to exceed the limit')
}

/** A burst on one pull zone does not use up the limit of the other one. Both versions share the requests. */
async function perZone(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  const [one = operation] = limitedOperations
  const zones = zonesOf(context)
  const spent = burstZone(context, one)
  const { requests, windowMs } = limit
  const first = zones.find((zone) => zone !== spent) ?? spent
  const spend = async (zone: string) => {
    await context.rest(zone, windowMs * quietWindows)
    const answers = await burst(context, zones.find((other) => other !== zone) ?? zone, limitedOperations)
    const others = await sendAtOnce(context, zone, repeatOperations(limitedOperations, requests))
    return { answers, others }
  }
  const send = () => context.alone(zones, () => spend(first))
  const { answers, others } = await (context.virtualClock
    ? send()
    : context.once('requests beyond the limit of another zone', send))
  const play = async (zone: string) => {
    if (zone !== first) await spend(zone)
    await context.rest(zone, windowMs * quietWindows)
    expectNoError(await sendAtOnce(context, zone, repeatOperations(operation, requests)))
  }
  expectNoError(others)
  const isRefused = brokenLimits(context).some(
    (one) => one.operation === operation && one.zone === first && one.how !== 'beyond',
  )
  if (isRefused) await onEachZone(context, ['zone', operation, limit], first, play)
  // A limit that was not reached on one pull zone cannot affect the other one.
  if (!answers.some(({ status, sent }) => status === 429 && sent.operation === operation))
    throw new Skip(`inconclusive: no request of a burst on the pull zone ${spent} was refused with 429`)
}
