import type { Operation, RateLimit } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { describeResponse, expectSuccess, isSuccess } from '../../core/answer.ts'
import {
  acceptedOf,
  burst,
  burstZone,
  durationOf,
  limitedOperations,
  limitTrace,
  maxAccepted,
  mostAfterRefusal,
  otherZone,
  quietShare,
  refusalIn,
  sendAtOnce,
  type Trace,
  versionsTrace,
  withoutStrays,
} from '../../core/bursts.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import { type ContractChecks, type Draft, type Drafted, draft } from './contract-checks.ts'

/** After this share of the stated window, the full budget must be available again. */
const nextShare = 1.03
/** A limiter may treat a pull zone as new after this time without requests, in ms. */
const idleMs = 61_000
const needs = ['loggedZoneId', 'credentials.accessKey'] as const

type Slug = 'accepted' | '429' | 'per-pull-zone'
type DraftLimit = (slug: Slug, rest: Pick<Draft, 'aspect' | 'needs' | 'run'>) => Drafted

const texts: Readonly<Record<Slug, string>> = {
  accepted: 'As many requests as the rate limit allows are accepted.',
  429: 'Requests beyond the rate limit are answered 429.',
  'per-pull-zone': 'The rate limit of a pull zone does not touch another pull zone.',
}

/** Checks of the rate limit per pull zone (§8). Every permitted kind of limiter passes them. */
export const rateLimit: ContractChecks = (operation) => {
  const limit = operation.rateLimit
  if (!limit) return []
  const drafted: DraftLimit = (name, rest) => {
    const slug = `rate-limit.${name}`
    return draft(operation, { slug, topic: slug, text: texts[name], burst: true, needs, ...rest })
  }
  return [
    drafted('accepted', { run: (context) => accepted(context, operation, limit) }),
    steady(operation, limit, drafted),
    ...bursts(operation, limit, drafted),
    perZone(operation, limit, drafted),
  ]
}

/**
 * After a quiet period, a caller that exceeded the limit is accepted again, whether or not refused requests count. So the
 * full rate is also accepted without a burst.
 */
function accepted(context: CheckContext, operation: Operation, limit: RateLimit): Promise<void> {
  return unlessDisturbed(context, operation, limit, (zone) =>
    context.alone([zone], async () => {
      await limitTrace(context, operation, zone)
      await context.rest(zone, limit.windowMs * quietShare)
      await expectAccepted(context, operation, limit, zone)
      // The second round detects a window that is longer than stated.
      await context.wait(limit.windowMs * nextShare)
      await expectAccepted(context, operation, limit, zone)
    }),
  )
}

/** Sends exactly as many requests as the limit allows. All must be accepted, however long they take. */
async function expectAccepted(context: CheckContext, operation: Operation, limit: RateLimit, zone: string) {
  const refused = refusedOf(await sendAtOnce(context, zone, [operation], limit.requests))
  expect(
    refused.length === 0,
    `${limit.requests} successes after quiet`,
    () => `${refused.length} refused, the first with ${refused[0] ? describeResponse(refused[0].answer) : 'nothing'}`,
  )
}

function refusedOf(trace: Trace): Trace {
  return withoutStrays(trace).filter(({ answer }) => !isSuccess(answer))
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

/**
 * The limit also applies to a caller that does not pause. This detects a limit or a window that differs slightly, and a
 * limiter that forgets.
 */
function steady(operation: Operation, limit: RateLimit, drafted: DraftLimit): Drafted {
  return drafted('429', {
    run: async (context) => {
      const zone = burstZone(context, operation)
      await context.alone([zone], async () => {
        const trace = await limitTrace(context, operation, zone)
        const again = () => burst(context, zone, [operation])
        const after = mostAfterRefusal(trace.all, limit)
        expect(after <= limit.requests, `at most ${limit.requests} accepted in the window after a 429`, `${after}`)
        await expectLimited(limit, operation, [async () => trace.burst, again, again])
      })
    },
  })
}

/** The limit of an operation does not depend on requests to the other version, nor on the time without requests. */
function bursts(operation: Operation, limit: RateLimit, drafted: DraftLimit): Drafted[] {
  const versions = async (context: CheckContext) => {
    const zone = burstZone(context, defined(limitedOperations[0]))
    const again = () => burst(context, zone, limitedOperations)
    await context.alone([zone], () =>
      expectLimited(limit, operation, [() => versionsTrace(context, zone), again, again]),
    )
  }
  const idle = async (context: CheckContext) => {
    const zone = burstZone(context, operation)
    const round = async () => {
      // A limiter that knows nothing of a zone may treat it differently from one that has been idle.
      await sendAtOnce(context, zone, [operation], 1)
      return burst(context, zone, [operation], idleMs)
    }
    await context.alone([zone], () => expectLimited(limit, operation, [round, round]))
  }
  return [drafted('429', { aspect: 'versions', run: versions }), drafted('429', { aspect: 'idle', run: idle })]
}

/**
 * Sends bursts until one of them shows the limit. A burst may cross the border of a fixed window. The next burst starts
 * at another place in the window, so it does not cross a border again.
 *
 * @throws Skip if all bursts took too long to exceed the limit
 */
async function expectLimited(limit: RateLimit, { name }: Operation, rounds: readonly (() => Promise<Trace>)[]) {
  const seen: string[] = []
  let slowMs: number | undefined
  for (const round of rounds) {
    const trace = withoutStrays(await round()).filter(({ operation }) => operation.name === name)
    const max = maxAccepted(limit, durationOf(trace))
    const through = acceptedOf(trace).length
    const strange = trace.find(({ answer }) => !isSuccess(answer) && answer.status !== 429)?.answer
    if (strange) {
      // The server accepted fewer requests than the limit allows, so a server error refused the rest, not the limit.
      if (through < limit.requests * 0.9) throw new Skip(`inconclusive: a burst was answered ${strange.status}`)
      seen.push(`${describeResponse(strange)} beyond ${through} requests`)
    } else if (max >= trace.length) slowMs = durationOf(trace)
    else if (through <= max) return
    else seen.push(`${through} of ${trace.length} accepted`)
  }
  if (slowMs !== undefined) throw new Skip(`inconclusive: a burst took ${slowMs} ms, too long to exceed the limit`)
  expect(false, `at most ${limit.requests} requests of a burst accepted and the others answered 429`, seen.join('; '))
}

function perZone(operation: Operation, limit: RateLimit, drafted: DraftLimit): Drafted {
  return drafted('per-pull-zone', {
    needs: [...needs, 'otherLoggedZoneId'],
    run: async (context) => {
      const spent = burstZone(context, operation)
      const zone = otherZone(context, spent) ?? spent
      await context.alone([spent, zone], async () => {
        await context.rest(zone, limit.windowMs * quietShare)
        const spending = await burst(context, spent, [operation])
        const [refused] = refusedOf(await sendAtOnce(context, zone, [operation], limit.requests))
        if (refused && context.virtualClock) expectSuccess(refused.answer)
        else if (refused) await expectUndisturbed(context, operation, limit, zone)
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
  const [refused] = refusedOf(await sendAtOnce(context, zone, [operation], limit.requests))
  if (refused) throw new Skip(`inconclusive: another caller seems to use the pull zone ${zone}`)
  expect(false, `${limit.requests} successes for another pull zone`, 'refusals, which did not come without a burst')
}
