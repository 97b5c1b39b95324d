/** Finds the culprit of a violation: sends its suspects again, one at a time, each alone between reads. */
import type { StatedOperation } from '@cdn/api/contract'
import { call, type RequestParts, resultOrLost } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { ignoreSkip } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import { judgeState, type StateJudgement } from '../../rules/state/judge.ts'
import { isWrite, itemKey, keyOf, type Write, writeOf } from '../../rules/state/registers.ts'
import type { StateViolation } from '../../rules/state/suspects.ts'
import { changesOf, idsOf, itemsOfFixtures, pathOf, resourcesWithFixtures } from './items.ts'
import { ageOfReads, oldestReadMs, readResources, sendOpposite } from './read-resources.ts'
import { validChange } from './requests.ts'

/** Judges the history of the target from a position on. @param lagMs maximum age of reads; by default, the age that the run allows for */
export async function judgeHistory(context: CheckContext, from: number, lagMs?: number): Promise<StateJudgement> {
  const ids = resourcesWithFixtures.flatMap((resource) => {
    const { own = [], others = [] } = fixturesOf(resource) ?? {}
    return idsOf([...own, ...others], context.fixtures).map((id) => itemKey(resource.path, id))
  })
  return judgeState(context.history.slice(from), {
    lagMs: lagMs ?? (await ageOfReads(context)).ms,
    isFixture: (item) => ids.includes(item),
    isAlone: context.virtualClock,
  })
}

/** Maximum number of violations of a run whose suspects are sent again, and of suspects of one violation. */
const [maxViolations, maxSuspects] = [4, 4]

/** A kind of request that showed a violation again when it was sent alone. */
interface Culprit extends Pick<StateViolation, 'how'> {
  readonly kind: string
}

/** The result of a search: a culprit, `none` if no suspect is one, or undefined if that is uncertain. */
type SearchResult = Culprit | 'none' | undefined

/** The culprits of a run by field, and the current search. Searches run one at a time, because the suspect must be the only write. */
interface Culprits {
  readonly byField: Map<string, Culprit>
  left: number
  search: Promise<SearchResult>
}

function culpritsOf(context: CheckContext): Promise<Culprits> {
  return context.once('culprits', async () => ({
    byField: new Map<string, Culprit>(),
    left: maxViolations,
    search: Promise.resolve(undefined),
  }))
}

export function fieldKey({ register: { resource, field } }: StateViolation): string {
  return `${resource.path} ${field}`
}

function requestKind({ operation, entry: { method, noEffect } }: Write): string {
  return [operation.name, method, noEffect?.name ?? ''].join(' ')
}

/**
 * Puts a violation down to the one of its suspects that shows it again. Another violation of the same field follows from the same mistake,
 * unless its only suspect is meant to change the field. If no suspect changes the register again, the register did not keep the value of an
 * earlier write.
 */
export async function narrowSuspects(context: CheckContext, violation: StateViolation): Promise<StateViolation> {
  const { suspects, register, at, how } = violation
  if (context.virtualClock || (await ageOfReads(context)).ms > 0) return violation
  const isMeant = ({ effects }: Write) =>
    effects.some(({ resource, field }) => resource === register.resource && field === register.field)
  if (new Set(suspects.map(requestKind)).size < 2 && suspects.some(isMeant)) return violation
  const culprit = await culpritOf(context, violation, async () => true)
  const before = context.history.slice(0, context.history.indexOf(at)).flatMap((entry) => writeOf(entry) ?? [])
  if (culprit === 'none') {
    const isWriter = ({ force, effects }: Write) =>
      force === 'must' && effects.some((effect) => keyOf(effect) === keyOf(register))
    const writer = how === 'other' ? before.findLast(isWriter) : undefined
    return writer ? { ...violation, how: 'not-lasting', suspects: [writer] } : violation
  }
  const suspect = [...before, ...suspects].findLast((write) => requestKind(write) === culprit?.kind)
  return culprit && suspect ? { ...violation, how: culprit.how, suspects: [suspect] } : violation
}

/** Number of violations without an explanation after which reads count as old. */
const maxUnexplained = 3

/**
 * Finds out whether suspects do damage or reads are old: damage still shows when no read can be old. If other checks write at the same
 * time, neither is certain.
 */
export async function findAgain(
  context: CheckContext,
  violations: readonly StateViolation[],
): Promise<'damage' | 'old' | undefined> {
  let isOld = false
  for (const violation of new Map(violations.map((one) => [fieldKey(one), one])).values()) {
    const isLate = async (from: number, request: RequestParts) => {
      await context.wait(oldestReadMs)
      await readResources(context)
      const sent = new Set(context.history.slice(from))
      const late = (await judgeHistory(context, 0, oldestReadMs)).violations
      const isStill = late.some((one) => sent.has(one.at) && fieldKey(one) === fieldKey(violation))
      isOld = !isStill && isOnlyWrite(context, from, request)
      return isStill
    }
    const culprit = await culpritOf(context, violation, isLate)
    if (culprit && culprit !== 'none') return 'damage'
    if (isOld) return 'old'
  }
  const unexplained = await context.once('unexplained violations', async () => ({ count: 0 }))
  return ++unexplained.count >= maxUnexplained ? 'old' : undefined
}

function isOnlyWrite({ history }: CheckContext, from: number, request: RequestParts): boolean {
  return history.slice(from).every((entry) => !isWrite(entry) || entry.request === request)
}

/** Decides whether a suspect that shows a violation is the reason. `from` is the number of exchanges before the suspect was sent. */
type IsCertain = (from: number, request: RequestParts) => Promise<boolean>

/** Finds the suspect that shows a violation again, unless an earlier search found the culprit of the field. */
async function culpritOf(
  context: CheckContext,
  violation: StateViolation,
  isCertain: IsCertain,
): Promise<SearchResult> {
  const culprits = await culpritsOf(context)
  const field = fieldKey(violation)
  const search = async (): Promise<SearchResult> => {
    if (culprits.byField.has(field) || culprits.left === 0) return culprits.byField.get(field)
    culprits.left--
    const result = await searchIn(context, violation, isCertain)
    if (result && result !== 'none') culprits.byField.set(field, result)
    return result
  }
  culprits.search = culprits.search.then(search, search)
  return culprits.search
}

/** Sends the suspects again, valid ones and the last one first, each alone between reads, until one shows the violation. */
async function searchIn(context: CheckContext, violation: StateViolation, isCertain: IsCertain): Promise<SearchResult> {
  const suspects = new Map(violation.suspects.map((write) => [requestKind(write), write]))
  const ordered = [...suspects]
    .toReversed()
    .toSorted(([, one], [, other]) => +!!one.entry.noEffect - +!!other.entry.noEffect)
  let isWhole = ordered.length <= maxSuspects
  for (const [kind, { operation, entry }] of ordered.slice(0, maxSuspects)) {
    const { request } = entry
    if (!request) return undefined
    const from = context.history.length
    await readResources(context)
    await prepareItems(context, operation, entry, violation).catch(ignoreSkip)
    await readResources(context)
    const sentFrom = context.history.length
    await resultOrLost(call(context, operation, request, { seeAnyStatus: true })).catch(ignoreSkip)
    await readResources(context)
    if (!isOnlyWrite(context, sentFrom, request)) {
      isWhole = false
      continue
    }
    const after = new Set(context.history.slice(sentFrom))
    const all = (await judgeHistory(context, from)).violations
    const shown = all.find((one) => after.has(one.at) && fieldKey(one) === fieldKey(violation))
    if (!shown?.suspects.every((write) => requestKind(write) === kind)) continue
    return (await isCertain(sentFrom, request)) ? { kind, how: shown.how } : undefined
  }
  return isWhole && ordered.length > 0 ? 'none' : undefined
}

/** Brings all items into a state that the request would change, and adds a value to the list of the violation, so that it can be lost. */
async function prepareItems(
  context: CheckContext,
  operation: StatedOperation,
  { path, body }: HistoryEntry,
  { register: { resource, field } }: StateViolation,
): Promise<void> {
  const items = itemsOfFixtures(operation.resource, context.fixtures)
  const paths = items && operation.action.kind === 'set' ? items.own.map((id) => pathOf(operation, items, id)) : [path]
  for (const each of paths) await sendOpposite(context, operation, { path: each, body })
  const add = changesOf(resource).find(({ action }) => action.kind === 'add' && action.field === field)
  const lists = add && itemsOfFixtures(resource, context.fixtures)
  if (lists) await resultOrLost(call(context, add, await validChange(context, add, lists)))
}
