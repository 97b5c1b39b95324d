import type { Operation, RateLimit } from '@cdn/api/contract'
import { describeResponse, expectSuccess, isSuccess, type ReceivedResponse } from '../../core/answer.ts'
import {
  answersInBurst,
  type Burst,
  burst,
  burstZone,
  maxAccepted,
  otherZone,
  quietShare,
  refusalIn,
  sendAtOnce,
  shortAnswer,
} from '../../core/bursts.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import { type ContractChecks, type Drafted, draft } from './contract-checks.ts'

/** After this share of the stated window, the full budget must be available again. */
const nextShare = 1.03
const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Checks of the rate limit per pull zone (§8). Every permitted kind of limiter passes them. */
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

/** After a quiet period, a caller that exceeded the limit is accepted again, whether or not refused requests count. */
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
 * Serves two checks on a live target. If a full window is accepted twice after a burst, it is also accepted without a
 * burst.
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

/** Sends exactly as many requests as the limit allows. All must be accepted, however long they take. */
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
 * Verifies the limit on one pull zone. If that fails, verifies it on a second pull zone. The server's limit is the same
 * for both zones, but another caller is unlikely to use both.
 *
 * @throws Skip if the first pull zone fails and the second one passes
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
 * Sends bursts until one of them shows the limit. A burst may cross the border of a fixed window. The next burst starts
 * at another place in the window, so it does not cross a border again.
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
      // The server accepted fewer requests than the limit allows, so a server error refused the rest, not the limit.
      if (through < limit.requests * 0.9) throw new Skip(`inconclusive: a burst was answered ${strange.status}`)
      seen.push(`${describeResponse(strange)} beyond ${through} requests`)
    } else if (maxAccepted(limit, tookMs) >= answers.length) slow = result
    else if (through <= maxAccepted(limit, tookMs)) return
    else seen.push(`${through} of ${answers.length} accepted`)
  }
  if (slow) throw new Skip(`inconclusive: a burst took ${slow.tookMs} ms, too long to exceed the limit`)
  expect(false, `at most ${limit.requests} requests of a burst accepted and the others answered 429`, seen.join('; '))
}

/** How long a caller sends, as a share of the window; the number of batches; the number of requests per batch. */
const steadyShare = 1.8
const steadyBatches = 18
const perBatch = 8

/**
 * The limit also applies to a caller that does not pause. While a caller sends, the maximum is one budget for each
 * window that begins or ends in that time. This maximum is right for every kind of window, and detects a window of one
 * second.
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
        // Without a rest, an earlier burst would have spent the budget of the first batches.
        await context.rest(zone, limit.windowMs * quietShare)
        const start = context.now().getTime()
        const batches: Promise<Burst>[] = []
        for (let batch = 0; batch < steadyBatches; batch++) {
          await context.wait((limit.windowMs * steadyShare) / steadyBatches)
          const batch = sendAtOnce(context, operation, perBatch, { zone })
          // `Promise.all` below reports a rejection. Until then, it must not count as unhandled.
          batch.catch(() => {})
          batches.push(batch)
        }
        const answers = (await Promise.all(batches)).flatMap((batch) => batch.answers)
        const windows = Math.floor((context.now().getTime() - start) / limit.windowMs) + 2
        const max = windows * limit.requests
        if (max >= answers.length) throw new Skip('inconclusive: the answers took too long to exceed the limit')
        const through = answers.filter(isSuccess).length
        if (through <= max) skipIfRefusedOtherwise(answers)
        expect(through <= max, `at most ${max} requests through in ${windows} windows`, `${through}`)
      })
    },
  })
}

/** Skips the check if another error than a 429 refused a request. Such a refusal shows nothing about the limit. */
function skipIfRefusedOtherwise(answers: readonly ReceivedResponse[]): void {
  const strange = answers.find((answer) => !isSuccess(answer) && answer.status !== 429)
  if (strange) throw new Skip(`inconclusive: ${describeResponse(strange)} is not a refusal by the rate limit`)
}

/**
 * Callers that pause only after a 429. `windows` is how long they continue, in windows. `waitShare` is how long they
 * wait after a 429, as a share of the window.
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
        skipIfRefusedOtherwise([answer])
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
        const spending = await burst(context, operation, spent)
        const { answers } = await sendAtOnce(context, operation, limit.requests, { zone })
        if (context.virtualClock || answers.every(isSuccess)) for (const answer of answers) expectSuccess(answer)
        else await expectUndisturbed(context, operation, limit, zone)
        // A limit that was not reached on the first zone cannot affect the second one.
        if (!refusalIn(spending))
          throw new Skip(`inconclusive: no request of a burst on the pull zone ${spent} was refused with 429`)
      })
    },
  })
}

/**
 * Another caller of the second pull zone may cause the refusals. In that case, requests to the second zone are refused
 * even without a burst on the first zone.
 */
async function expectUndisturbed(context: CheckContext, operation: Operation, limit: RateLimit, zone: string) {
  await context.rest(zone, limit.windowMs * quietShare)
  const { answers } = await sendAtOnce(context, operation, limit.requests, { zone })
  if (!answers.every(isSuccess)) throw new Skip(`inconclusive: another caller seems to use the pull zone ${zone}`)
  expect(false, `${limit.requests} successes for another pull zone`, 'refusals, which did not come without a burst')
}
