/** Checks that each query of the logs has a predicted response. The check of a requirement sends the cases that exercise it. */
import type { Operation } from '@cdn/api/contract'
import { call, credentialOf } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered } from '../../exchange/exchange.ts'
import { Failure, forRequest, requireOrSkip, Skip, seenOnce } from '../../exchange/failure.ts'
import { personalFilters } from '../../exchange/log-rows.ts'
import { type ChecksOf, type Decides, decide } from '../../exchange/requirements.ts'
import { dayPath } from '../../exchange/resources.ts'
import type { LogOperation, Reference } from '../../rules/predictions.ts'
import { exercisedBy, isGeneral, logRequirements, requirementsBrokenBy } from './broken-requirements.ts'
import { type Difference, differencesOf } from './compare-rows.ts'
import {
  isValidQuery,
  parametersOfCase,
  type QueryCase,
  randomCases,
  sentParameters,
  systematicCases,
} from './query-cases.ts'
import { hasChanged, hasRoundedTimes, hasRowAtEnd, referenceOf } from './reference.ts'
import { callsOfQueryCase, queryCaseOfCalls } from './stored-cases.ts'

/** Maximum number of random cases for each pull zone and version. The systematic cases come first. */
const randomCount = { live: 200, virtual: 12 } as const
/** Time in ms, from the start of the first check of a version, after which the checks on a live target send no more random cases. */
const randomMs = 40_000
/**
 * Time in ms, from the same start, after which a check on a live target stops, once it has sent `minCases` cases. Usually the time is
 * enough for all systematic cases, unless another caller uses the rate limit.
 */
const maxMs = 120_000
const minCases = 4

/** A failing case after it was shrunk, and the requirements that it breaks. */
interface ShrunkCase extends QueryCase {
  readonly difference: Difference
  readonly response: Answered
  readonly broken: readonly Decides[]
}

/** Checks of both versions of the logs against the predicted responses. */
export const logQueryChecks: ChecksOf = (operation) => {
  const { name } = operation
  if (name !== 'query-logs' && name !== 'read-log-file') return []
  return logRequirements(name).map((decides) => {
    const bearer = decides.includes('.bearer') ? (['credentials.bearer'] as const) : []
    return decide(operation, {
      decides,
      basis: 'supplement',
      needs: ['loggedZoneId', 'credentials.accessKey', ...bearer],
      uses: ['otherLoggedZoneId'],
      run: (context) => verify(context, operation, decides),
    })
  })
}

/**
 * Sends the cases whose parameters are all in the list (by default, all): the stored one and, unless it is a replay, the systematic ones.
 * Returns the responses.
 */
export async function sendQueryCases(
  context: CheckContext,
  operation: Operation,
  parameters?: readonly string[],
): Promise<readonly Answered[]> {
  const all = await casesFor(context, operation)
  const plain = all.filter(
    (each) => !each.isRandom && parametersOfCase(each).every((name) => parameters?.includes(name) ?? true),
  )
  const answers: Answered[] = []
  for (const each of plain) answers.push(await shared(context, operation, each))
  return answers
}

/** Sends the cases that exercise a requirement, and fails if a shrunk case breaks it. */
async function verify(context: CheckContext, operation: Operation, decides: Decides): Promise<void> {
  const all = await casesFor(context, operation, decides)
  if (all.length === 0)
    throw new Skip(
      context.replay
        ? 'the stored case does not fit the entries of the day'
        : 'cannot be observed: a query would select none or all of the entries',
    )
  // Failures are shrunk one after another, so that none is shrunk twice.
  const initial = async () => ({ found: [] as ShrunkCase[], turn: Promise.resolve() })
  const known = await context.once(`failures of ${operation.name}`, initial)
  const begun = await context.once(`start of the cases of ${operation.name}`, async () => context.now().getTime())
  for (const [index, each] of all.entries()) {
    const { isRandom } = each
    const tookMs = context.virtualClock ? 0 : context.now().getTime() - begun
    if (index >= minCases && tookMs > (isRandom ? randomMs : maxMs)) break
    const response = await shared(context, operation, each)
    context.count()
    for (const difference of differencesOf(each.reference, response)) {
      const turn = known.turn.then(async () => {
        if (!known.found.some((found) => explains(found, each, difference)))
          known.found.push(await shrink(context, operation, { ...each, difference, response }))
      })
      known.turn = turn.catch(() => {})
      await turn
    }
    const mine = known.found.find(({ broken }) => broken.includes(decides))
    if (mine) return fail(mine)
  }
}

/**
 * Returns the stored case, then the systematic and the random cases that exercise a requirement (by default, all cases); in a replay, only
 * the stored case. The random cases alternate between the pull zones.
 */
async function casesFor(context: CheckContext, { name }: Operation, decides?: Decides) {
  const { fixtures, virtualClock, seed } = context
  const operation = name === 'query-logs' ? name : 'read-log-file'
  const known = await knownRowsOf(context, operation)
  const stored = context.stored && queryCaseOfCalls(context.stored, known)
  const first = stored ? [{ ...stored, isRandom: false }] : []
  if (context.replay) return first
  const cases = await context.once(`cases of ${name}`, async () => {
    const count = randomCount[virtualClock ? 'virtual' : 'live']
    const random = known.map((reference) => randomCases(reference, count, seed))
    const mixed = (random[0] ?? []).flatMap((_, index) => random.flatMap((all) => all[index] ?? []))
    const withMark = (all: readonly QueryCase[], isRandom: boolean) => all.map((each) => ({ ...each, isRandom }))
    return [...withMark(systematicCases(inTurns(known)), false), ...withMark(mixed, true)]
  })
  // On a live target, the check of a general requirement judges all cases, because other checks send them anyway.
  const isAll = decides === undefined || (!virtualClock && isGeneral(decides))
  const mine = cases
    .map((each) => ({ ...each, bearer: each.bearer && fixtures.credentials.bearer !== undefined }))
    .filter((each) => isAll || exercisedBy(operation, parametersOfCase(each)).includes(decides))
  return [...first, ...mine]
}

/** The second pull zone, if there is one, gets most of the cases, because other checks use the first one. */
function inTurns([first, ...others]: readonly Reference[]): Reference[] {
  return first ? [first, ...others, ...others, first, ...others, ...others, ...others] : []
}

/**
 * Returns the known rows of both pull zones, or only of the first one if those of the second cannot be read. The range of the second
 * starts as early as the retention allows.
 */
export async function knownRowsOf(context: CheckContext, operation: LogOperation): Promise<Reference[]> {
  const { loggedZoneId, otherLoggedZoneId } = context.fixtures
  const [first, other] = await Promise.all([
    referenceOf(context, operation, requireOrSkip(loggedZoneId, 'loggedZoneId')),
    otherLoggedZoneId && referenceOf(context, operation, otherLoggedZoneId, true).catch(() => undefined),
  ])
  return other ? [first, other] : [first]
}

function send(context: CheckContext, operation: Operation, { reference, bearer, query }: QueryCase): Promise<Answered> {
  const credential = credentialOf(context, operation, bearer ? 'bearer' : 'AccessKey')
  const request = { path: pathOf(operation, reference), query: sentParameters(reference, query), credential }
  return call(context, operation, request)
}

function shared(
  context: CheckContext,
  operation: Operation,
  { reference, bearer, query }: QueryCase,
): Promise<Answered> {
  const key = JSON.stringify([operation.name, reference.zone, bearer, query])
  return context.once(key, () => send(context, operation, { reference, bearer, query }))
}

function pathOf(operation: Operation, { zone, from }: Reference): Record<string, string> {
  return { ...dayPath(operation, new Date(from)), pullZoneId: zone }
}

/** Whether a known failure needs no other parameters than a case that fails in the same way. */
function explains(found: ShrunkCase, each: QueryCase, { what }: Difference): boolean {
  const parameters = parametersOfCase(each)
  return found.difference.what === what && parametersOfCase(found).every((name) => parameters.includes(name))
}

/**
 * Leaves out the parameters of a failing case without which it still fails twice in the same way. A case that does not fail twice again
 * keeps its parameters, and its failure is marked as seen once.
 *
 * @throws Skip if rows appeared or disappeared, because rows that arrive later than documented prove nothing, or if their times
 *   are rounded
 */
async function shrink(
  context: CheckContext,
  operation: Operation,
  failing: Omit<ShrunkCase, 'broken'>,
): Promise<ShrunkCase> {
  const { reference, difference } = failing
  if (await hasChanged(context, reference))
    throw new Skip('inconclusive: rows of a closed range appeared or disappeared during the check')
  const isOfRows = ['items', 'before', 'after'].includes(difference.what)
  // A query of version 2 may state its own range.
  const isAtEnd = async () => reference.operation === 'query-logs' || (await hasRowAtEnd(context, reference))
  const isRounded = () => context.once(`rounded times ${reference.zone}`, () => hasRoundedTimes(context, reference))
  if (isOfRows && (await isAtEnd()) && (await isRounded()))
    throw new Skip('inconclusive: the times of rows are rounded')
  const again = async (smaller: QueryCase) => {
    // An error of the target proves nothing about the smaller case.
    if (!isValidQuery(reference, smaller.query)) return undefined
    const response = await send(context, operation, smaller).catch(() => undefined)
    const same = response && differencesOf(reference, response).find(({ what }) => what === difference.what)
    return same && { ...smaller, difference: same, response }
  }
  const twice = async (smaller: QueryCase) => (await again(smaller)) && (await again(smaller))
  const whole = await twice(failing)
  let smallest = whole ?? { ...failing, difference: { ...difference, seen: seenOnce(difference.seen) } }
  for (const name of whole ? parametersOfCase(whole) : []) {
    const { [name]: _, ...query } = smallest.query
    smallest = (await twice({ reference, bearer: smallest.bearer && name !== 'bearer', query })) ?? smallest
  }
  return {
    ...smallest,
    broken: requirementsBrokenBy(reference.operation, smallest.difference, parametersOfCase(smallest)),
  }
}

function fail(found: ShrunkCase): never {
  const { bearer, query, difference, response } = found
  const { expected, seen } = difference
  const named = Object.entries(query).map(([name, text]) => `${name}=${personalFilters.includes(name) ? '…' : text}`)
  const what = [...named, ...(bearer ? ['bearer token'] : [])].join(', ')
  throw new Failure(forRequest(expected, what || 'a plain query'), seen, {
    calls: callsOfQueryCase(found),
    parameters: Object.keys(query),
    responses: [response],
  })
}
