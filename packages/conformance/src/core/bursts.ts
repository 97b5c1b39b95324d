/** Deliberate bursts of requests beyond the rate limit of a pull zone (§8). */
import { type Operation, operations, type RateLimit } from '@cdn/api/contract'
import { isOfGateway, isSuccess, type ReceivedResponse } from './answer.ts'
import { call, credentialOf } from './call.ts'
import type { CheckContext } from './check.ts'
import { need, Skip, TargetUnavailable } from './failure.ts'

/** Pause between bursts, as a share of the window. After this pause, every kind of limiter has its full budget. */
export const quietShare = 1.37

/** The answers to requests that were sent at the same time. */
export interface Burst {
  readonly answers: readonly ReceivedResponse[]
  /** From the first request to the last answer, in ms of the target's clock. */
  readonly tookMs: number
}

interface BurstOptions {
  /** The pull zone; `loggedZoneId` by default. */
  readonly zone?: string
  /** Whether requests alternate between the operation's schemes. */
  readonly bothSchemes?: boolean
}

const limitedNames = operations.filter(({ rateLimit }) => rateLimit).map(({ name }) => name)

/**
 * Returns the pull zone for the bursts of an operation. If the fixtures have two pull zones, the operations use
 * different ones, so that their checks can run in parallel.
 */
export function burstZone({ fixtures }: CheckContext, operation: Operation): string {
  const logged = need(fixtures.loggedZoneId, 'loggedZoneId')
  return limitedNames.indexOf(operation.name) % 2 === 0 ? (fixtures.otherLoggedZoneId ?? logged) : logged
}

/** The other logged pull zone, if the fixtures have two. */
export function otherZone({ fixtures: { loggedZoneId, otherLoggedZoneId } }: CheckContext, zone: string) {
  return [loggedZoneId, otherLoggedZoneId].find((id) => id !== undefined && id !== zone)
}

/**
 * Sends 4/3 of the permitted requests at once, after a rest that gives every kind of limiter its full budget. No other
 * check uses the pull zone during this time.
 */
export async function burst(
  context: CheckContext,
  operation: Operation,
  zone: string,
  options: Omit<BurstOptions, 'zone'> = {},
): Promise<Burst> {
  const limit = need(operation.rateLimit, `rate limit of ${operation.name}`)
  await context.rest(zone, limit.windowMs * quietShare)
  return sendAtOnce(context, operation, Math.ceil((limit.requests * 4) / 3), { ...options, zone })
}

/** Returns the answers of one burst. All checks of a run that only inspect answers share this burst. */
export function answersInBurst(context: CheckContext, operation: Operation, zone: string): Promise<Burst> {
  return context.once(`burst of ${operation.name} on ${zone}`, () => burst(context, operation, zone))
}

/**
 * Sends requests at once and waits for all answers, including 429 and server errors.
 *
 * @throws Skip if a connection broke or a gateway answered a few of the requests, because then the burst shows no limit
 */
export async function sendAtOnce(
  context: CheckContext,
  operation: Operation,
  requests: number,
  { zone, bothSchemes = false }: BurstOptions = {},
): Promise<Burst> {
  const limit = need(operation.rateLimit, `rate limit of ${operation.name}`)
  const path = zone === undefined ? {} : { [limit.per]: zone }
  const one = (index: number) => {
    const scheme = operation.schemes[index % operation.schemes.length]
    const credential =
      bothSchemes && scheme !== undefined ? { credential: credentialOf(context, operation, scheme) } : {}
    return call(context, operation, { path, query: shortAnswer(operation), ...credential }, { seeAnyStatus: true })
  }
  const start = context.now().getTime()
  const results = await Promise.allSettled(Array.from({ length: requests }, (_, index) => one(index)))
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed && !(failed.reason instanceof TargetUnavailable)) throw failed.reason
  const byGateway = answers.filter(isOfGateway).length
  // More of them are how the server answers, perhaps instead of 429.
  if (failed || (byGateway > 0 && byGateway <= requests * maxStrayShare))
    throw new Skip('inconclusive: a gateway or a broken connection disturbed a burst')
  return { answers, tookMs: context.now().getTime() - start }
}

/** Maximum share of the answers of a burst that count as stray errors of a gateway. */
const maxStrayShare = 0.1

/**
 * Returns the maximum number of requests of a burst that a conformant server accepts: the budget of one window, and what
 * a bucket or a sliding window adds during the burst.
 */
export function maxAccepted({ requests, windowMs }: RateLimit, tookMs: number): number {
  return Math.floor(requests * (1 + tookMs / windowMs))
}

export function refusalIn({ answers }: Burst): ReceivedResponse | undefined {
  return answers.find((answer) => !isSuccess(answer) && answer.status === 429)
}

/**
 * Returns a query for an answer of one row or line, because a page or file can be of any size. A request for one row or
 * line counts toward the limit, too (supplement).
 */
export function shortAnswer(operation: Operation): Record<string, string> {
  return operation.parameters.some(({ name, in: place }) => place === 'query' && name === 'limit')
    ? { limit: '1' }
    : { end: '1' }
}
