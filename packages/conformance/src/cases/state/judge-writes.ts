/** Judges the state after the writes of a check, and sends suspects of a violation again, one at a time, until one is left. */
import type { StatedOperation } from '@cdn/api/contract'
import { call, orLost, type Request } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { ignoreSkip } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import { judgeState, type StateOptions, type StateVerdict, type StateViolation } from '../../rules/state/judge.ts'
import { isWrite, itemKey, keyOf, type Write, writeOf } from '../../rules/state/registers.ts'
import { suspectOf } from '../../rules/state/sentences.ts'
import { changesOf, itemsOfFixtures, pathOf, resourcesWithFixtures } from './items.ts'
import { ageOfReads, look, oldestReadMs, prepare, sendAndLook } from './look.ts'
import { validChange } from './requests.ts'

async function optionsOf(context: CheckContext, lagMs?: number): Promise<StateOptions> {
  const fixtures = new Set(
    resourcesWithFixtures.flatMap((resource) => {
      const { own = [], others = [] } = fixturesOf(resource) ?? {}
      const ids = [...own, ...others].flatMap((name) => context.fixtures[name] ?? [])
      return ids.map((id) => itemKey(resource.path, id))
    }),
  )
  return {
    lagMs: lagMs ?? (await ageOfReads(context)).ms,
    isFixture: (item) => fixtures.has(item),
    isAlone: context.virtualClock,
  }
}

/** Judges the history of the target from a position on. */
async function judged(context: CheckContext, from: number, lagMs?: number): Promise<StateVerdict> {
  return judgeState(context.history.slice(from), await optionsOf(context, lagMs))
}

/**
 * Reads everything that the writes since then may have changed, and judges it. If a read may have shown an earlier state, waits, and reads
 * again. If each read was right for its age, and no suspect shows its violation again, the run allows for old reads from then on.
 *
 * @param from number of exchanges in the history before the writes
 */
export async function judgeWrites(context: CheckContext, from: number): Promise<StateVerdict> {
  const since = () => context.history.slice(from)
  if (!since().some((entry) => isWrite(entry))) return { violations: [], shown: new Set() }
  const age = await ageOfReads(context)
  if (age.ms > 0) await context.wait(age.ms)
  const unread = unlisted(since())
  if (unread.length > 0) await look(context, { resources: unread, isOfLists: true })
  const confirmed = await context.once('confirmed violations', async () => new Set<string>())
  const isNew = (one: StateViolation) => since().includes(one.at) && !confirmed.has(kindOf(one))
  let verdict = await judged(context, 0)
  const fresh = verdict.violations.filter(isNew)
  if (!context.virtualClock && age.ms === 0 && fresh.length > 0) {
    await context.wait(oldestReadMs)
    await look(context)
    const late = await judged(context, 0, oldestReadMs)
    const isDamage = late.violations.some(isNew)
    const again = isDamage ? 'damage' : await findAgain(context, fresh)
    if (isDamage || again !== 'damage') verdict = late
    if (again === 'old') age.ms = oldestReadMs
  }
  const violations: StateViolation[] = []
  // Another check may still wait for the reads that show earlier violations.
  for (const violation of verdict.violations.filter(({ at }) => since().includes(at))) {
    const one = await narrowed(context, violation)
    const shown = one.how === 'missing' ? await repeated(context, one) : one
    if (shown) violations.push(shown)
  }
  for (const violation of violations) confirmed.add(kindOf(violation))
  return { ...verdict, violations }
}

/** The resources whose list was not read after the last write to one of their items. */
function unlisted(entries: readonly HistoryEntry[]) {
  const resources = new Set(entries.flatMap((entry) => (isWrite(entry) ? (entry.operation.resource ?? []) : [])))
  return [...resources].filter((resource) => {
    const own = entries.filter(({ operation }) => operation.resource === resource)
    return own.findLastIndex(({ operation }) => operation.action?.kind === 'list') < own.findLastIndex(isWrite)
  })
}

function kindOf(violation: StateViolation): string {
  return [violation.how, fieldOf(violation), suspectOf(violation)?.operation.name].join(' ')
}

function fieldOf({ register: { resource, field } }: StateViolation): string {
  return `${resource.path} ${field}`
}

/** What a repetition showed of a violation; undefined if it counts as a loss without a reason. */
const repetitions = new WeakMap<HistoryEntry, Map<string, StateViolation | undefined>>()

/**
 * Sends a valid write without an effect again. If it then has the effect, the first one was lost. One such loss in a run proves nothing,
 * because another caller may have undone the change; the second one is a failure.
 *
 * @returns the violation; undefined for the first loss of a run
 */
async function repeated(context: CheckContext, violation: StateViolation): Promise<StateViolation | undefined> {
  const write = suspectOf(violation)
  const { request } = write?.entry ?? {}
  if (!write || !request || write.force !== 'must') return violation
  const all = repetitions.get(violation.at) ?? new Map<string, StateViolation | undefined>()
  repetitions.set(violation.at, all)
  const key = keyOf(violation.register)
  if (all.has(key)) return all.get(key)
  all.set(key, violation)
  // Later changes may have had the same effect.
  await prepare(context, write.operation, write.entry).catch(() => false)
  const from = context.history.length
  await orLost(sendAndLook(context, write.operation, request))
  if (violation.view === 'list') await look(context, { resources: [write.operation.resource], isOfLists: true })
  if ((await ageOfReads(context)).ms > 0) return violation
  const again = await judged(context, from)
  const isAgain = again.violations.some(({ register }) => keyOf(register) === key)
  if (isAgain || !context.history.slice(from).some((entry) => again.shown.has(entry))) return violation
  const losses = await context.once('unexplained losses', async () => ({ count: 0 }))
  losses.count++
  const calls = context.history.filter((entry) => writeOf(entry)?.force === 'must').length
  context.observe('unexplained-losses', `${losses.count} of ${calls} confirmed changes had no effect`)
  const shown = losses.count > 1 ? { ...violation, how: 'lost' as const } : undefined
  all.set(key, shown)
  return shown
}

/** Maximum number of violations of a run whose suspects are sent again, and of suspects of one violation. */
const [maxViolations, maxSuspects] = [4, 4]

/** A kind of request that showed a violation again when it was sent alone. */
interface Culprit extends Pick<StateViolation, 'how'> {
  readonly kind: string
}

/** The culprits of a run by the field, and the search that runs: one at a time, because the suspect must be the only write. */
interface Culprits {
  readonly byField: Map<string, Culprit>
  left: number
  search: Promise<unknown>
}

function culpritsOf(context: CheckContext): Promise<Culprits> {
  return context.once('culprits', async () => ({
    byField: new Map<string, Culprit>(),
    left: maxViolations,
    search: Promise.resolve(),
  }))
}

function requestKind({ operation, entry: { method, form } }: Write): string {
  return [operation.name, method, form?.name ?? ''].join(' ')
}

/** Maximum number of violations without an explanation. Then reads count as old. */
const maxUnexplained = 3

/**
 * Sends suspects again, to find out whether they do damage or reads are old: whether the violation still shows when no read can be old. If other
 * checks write at the same time, neither is certain.
 */
async function findAgain(
  context: CheckContext,
  violations: readonly StateViolation[],
): Promise<'damage' | 'old' | undefined> {
  let isOld = false
  for (const violation of new Map(violations.map((one) => [fieldOf(one), one])).values()) {
    const isLate = async (from: number, request: Request) => {
      await context.wait(oldestReadMs)
      await look(context)
      const sent = new Set(context.history.slice(from))
      const late = (await judged(context, 0, oldestReadMs)).violations
      const isStill = late.some((one) => sent.has(one.at) && fieldOf(one) === fieldOf(violation))
      isOld = !isStill && isOnlyWrite(context, from, request)
      return isStill
    }
    if (await culpritOf(context, violation, isLate)) return 'damage'
    if (isOld) return 'old'
  }
  const unexplained = await context.once('unexplained violations', async () => ({ count: 0 }))
  return ++unexplained.count >= maxUnexplained ? 'old' : undefined
}

function isOnlyWrite({ history }: CheckContext, from: number, request: Request): boolean {
  return history.slice(from).every((entry) => !isWrite(entry) || entry.request === request)
}

/**
 * Puts a violation down to the one of its suspects that shows it again. Another violation of the same field follows from the same mistake, unless
 * its only suspect is meant to change the field.
 */
async function narrowed(context: CheckContext, violation: StateViolation): Promise<StateViolation> {
  const { suspects, register, at } = violation
  if (context.virtualClock || (await ageOfReads(context)).ms > 0) return violation
  const isMeant = ({ effects }: Write) =>
    effects.some(({ resource, field }) => resource === register.resource && field === register.field)
  const isSingle = new Set(suspects.map(requestKind)).size < 2
  const { byField } = await culpritsOf(context)
  if (isSingle && (suspects.some(isMeant) || !byField.has(fieldOf(violation)))) return violation
  const culprit = await culpritOf(context, violation, async () => true)
  const before = context.history.slice(0, context.history.indexOf(at)).flatMap((entry) => writeOf(entry) ?? [])
  const suspect = [...before, ...suspects].findLast((write) => requestKind(write) === culprit?.kind)
  return culprit && suspect ? { ...violation, how: culprit.how, suspects: [suspect] } : violation
}

/**
 * Finds the suspect that shows a violation again.
 *
 * @param isCertain decides whether a suspect that shows it is the reason, from the number of exchanges before it was sent. If not, the search
 *   ends
 * @returns undefined if none is
 */
async function culpritOf(
  context: CheckContext,
  violation: StateViolation,
  isCertain: (from: number, request: Request) => Promise<boolean>,
): Promise<Culprit | undefined> {
  const culprits = await culpritsOf(context)
  const field = fieldOf(violation)
  const search = async () => {
    if (culprits.byField.has(field) || culprits.left === 0) return
    culprits.left--
    const culprit = await searchIn(context, violation, isCertain)
    if (culprit) culprits.byField.set(field, culprit)
  }
  culprits.search = culprits.search.then(search, search)
  await culprits.search
  return culprits.byField.get(field)
}

/** Sends the suspects again, valid ones and the last one first, each alone between looks, until one shows the violation. */
async function searchIn(
  context: CheckContext,
  violation: StateViolation,
  isCertain: (from: number, request: Request) => Promise<boolean>,
): Promise<Culprit | undefined> {
  const suspects = new Map(violation.suspects.map((write) => [requestKind(write), write]))
  const ordered = [...suspects].toReversed().toSorted(([, one], [, other]) => +!!one.entry.form - +!!other.entry.form)
  for (const [kind, { operation, entry }] of ordered.slice(0, maxSuspects)) {
    if (!entry.request) continue
    const from = context.history.length
    await look(context)
    await prepareItems(context, operation, entry, violation).catch(ignoreSkip)
    await look(context)
    const sentFrom = context.history.length
    await orLost(call(context, operation, entry.request, { seeAnyStatus: true })).catch(ignoreSkip)
    await look(context)
    if (!isOnlyWrite(context, sentFrom, entry.request)) continue
    const after = new Set(context.history.slice(sentFrom))
    const all = (await judged(context, from)).violations
    const shown = all.find((one) => after.has(one.at) && fieldOf(one) === fieldOf(violation))
    const isAlone = shown?.suspects.every((write) => requestKind(write) === kind)
    if (shown && isAlone) return (await isCertain(sentFrom, entry.request)) ? { kind, how: shown.how } : undefined
  }
  return undefined
}

/** Brings all items into a state that the request would change, and adds a value to the list of the violation, which could not lose any. */
async function prepareItems(
  context: CheckContext,
  operation: StatedOperation,
  { path, body }: HistoryEntry,
  { register: { resource, field } }: StateViolation,
): Promise<void> {
  const items = itemsOfFixtures(operation.resource, context.fixtures)
  const paths = items && operation.action.kind === 'set' ? items.own.map((id) => pathOf(operation, items, id)) : [path]
  for (const each of paths) await prepare(context, operation, { path: each, body })
  const add = changesOf(resource).find(({ action }) => action.kind === 'add' && action.field === field)
  const lists = add && itemsOfFixtures(resource, context.fixtures)
  if (lists) await orLost(call(context, add, await validChange(context, add, lists)))
}
