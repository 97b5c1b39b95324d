/** Random sequences of calls, each judged by the model. A failing sequence is shrunk. */
import type { ModelState, StatedOperation } from '@cdn/api/contract'
import fc from 'fast-check'
import {
  type ChangeCase,
  type Expectation,
  ruleForAbsent,
  type StateDifference,
  sendChange,
} from '../../cases/state/change.ts'
import { itemsFor } from '../../cases/state/created-items.ts'
import { callsTo, isSweepable } from '../../cases/state/declared.ts'
import { changesOf, type Items, observe, otherState, stateText } from '../../cases/state/items.ts'
import { absentIds, oddValues, relatedValues, requestOf, validChange } from '../../cases/state/requests.ts'
import { currentState, observeUntil, same } from '../../cases/state/seen.ts'
import { call, credentialOf, orLost, type SentCredential, schemeOf } from '../../exchange/call.ts'
import type { CaseCall } from '../../exchange/case.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { type Expected, Failure, LostResponse, need, refusal, type Seen, Skip } from '../../exchange/failure.ts'
import { isSuccess, statusOf } from '../../exchange/response.ts'

interface Step {
  readonly operation: string
  readonly credential: 'key' | 'bearer' | 'none'
  /** An index of the suite's own items, or an id that no item has. */
  readonly id: number | string
  /** An index of the names that the sequences add and remove. For an addition, the index after the last one is a value of an invalid type. */
  readonly body: number
}

/**
 * The first failure of the sequences of a resource. `operation` is the operation of the failed call. If the state changed after the last
 * call, it is the operation whose check ran the sequences.
 */
interface SequenceFailure {
  readonly operation: string
  readonly expected: Expected
  readonly seen: Seen
  /** Omitted if the state changed after the last call, because any call may then be the cause. */
  readonly steps?: readonly Step[]
}

/** Number of random sequences, and the maximum number of calls of each. */
const runs = { live: 12, virtual: 6 } as const
const maxCalls = 8
/** Time in ms after the last sequence until its state is read again. */
const laterMs = { live: 6_000, virtual: 3_600_000 } as const

/**
 * Runs the stored sequence of a check, then the random sequences of its resource, once for all operations of the resource.
 *
 * @throws Failure if the stored sequence fails, or if a shrunk random sequence ends with this operation
 */
export async function runSequences(context: CheckContext, operation: StatedOperation): Promise<void> {
  const { resource } = operation
  const { stored = [], replay } = context
  const repeated = stored.length > 0 ? await search(context, operation, stored.map(toStep)) : undefined
  const found =
    repeated || (replay && stored.length > 0)
      ? repeated
      : await context.once(`sequences of ${resource.interface} ${resource.name}`, () => search(context, operation))
  if (found && (found === repeated || found.operation === operation.name)) {
    // Send the sequence again, so that its calls are in the evidence of this check.
    if (found.steps) await run(await begin(context, operation), found.steps)
    throw new Failure(found.expected, found.seen, found.steps && { calls: found.steps.map(toCall) })
  }
}

/** Key of a stored id: an index of the suite's own items, or an id that no item has. */
type Whose = 'own' | 'absent'

function toCall({ operation, credential, id, body }: Step): CaseCall {
  const whose: Whose = typeof id === 'number' ? 'own' : 'absent'
  return { operation, ...(credential !== 'none' && { credential }), path: { [whose]: String(id) }, body }
}

function toStep({ operation, credential, path = {}, body }: CaseCall): Step {
  const { own, absent = '' } = path
  return {
    operation,
    credential: credential === 'key' || credential === 'bearer' ? credential : 'none',
    id: own === undefined ? absent : Number(own),
    body: Number(body),
  }
}

interface Play {
  readonly context: CheckContext
  readonly items: Items
  /** A fixed set of names, so that a sequence can add a name that is there and remove it again. */
  readonly names: readonly string[]
  readonly absent: readonly string[]
  readonly first: ModelState
  state: ModelState
  /** The calls since the items last had the first state. */
  readonly history: Step[]
  /** The error that prevented a call. */
  problem?: unknown
}

/**
 * Runs a stored sequence; without one, runs generated sequences: some with refusals, and some random ones.
 *
 * @returns the first failure, shrunk; undefined if no sequence fails
 * @throws the error that prevented a call, if there was no failure
 */
async function search(
  context: CheckContext,
  operation: StatedOperation,
  stored?: readonly Step[],
): Promise<SequenceFailure | undefined> {
  const play = await begin(context, operation)
  const operations = changesOf(operation.resource).filter(isItemChange)
  if (stored && !stored.every((step) => isPossible(play, operations, step))) {
    if (context.replay) throw new Skip('the stored sequence does not fit the fixtures')
    return undefined
  }
  for (const steps of stored ? [stored] : sequencesOf(play, operations)) {
    const before = [...play.history]
    // The failure may depend on earlier sequences, so these are added if the sequence alone passes. If both pass, a read showed
    // an earlier state.
    const failure =
      (await run(play, steps)) && ((await shrink(play, steps)) ?? (await shrink(play, [...before, ...steps])))
    if (failure) return failure
  }
  if (play.problem) throw play.problem
  return changedLater(play, operation)
}

async function begin(context: CheckContext, operation: StatedOperation): Promise<Play> {
  const items = await itemsFor(context, operation)
  const first = await currentState(context, items)
  const names = [...relatedValues(), ...oddValues()]
  const absent = await absentIds(context, items)
  return { context, items, names, absent, first, state: first, history: [] }
}

/** Whether the random sequences could contain a step. */
function isPossible({ items, absent, names }: Play, operations: readonly StatedOperation[], step: Step): boolean {
  const { operation, id, body } = step
  const isThere = typeof id === 'number' ? items.own[id] !== undefined : absent.includes(id)
  return operations.some(({ name }) => name === operation) && isThere && body <= names.length
}

function sequencesOf({ context, items, absent, names }: Play, operations: readonly StatedOperation[]): Step[][] {
  const step = fc.record<Step>({
    operation: fc.constantFrom(...operations.map(({ name }) => name)),
    credential: fc.oneof({ weight: 4, arbitrary: fc.constant('key' as const) }, fc.constantFrom('bearer', 'none')),
    id: fc.oneof(
      { weight: 5, arbitrary: fc.nat(items.own.length - 1) },
      ...(absent.length > 0 ? [fc.constantFrom(...absent)] : []),
    ),
    body: fc.nat(names.length),
  })
  const numRuns = runs[context.virtualClock ? 'virtual' : 'live']
  const random = fc.array(step, { minLength: 1, maxLength: maxCalls })
  return [...afterRefusals(operations, names.length), ...fc.sample(random, { numRuns, seed: context.seed })]
}

/**
 * Sends a sequence. Returns the first call whose response or state differs from the model. An error that prevents a call is not a
 * failure.
 */
async function run(play: Play, steps: readonly Step[]): Promise<SequenceFailure | undefined> {
  try {
    for (const [index, step] of steps.entries()) {
      // The state is read after a refusal only if it is the last call. The next call shows what an earlier refusal changed.
      const difference = await send(play, step, index + 1 === steps.length)
      // The calls after the failed one are not sent.
      if (difference) return { operation: step.operation, ...difference, steps: steps.slice(0, index + 1) }
    }
  } catch (error) {
    play.problem = error
    play.state = await observe(play.context, play.items)
  }
  return undefined
}

async function send(play: Play, step: Step, isLast: boolean): Promise<StateDifference | undefined> {
  const { context, items, names, state } = play
  const change = await changeOf(context, items, step, names)
  if (!change) return undefined
  play.history.push(step)
  context.count()
  if (change.rule === 'refused' && !isLast) {
    const response = await orLost(call(context, change.operation, change.request))
    if (response instanceof LostResponse || !isSuccess(response)) return undefined
    return { what: 'response', expected: refusal(), seen: statusOf(response) }
  }
  const sent = await orLost(sendChange(context, change, state))
  play.state = sent instanceof LostResponse ? await observe(context, items) : sent.after
  if (sent instanceof LostResponse) return undefined
  // The spec does not state the status for an invalid body, only that it has no effect.
  const isInvalid = hasInvalidBody(change.operation, step, names)
  return sent.differences.find(({ what }) => !isInvalid || what !== 'response')
}

/**
 * Restores the first state, and sends a sequence again. On a live target, first waits until reads no longer show an earlier
 * state.
 */
async function runAgain(play: Play, steps: readonly Step[]): Promise<SequenceFailure | undefined> {
  const { context, items, first } = play
  if (!context.virtualClock) await context.wait(laterMs.live)
  const [seen = [], fixed = []] = [await observe(context, items), first].map((state) => Object.values(state).flat())
  const { id: field = '' } = items.resource
  for (const id of items.own) {
    const [own = {}, fields = {}] = [seen, fixed].map((all) => all.find((item) => item[field] === id))
    for (const undo of callsTo({ items, id, fields }, own))
      await orLost(call(context, undo.operation, await requestOf(context, undo)))
  }
  play.state = await observeUntil(context, items, (seen) => same(seen, first))
  play.history.length = 0
  return run(play, steps)
}

/** Returns the failure of the smallest part of a sequence found that still fails; undefined if the sequence does not fail again. */
async function shrink(play: Play, steps: readonly Step[]): Promise<SequenceFailure | undefined> {
  let failure = await runAgain(play, steps)
  if (!failure) return undefined
  const all = [...(failure.steps ?? steps)]
  const fails = fc.asyncProperty(fc.subarray(all), async (some) => {
    const again = (await runAgain(play, some)) && (await runAgain(play, some))
    failure = again ?? failure
    return again === undefined
  })
  const { failed } = await fc.check(fails, { examples: [[all]], numRuns: 1 })
  return failed ? failure : undefined
}

/** Returns a failure if the state changes on its own after the last sequence. Any call may be the cause. */
async function changedLater(
  { context, items, state }: Play,
  { name: operation }: StatedOperation,
): Promise<SequenceFailure | undefined> {
  await context.wait(laterMs[context.virtualClock ? 'virtual' : 'live'])
  const later = await observeUntil(context, items, (seen) => same(seen, state))
  if (same(later, state)) return undefined
  return { operation, expected: stateText(state), seen: otherState(state, later, 'does not last') }
}

/**
 * Returns sequences in which each operation follows a refusal of itself. The other operations come first, so that the last call
 * changes something.
 */
function afterRefusals(operations: readonly StatedOperation[], invalidBody: number): Step[][] {
  return operations.flatMap(({ name }) => {
    const valid: Step = { operation: name, credential: 'key', id: 0, body: 0 }
    const refusals: Step[] = [
      { ...valid, credential: 'none' },
      { ...valid, body: invalidBody },
    ]
    const others = operations.filter((other) => other.name !== name)
    return refusals.map((refused) => [...others.map((other) => ({ ...valid, operation: other.name })), refused, valid])
  })
}

/** Whether an operation changes an item in a way that a sweep can undo, and neither creates nor deletes it. */
export function isItemChange(operation: StatedOperation): boolean {
  return isSweepable(operation) && operation.action.kind !== 'create' && operation.action.kind !== 'delete'
}

/** Makes one call of a sequence. Returns undefined if the operation or the fixtures lack its credential. */
async function changeOf(
  context: CheckContext,
  items: Items,
  step: Step,
  names: readonly string[],
): Promise<ChangeCase | undefined> {
  const operation = need(
    changesOf(items.resource).find(({ name }) => name === step.operation),
    step.operation,
  )
  const isOwn = typeof step.id === 'number'
  const id = typeof step.id === 'number' ? items.own[step.id] : step.id
  const credential = credentialFor(context, operation, step.credential)
  if (credential === 'missing') return undefined
  const valid = await validChange(context, operation, items, id)
  const isInvalid = hasInvalidBody(operation, step, names)
  const body =
    'value' in operation.action
      ? { body: { [operation.action.value]: isInvalid ? 7 : (names[step.body] ?? names[0]) } }
      : {}
  const refused = step.credential === 'none' || isInvalid
  const rule = refused ? 'refused' : isOwn ? ruleOf(operation, step.credential) : ruleForAbsent(operation)
  return { operation, items, request: { ...valid, ...body, credential }, rule }
}

/** Whether a step sends a value of another type than the string that the spec states. */
function hasInvalidBody({ action, spec }: StatedOperation, { body }: Step, names: readonly string[]): boolean {
  const { properties = {} } = spec?.requestBody?.content['application/json'] ?? {}
  return body === names.length && action.kind === 'add' && properties[action.value]?.type === 'string'
}

/** A credential of a scheme that the operation does not name may be accepted (unspecified). */
function ruleOf(operation: StatedOperation, credential: 'key' | 'bearer'): Expectation {
  return operation.schemes.some((scheme) => schemeOf(operation, scheme).kind === credential) ? 'accepted' : 'open'
}

function credentialFor(
  context: CheckContext,
  operation: StatedOperation,
  kind: Step['credential'],
): SentCredential | 'missing' {
  if (kind === 'none') return undefined
  const scheme = operation.schemes.find((name) => schemeOf(operation, name).kind === kind)
  if (kind === 'key') return scheme === undefined ? 'missing' : credentialOf(context, operation, scheme)
  const { bearer } = context.fixtures.credentials
  return bearer === undefined ? 'missing' : { scheme: scheme ?? 'bearer', value: bearer }
}
