/** Judges the state after the writes of a check: whether reads are wrong or old, which request is the reason, which losses are failures. */
import { resultOrLost } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { LostResponse } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import type { StateJudgement } from '../../rules/state/judge.ts'
import { isWrite, keyOf, writeOf } from '../../rules/state/registers.ts'
import { suspectOf } from '../../rules/state/sentences.ts'
import type { StateViolation } from '../../rules/state/suspects.ts'
import { fieldKey, findAgain, judgeHistory, narrowSuspects } from './culprits.ts'
import {
  ageOfReads,
  oldestReadMs,
  readAfterWrites,
  readResources,
  sendAndRead,
  sendOpposite,
} from './read-resources.ts'

/**
 * Reads everything that the writes of a check may have changed, and judges the reads. Finds one suspect for each violation, if possible.
 *
 * @param from number of exchanges in the history before the writes
 */
export async function judgeWrites(context: CheckContext, from: number): Promise<StateJudgement> {
  const since = () => context.history.slice(from)
  if (!since().some(isWrite)) return { violations: [], shown: new Set() }
  const age = await ageOfReads(context)
  if (age.ms > 0) await context.wait(age.ms)
  await readAfterWrites(context, since())
  const confirmed = await context.once('confirmed violations', async () => new Set<string>())
  const isNew = (one: StateViolation) => since().includes(one.at) && !confirmed.has(kindOf(one))
  const verdict = await withoutOldReads(context, await judgeHistory(context, 0), isNew)
  const violations: StateViolation[] = []
  // Another check may still wait for the reads that show earlier violations.
  for (const violation of verdict.violations.filter(({ at }) => since().includes(at))) {
    const one = await narrowSuspects(context, violation)
    const shown = one.how === 'missing' ? await repeatWrite(context, one) : one
    if (shown) violations.push(shown)
  }
  for (const violation of violations) confirmed.add(kindOf(violation))
  return { ...verdict, violations }
}

function kindOf(violation: StateViolation): string {
  return [violation.how, fieldKey(violation), suspectOf(violation)?.operation.name].join(' ')
}

/**
 * Leaves out violations that old reads explain. If a new violation is left even if reads may be old, the first judgement still names its
 * suspects best. If none is left and `findAgain` finds old reads, the run allows for them from then on.
 */
async function withoutOldReads(
  context: CheckContext,
  verdict: StateJudgement,
  isNew: (violation: StateViolation) => boolean,
): Promise<StateJudgement> {
  const age = await ageOfReads(context)
  const fresh = verdict.violations.filter(isNew)
  if (context.virtualClock || age.ms > 0 || fresh.length === 0) return verdict
  await context.wait(oldestReadMs)
  await readResources(context)
  const late = await judgeHistory(context, 0, oldestReadMs)
  if (late.violations.some(isNew)) {
    const first = new Map(verdict.violations.map((one) => [keyOf(one.register), one]))
    return { ...late, violations: late.violations.map((one) => first.get(keyOf(one.register)) ?? one) }
  }
  const again = await findAgain(context, fresh)
  if (again === 'old') age.ms = oldestReadMs
  return again === 'damage' ? verdict : late
}

/** What the repetitions of writes showed, by the read and the register of their violation; undefined for a loss without a reason. */
const repetitions = new WeakMap<HistoryEntry, Map<string, Promise<StateViolation | undefined>>>()

/**
 * Sends a valid write without an effect again, once for all checks. If it then has the effect, the first one was lost. One such loss in a
 * run proves nothing, because another caller may have undone the change; the second one is a failure.
 *
 * @returns the violation; undefined for the first loss of a run
 */
async function repeatWrite(context: CheckContext, violation: StateViolation): Promise<StateViolation | undefined> {
  const all = repetitions.get(violation.at) ?? new Map<string, Promise<StateViolation | undefined>>()
  repetitions.set(violation.at, all)
  const key = keyOf(violation.register)
  const shown = all.get(key) ?? showAgain(context, violation, key)
  all.set(key, shown)
  shown.catch(() => all.delete(key))
  return shown
}

async function showAgain(
  context: CheckContext,
  violation: StateViolation,
  key: string,
): Promise<StateViolation | undefined> {
  const write = suspectOf(violation)
  const { request } = write?.entry ?? {}
  if (!write || !request || write.force !== 'must') return violation
  // Later changes may have had the same effect.
  await sendOpposite(context, write.operation, write.entry).catch(() => false)
  const from = context.history.length
  const response = await resultOrLost(sendAndRead(context, write.operation, request))
  if (violation.view === 'list')
    await readResources(context, { resources: [write.operation.resource], isOfLists: true })
  if ((await ageOfReads(context)).ms > 0) return violation
  const again = await judgeHistory(context, from)
  const isAgain = again.violations.some(({ register }) => keyOf(register) === key)
  const isShown = context.history.slice(from).some((entry) => again.shown.has(entry))
  // A repetition without a response shows nothing.
  if (isAgain || !(isShown || response instanceof LostResponse)) return violation
  const losses = await context.once('unexplained losses', async () => ({ count: 0 }))
  losses.count++
  const calls = context.history.filter((entry) => writeOf(entry)?.force === 'must').length
  context.observe('unexplained-losses', `${losses.count} of ${calls} confirmed changes had no effect`)
  return losses.count > 1 ? { ...violation, how: 'lost' } : undefined
}
