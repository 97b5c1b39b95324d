import type { Operation, RateLimit } from '@cdn/api/contract'
import { type Answer, describe, expectSuccess, isSuccess } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { expect, need, Skip } from '../failure.ts'
import { type Drafted, draft, type Law } from './law.ts'

/** A burst must be this short, as a share of the window, to be fair to a sliding window, a fixed one and a bucket. */
const burstShare = 0.03
/** Bursts this far apart, in windows, find a full budget whatever the kind of limit. */
const restShare = 1.37

/** The rate limit per pull zone (§8), in the form that no permitted kind of limiter can fail. */
export const rateLimit: Law = (operation) => {
  const limit = operation.rateLimit
  if (!limit) return []
  return [
    accepted(operation, limit),
    acceptedAgain(operation, limit),
    exceeded(operation, limit),
    ...callers.map((caller) => sustained(operation, limit, caller)),
    perZone(operation, limit),
  ]
}

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

function accepted(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.accepted',
    topic: 'rate-limit.accepted',
    text: `${limit.requests} requests within ${limit.windowMs} ms are accepted.`,
    burst: true,
    needs,
    run: async (context) => {
      // The second round shows that a window is not longer than stated.
      for (const restMs of [limit.windowMs * restShare, limit.windowMs * (1 + burstShare)]) {
        await context.wait(restMs)
        const answers = await send(context, operation, limit.requests)
        const refused = answers.filter((answer) => !isSuccess(answer))
        expect(
          refused.length === 0,
          `${limit.requests} successes after ${restMs} ms of quiet`,
          () => `${refused.length} refused, the first with ${describe(refused[0] as Answer)}`,
        )
      }
    },
  })
}

/** Whoever asked too often gets through again after some quiet, whether refused requests count or not. */
function acceptedAgain(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.accepted',
    topic: 'rate-limit.accepted',
    aspect: 'after-429',
    text: `${limit.requests} requests within ${limit.windowMs} ms are accepted.`,
    burst: true,
    needs,
    run: async (context) => {
      await burst(context, operation)
      await context.wait(limit.windowMs * restShare)
      for (const answer of await send(context, operation, limit.requests)) expectSuccess(answer)
    },
  })
}

function exceeded(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.429',
    topic: 'rate-limit.429',
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs,
    run: async (context) => {
      const most = limit.requests * (1 + burstShare)
      let fewest = Number.POSITIVE_INFINITY
      for (let round = 0; round < 3; round++) {
        const answers = await burst(context, operation)
        const strange = answers.find((answer) => !isSuccess(answer) && answer.status !== 429)
        expect(strange === undefined, 'successes and 429 only', () => describe(strange as Answer))
        fewest = Math.min(fewest, answers.filter(isSuccess).length)
      }
      expect(fewest <= most, `at most ${most} of a burst accepted`, `${fewest} accepted in each of three bursts`)
    },
  })
}

/** Callers that never rest: how many windows they go on, and how long they wait after a 429, as a share of the window. */
const callers = [
  { aspect: 'sustained', windows: 30, waitShare: 1 },
  // Asking again a little too early finds a window that is shorter than stated.
  { aspect: 'window', windows: 10, waitShare: 0.9 },
] as const

function sustained(
  operation: Operation,
  limit: RateLimit,
  { aspect, windows, waitShare }: (typeof callers)[number],
): Drafted {
  return draft(operation, {
    slug: 'rate-limit.429',
    topic: 'rate-limit.429',
    aspect,
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const end = context.now().getTime() + windows * limit.windowMs
      const most = (windows + 1) * limit.requests
      let through = 0
      while (context.now().getTime() < end && through <= most) {
        const answer = await call(context, operation, { query: shortAnswer(operation) }, { seeRateLimit: true })
        if (isSuccess(answer)) through++
        else await context.wait(limit.windowMs * waitShare)
      }
      expect(through <= most, `at most ${most} requests through in ${windows} windows`, `${through}`)
    },
  })
}

function perZone(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.per-pull-zone',
    topic: 'rate-limit.per-pull-zone',
    text: 'The rate limit of a pull zone does not touch another pull zone.',
    burst: true,
    needs: [...needs, 'otherLoggedZoneId'],
    run: async (context) => {
      const pullZoneId = need(context.fixtures.otherLoggedZoneId, 'otherLoggedZoneId')
      await burst(context, operation)
      const answers = await send(context, operation, limit.requests, { pullZoneId })
      for (const answer of answers) expectSuccess(answer)
    },
  })
}

/**
 * Sends 4/3 of the permitted requests at once, after a rest that leaves any kind of limiter with its full budget.
 *
 * @returns the answers, 429 among them
 * @throws Skip when the burst took too long to prove anything
 */
export async function burst(context: CheckContext, operation: Operation): Promise<Answer[]> {
  const limit = need(operation.rateLimit, `rate limit of ${operation.name}`)
  await context.wait(limit.windowMs * restShare)
  return send(context, operation, Math.ceil((limit.requests * 4) / 3))
}

async function send(
  context: CheckContext,
  operation: Operation,
  requests: number,
  path: Record<string, string> = {},
): Promise<Answer[]> {
  const allowedMs = need(operation.rateLimit, `rate limit of ${operation.name}`).windowMs * burstShare
  // Measured on the target's clock: on a virtual one a burst takes no time, however slow the machine is.
  const start = context.now().getTime()
  const one = () => call(context, operation, { path, query: shortAnswer(operation) }, { seeRateLimit: true })
  const answers = await Promise.all(Array.from({ length: requests }, one))
  const tookMs = context.now().getTime() - start
  if (tookMs > allowedMs) throw new Skip(`inconclusive: the burst took ${tookMs} ms, more than ${allowedMs} ms`)
  return answers
}

/** A day file can be of any size; two lines of it count as a request all the same (supplement). */
function shortAnswer(operation: Operation): Record<string, string> {
  return operation.name === 'read-log-file' ? { end: '1' } : {}
}
