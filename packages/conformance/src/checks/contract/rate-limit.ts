import type { Operation, RateLimit } from '@cdn/api/contract'
import { describeResponse, expectSuccess, isSuccess } from '../../core/answer.ts'
import {
  answersInBurst,
  type Burst,
  burst,
  burstZone,
  maxAccepted,
  otherZone,
  quietShare,
  sendAtOnce,
  shortAnswer,
} from '../../core/bursts.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import { type ContractChecks, type Drafted, draft } from './contract-checks.ts'

/** A window is at most as long as stated: after this share of it, the full budget is available again. */
const nextShare = 1.03
const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** The rate limit per pull zone (§8), tested so that every permitted kind of limiter passes. */
export const rateLimit: ContractChecks = (operation) => {
  const limit = operation.rateLimit
  if (!limit) return []
  return [
    accepted(operation, limit),
    acceptedAgain(operation, limit),
    exceeded(operation, limit),
    perCredential(operation, limit),
    steady(operation, limit),
    ...callers.map((caller) => sustained(operation, limit, caller)),
    perZone(operation, limit),
  ]
}

function accepted(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.accepted',
    topic: 'rate-limit.accepted',
    text: `${limit.requests} requests within ${limit.windowMs} ms are accepted.`,
    burst: true,
    needs,
    run: (context) =>
      context.virtualClock
        ? unlessDisturbed(context, operation, limit, (zone) => acceptedTwice(context, operation, limit, zone))
        : afterBurst(context, operation, limit),
  })
}

/** A caller that exceeded the limit is accepted again after a quiet period, whether or not refused requests count. */
function acceptedAgain(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.accepted',
    topic: 'rate-limit.accepted',
    aspect: 'after-429',
    text: `${limit.requests} requests within ${limit.windowMs} ms are accepted.`,
    burst: true,
    needs,
    run: (context) => afterBurst(context, operation, limit),
  })
}

/**
 * Serves two checks on a live target: a full window that is accepted twice after a burst is accepted without one,
 * too.
 */
function afterBurst(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  return context.once(`accepted by ${operation.name}`, () =>
    unlessDisturbed(context, operation, limit, async (zone) => {
      await context.alone([zone], () => answersInBurst(context, operation, zone))
      await acceptedTwice(context, operation, limit, zone)
    }),
  )
}

function acceptedTwice(context: CheckContext, operation: Operation, limit: RateLimit, zone: string): Promise<void> {
  return context.alone([zone], async () => {
    await context.rest(zone, limit.windowMs * quietShare)
    await expectAccepted(context, operation, limit, zone)
    // The second round detects a window that is longer than stated.
    await context.wait(limit.windowMs * nextShare)
    await expectAccepted(context, operation, limit, zone)
  })
}

/** Sends exactly as many requests as the limit allows, so all must be accepted however long they take. */
async function expectAccepted(context: CheckContext, operation: Operation, limit: RateLimit, zone: string) {
  const { answers } = await sendAtOnce(context, operation, limit.requests, { zone })
  const refused = answers.filter((answer) => !isSuccess(answer))
  expect(
    refused.length === 0,
    `${limit.requests} successes after quiet`,
    () => `${refused.length} refused, the first with ${refused[0] ? describeResponse(refused[0]) : 'nothing'}`,
  )
}

/**
 * Verifies the limit on one pull zone, and on another one if that fails. The server's limit is the same for both, but
 * another caller hardly uses both.
 *
 * @throws Skip if the second pull zone passes although the first one failed
 */
async function unlessDisturbed(
  context: CheckContext,
  operation: Operation,
  { windowMs }: RateLimit,
  verify: (zone: string) => Promise<void>,
): Promise<void> {
  const zone = burstZone(context, operation)
  try {
    await verify(zone)
  } catch (error) {
    const other = otherZone(context, zone)
    if (other === undefined) throw error
    await verify(other)
    await context.wait(windowMs)
    throw new Skip(
      `inconclusive: ${operation.name} accepts the full rate on the pull zone ${other}, so another caller seems to use ${zone}`,
    )
  }
}

function exceeded(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.429',
    topic: 'rate-limit.429',
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs,
    run: async (context) => {
      const zone = burstZone(context, operation)
      await context.alone([zone], () =>
        expectLimited(limit, [
          () => answersInBurst(context, operation, zone),
          () => burst(context, operation, zone),
          () => burst(context, operation, zone),
        ]),
      )
    },
  })
}

/** The limit belongs to the pull zone and does not depend on the credentials of the callers. */
function perCredential(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.429',
    topic: 'rate-limit.429',
    aspect: 'credentials',
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs: [...needs, 'credentials.bearer'],
    run: async (context) => {
      const zone = burstZone(context, operation)
      const round = () => burst(context, operation, zone, { bothSchemes: true })
      await context.alone([zone], () => expectLimited(limit, [round, round, round]))
    },
  })
}

/**
 * Sends bursts until one of them shows the limit. One burst may cross the border of a fixed window; the next one
 * starts at another place in the window and cannot.
 *
 * @throws Skip if all bursts took too long to exceed the limit
 */
async function expectLimited(limit: RateLimit, rounds: readonly (() => Promise<Burst>)[]): Promise<void> {
  const seen: string[] = []
  let slow: Burst | undefined
  for (const round of rounds) {
    const result = await round()
    const { answers, tookMs } = result
    const strange = answers.find((answer) => !isSuccess(answer) && answer.status !== 429)
    const through = answers.filter(isSuccess).length
    if (strange) {
      // Fewer accepted than the limit allows: a server error, not the rate limit, refused the rest.
      if (through < limit.requests * 0.9) throw new Skip(`inconclusive: a burst was answered ${strange.status}`)
      seen.push(`${describeResponse(strange)} beyond ${through} requests`)
    } else if (maxAccepted(limit, tookMs) >= answers.length) slow = result
    else if (through <= maxAccepted(limit, tookMs)) return
    else seen.push(`${through} of ${answers.length} accepted`)
  }
  if (slow) throw new Skip(`inconclusive: a burst took ${slow.tookMs} ms, too long to exceed the limit`)
  expect(false, `at most ${limit.requests} requests of a burst accepted and the others answered 429`, seen.join('; '))
}

/** How long a caller continues, as a share of the window, and in how many batches of how many requests. */
const steadyShare = 1.8
const steadyBatches = 18
const perBatch = 8

/**
 * The limit holds as long as a caller does not pause. If a caller sends for several windows, at most one budget per
 * window that begins or ends in that time may get through. This holds for every kind of window, and detects a window
 * of one second.
 */
function steady(operation: Operation, limit: RateLimit): Drafted {
  return draft(operation, {
    slug: 'rate-limit.429',
    topic: 'rate-limit.429',
    aspect: 'steady',
    text: 'Requests beyond the rate limit are answered 429.',
    burst: true,
    needs,
    run: async (context) => {
      const zone = burstZone(context, operation)
      await context.alone([zone], async () => {
        const start = context.now().getTime()
        const batches: Promise<Burst>[] = []
        for (let batch = 0; batch < steadyBatches; batch++) {
          await context.wait((limit.windowMs * steadyShare) / steadyBatches)
          batches.push(sendAtOnce(context, operation, perBatch, { zone }))
        }
        const answers = (await Promise.all(batches)).flatMap((batch) => batch.answers)
        const windows = Math.floor((context.now().getTime() - start) / limit.windowMs) + 2
        const max = windows * limit.requests
        if (max >= answers.length) throw new Skip('inconclusive: the answers took too long to exceed the limit')
        const through = answers.filter(isSuccess).length
        expect(through <= max, `at most ${max} requests through in ${windows} windows`, `${through}`)
      })
    },
  })
}

/**
 * Callers that never pause: for how many windows they continue, and how long they wait after a 429, as a share of the
 * window.
 */
const callers = [
  { aspect: 'sustained', windows: 30, waitShare: 1 },
  // A retry that is slightly early detects a window that is shorter than stated.
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
      const max = (windows + 1) * limit.requests
      let through = 0
      while (context.now().getTime() < end && through <= max) {
        const answer = await call(context, operation, { query: shortAnswer(operation) }, { seeRateLimit: true })
        if (isSuccess(answer)) through++
        else await context.wait(limit.windowMs * waitShare)
      }
      expect(through <= max, `at most ${max} requests through in ${windows} windows`, `${through}`)
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
      const spent = burstZone(context, operation)
      const zone = otherZone(context, spent) ?? spent
      await context.alone([spent, zone], async () => {
        await context.rest(zone, limit.windowMs * quietShare)
        await burst(context, operation, spent)
        const { answers } = await sendAtOnce(context, operation, limit.requests, { zone })
        if (context.virtualClock || answers.every(isSuccess)) for (const answer of answers) expectSuccess(answer)
        else await expectUndisturbed(context, operation, limit, zone)
      })
    },
  })
}

/**
 * Another caller of the second pull zone may cause the refusals. Then it is refused without a burst on the first one,
 * too.
 */
async function expectUndisturbed(context: CheckContext, operation: Operation, limit: RateLimit, zone: string) {
  await context.rest(zone, limit.windowMs * quietShare)
  const { answers } = await sendAtOnce(context, operation, limit.requests, { zone })
  if (!answers.every(isSuccess)) throw new Skip(`inconclusive: another caller seems to use the pull zone ${zone}`)
  expect(false, `${limit.requests} successes for another pull zone`, 'refusals, which did not come without a burst')
}
