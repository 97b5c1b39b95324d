/** Sends one request, and compares the state afterwards with the state that the contract states. */
import {
  apply,
  type Item,
  isStated,
  itemOf,
  type ModelCall,
  type ModelState,
  type Operation,
  type Outcome,
  type StatedOperation,
} from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { call, orLost, patienceFor, type Request, type SentCredential } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered, ReceivedResponse } from '../../exchange/exchange.ts'
import {
  type Expected,
  Failure,
  LostResponse,
  refusal,
  type Seen,
  Skip,
  success,
  value,
} from '../../exchange/failure.ts'
import { isSuccess, parseOrUndefined, prepared, statusOf } from '../../exchange/response.ts'
import { surplus } from '../logs/rows.ts'
import { createdId, itemsFor, renewItems } from './created-items.ts'
import { firstFields } from './fields.ts'
import {
  changesOf,
  fieldText,
  type Items,
  itemLines,
  listItems,
  listOf,
  otherState,
  pathOf,
  valuesIn,
} from './items.ts'
import { markedLike } from './own-items.ts'
import { type PathRequest, requestOf, validChange } from './requests.ts'
import { currentState, forget, observeUntil, predict, remember, same } from './seen.ts'

/** Whether a request must succeed. `open`: the contract does not state it. A refusal must not change anything. */
export type Expectation = 'accepted' | 'refused' | 'open'

export interface ChangeCase {
  readonly operation: StatedOperation
  readonly items: Items
  readonly request: PathRequest & { readonly credential?: SentCredential }
  readonly rule: Expectation
}

/**
 * How a response or the state afterwards differs from the contract. `response`: refused or accepted against the rule.
 * `effect`: the item of the request is not as expected. `rest`: the value of the request is as expected in its list, but other values of
 * the item are not. `other-items`: another item changed.
 */
export interface StateDifference {
  readonly what: 'response' | 'effect' | 'rest' | 'other-items'
  readonly expected: Expected
  readonly seen: Seen
  readonly responses?: readonly ReceivedResponse[]
}

/** The state after a change, and its differences from the contract. */
export interface SeenChange {
  /** Undefined if the response was lost. */
  readonly response: Answered | undefined
  readonly after: ModelState
  readonly items: Items
  readonly differences: readonly StateDifference[]
}

/**
 * Sends a request, and compares the state before and afterwards with the model.
 *
 * @param known the state before the request, if it is known. By default, each item is first brought into a state that the request
 *   changes
 * @throws LostResponse if the response was lost and the state is unchanged
 */
export async function sendChange(context: CheckContext, sent: ChangeCase, known?: ModelState): Promise<SeenChange> {
  const { operation, rule } = sent
  const given = { ...sent, request: { ...sent.request, body: valueOfBody(sent.request.body) } }
  const before = known ?? (await prepare(context, given))
  const patience = await patienceFor(context, operation)
  const isCreate = operation.action.kind === 'create'
  const listed = isCreate ? await idsInList(context, given) : []
  await noteFirstFields(context)
  const received = await orLost(call(context, operation, sent.request))
  const response = received instanceof LostResponse ? undefined : received
  // After a lost response, only the state shows whether the target executed the request, and a read may still show the earlier
  // state.
  if (!response && !context.virtualClock) await context.wait(staleMs)
  const { items, outcomes } = isCreate
    ? await creation(context, given, { before, listed, received })
    : { items: given.items, outcomes: apply(before, operation, given.request) }
  const permitted = permittedStates(outcomes, before, rule, response && isSuccess(response))
  const fits = (state: ModelState) => permitted.some((one) => matches(state, one))
  const after = await observeUntil(context, items, fits)
  const isRight = fits(after)
  // A wrong state counts as a vain wait, unless the response was lost. A right state resets the count only after an expected success,
  // because after a refusal it shows no effect.
  if (response && (!isRight || (rule === 'accepted' && isSuccess(response)))) patience.note(isRight)
  if (received instanceof LostResponse && isRight && matches(after, before)) throw received
  remember(context, items, after, isRight)
  const ofState = isRight ? [] : differencesOf(given, before, permitted[0] ?? before, after)
  return { response, after, items, differences: [...judge(response, rule, outcomes), ...ofState] }
}

/**
 * Returns the items after a creation, with the created ones, and the permitted outcomes. A refused creation may have created an
 * item, too.
 */
async function creation(
  context: CheckContext,
  given: ChangeCase,
  { before, listed, received }: { before: ModelState; listed: readonly string[]; received: Answered | LostResponse },
): Promise<{ readonly items: Items; readonly outcomes: readonly Outcome[] }> {
  const { operation, request, items } = given
  const withIds = (ids: readonly string[]) => ({ ...items, own: [...items.own, ...ids] })
  if (!(received instanceof LostResponse) && !isSuccess(received)) {
    const ids = await idsInList(context, given)
    return {
      items: withIds(ids.filter((id) => !listed.includes(id))),
      outcomes: apply(before, operation, request),
    }
  }
  const id = await createdId(context, operation, request, items, received)
  const created = { [operation.resource.id ?? '']: id }
  return { items: withIds([id]), outcomes: apply(before, operation, request, (fields) => ({ ...fields, ...created })) }
}

/**
 * Returns the ids of items with a name of the request, as a list shows them: a refused creation may have created such items. With
 * a virtual clock, no other caller creates items, so all items of the list count.
 */
async function idsInList(context: CheckContext, { operation, items, request }: ChangeCase): Promise<string[]> {
  const list = listOf(operation.resource)
  const isAlone = context.virtualClock && list
  const all = await (isAlone ? listItems(context, list, items) : markedLike(context, items, request.body))
  return all.map((item) => String(item[operation.resource.id ?? '']))
}

/** Sends a valid request to an item of the fixtures or a new one. By default, it must succeed. */
export async function sendValidChange(
  context: CheckContext,
  operation: StatedOperation,
  {
    id,
    rule = 'accepted',
    ...changes
  }: Pick<Request, 'credential' | 'encode'> & { id?: string; rule?: Expectation } = {},
): Promise<SeenChange> {
  const items = await itemsFor(context, operation)
  const request = { ...(await validChange(context, operation, items, id)), ...changes }
  return sendChange(context, { operation, items, request, rule })
}

/**
 * Brings an item into a state that a request changes, for example with the hostname that the request removes.
 *
 * @returns the state before the request
 * @throws Skip if no operation does that, or if the target does not show it
 */
export async function makeVisible(context: CheckContext, change: ModelCall, items: Items): Promise<ModelState> {
  const { operation, request } = change
  const before = await currentState(context, items)
  const changes = (state: ModelState) => apply(state, operation, request)[0]?.state !== state
  if (operation.action.kind === 'create' || changes(before)) return before
  for (const other of changesOf(operation.resource)) {
    const opposite = { operation: other, request: { path: request.path, body: request.body } }
    const after = other === operation ? undefined : apply(before, other, opposite.request)[0]?.state
    if (!after || after === before || !changes(after)) continue
    await noteFirstFields(context)
    const sent = await requestOf(context, opposite)
    const response = await orLost(call(context, other, sent))
    if (!(response instanceof LostResponse)) prepared(response, `preparing by ${other.name}`)
    // A read may still show this state from an earlier change, even if the lost request had no effect.
    if (response instanceof LostResponse && !context.virtualClock) await context.wait(staleMs)
    const patience = await patienceFor(context, other)
    const seen = await observeUntil(context, items, (state) => same(state, after))
    remember(context, items, seen)
    if (!(response instanceof LostResponse)) patience.note(same(seen, after))
    if (same(seen, after)) return seen
    if (response instanceof LostResponse) throw response
    throw new Skip(`the ${items.resource.name} does not show what ${other.name} changed`)
  }
  throw new Skip(`no operation brings the ${items.resource.name} into a state that ${operation.name} changes`)
}

/** Brings each of the suite's items into a state that the request would change, so that a change of the wrong item is visible. */
export async function prepare(context: CheckContext, { operation, items, request }: ChangeCase): Promise<ModelState> {
  if (operation.action.kind === 'create') return currentState(context, items)
  let before: ModelState = {}
  for (const id of items.own) {
    const path = pathOf(operation, items, id)
    before = await makeVisible(context, { operation, request: { ...request, path } }, items)
  }
  return before
}

/** The value of a body that is sent as text; undefined if it is not JSON. */
function valueOfBody(body: unknown): unknown {
  return typeof body === 'string' ? parseOrUndefined(body) : body
}

function judge(
  response: ReceivedResponse | undefined,
  rule: Expectation,
  outcomes: readonly Outcome[],
): StateDifference[] {
  if (!response) return []
  const isRefusable = outcomes.some(({ kind }) => kind !== 'done')
  const isWrong = isSuccess(response) ? rule === 'refused' : rule === 'accepted' && !isRefusable
  const expected = rule === 'refused' ? refusal() : success()
  return isWrong ? [{ what: 'response', expected, seen: statusOf(response), responses: [response] }] : []
}

/**
 * The states that the contract permits after a request.
 *
 * @param succeeded undefined if there was no response
 */
function permittedStates(
  outcomes: readonly Outcome[],
  before: ModelState,
  rule: Expectation,
  succeeded: boolean | undefined,
): ModelState[] {
  if (rule === 'refused' || succeeded === false) return [before]
  const done = outcomes.filter(({ kind }) => kind === 'done').map(({ state }) => state)
  return succeeded === undefined || (rule === 'open' && done.length === 0) ? [...done, before] : done
}

/** Whether a state has all values of the expected one. A created item may have further values, which the contract leaves open. */
function matches(state: ModelState, expected: ModelState): boolean {
  const known = Object.entries(expected).map(([path, items]) => {
    const seen = state[path] ?? []
    return [path, items.map((item, index) => pick(seen[index] ?? {}, Object.keys(item)))] as const
  })
  const counts = Object.entries(expected).every(([path, items]) => items.length === (state[path] ?? []).length)
  return counts && same(Object.fromEntries(known), expected)
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.map((name) => [name, item[name]]))
}

/** Says which items differ: the item of the request, or others. */
function differencesOf(
  { operation, request }: ChangeCase,
  before: ModelState,
  expected: ModelState,
  after: ModelState,
): StateDifference[] {
  const own = itemOf(expected, operation, request.path) ?? itemOf(before, operation, request.path)
  const { action } = operation
  const has = (state: ModelState) =>
    'value' in action &&
    valuesIn(itemOf(state, operation, request.path), action).includes(toRecord(request.body)[action.value])
  const [missing, additional] = [
    surplus(itemLines(expected), itemLines(after)),
    surplus(itemLines(after), itemLines(expected)),
  ]
  const { id = '' } = operation.resource
  const isOwn = (line: string) => own !== undefined && `${line},`.includes(`${fieldText(id, JSON.stringify(own[id]))},`)
  const texts = { expected: value(missing.join(', ') || 'no such item'), seen: otherState(expected, after) }
  const all = [...missing, ...additional]
  const what = !('value' in action) || has(after) !== has(expected) ? 'effect' : 'rest'
  return [
    ...(!own || all.some(isOwn) ? [{ what, ...texts } as const] : []),
    ...(own && !all.every(isOwn) ? [{ what: 'other-items', ...texts } as const] : []),
  ]
}

/**
 * Sends a request without reading the state afterwards.
 *
 * @param items the items that a write changes
 */
export async function send(
  context: CheckContext,
  operation: Operation,
  request: PathRequest,
  items?: Items,
): Promise<Answered> {
  if (!items || !isStated(operation)) return call(context, operation, request)
  await noteFirstFields(context)
  forget(context)
  const response = await call(context, operation, request)
  if (isSuccess(response) && operation.action.kind !== 'create') predict(context, { operation, items, request })
  return response
}

/**
 * Notes the fields before the first write, for the checks that look for other changes. All other checks can do without them, so
 * an error is ignored.
 */
async function noteFirstFields(context: CheckContext): Promise<void> {
  await firstFields(context).catch(() => undefined)
}

/**
 * Adds a value to the list that an operation changes, so that the list holds a value that must stay. Does nothing if the operation
 * changes no list.
 *
 * @param value by default a new name
 */
export async function addValue(context: CheckContext, operation: StatedOperation, value?: string): Promise<void> {
  const add = changesOf(operation.resource).find(({ action }) => action.kind === 'add')
  if (!add || !('value' in add.action) || !('field' in operation.action)) return
  const items = await itemsFor(context, add)
  const valid = await validChange(context, add, items)
  const request = value === undefined ? valid : { ...valid, body: { [add.action.value]: value } }
  await sendChange(context, { operation: add, items, request, rule: 'accepted' })
}

/**
 * Whether a request for an id that no item has must be refused: only if the spec states a 404 for its operation, or the supplement for an
 * operation that the spec does not describe. Otherwise, it may succeed.
 */
export function ruleForAbsent({ spec, responses }: StatedOperation): 'refused' | 'open' {
  return (spec?.responses ?? responses).some(({ status }) => status === '404') ? 'refused' : 'open'
}

/** Throws a Failure for the first difference, or for the first one of the given kinds. */
export function failOn(
  { differences }: Pick<SeenChange, 'differences'>,
  ...kinds: readonly StateDifference['what'][]
): void {
  const first = differences.find(({ what }) => kinds.length === 0 || kinds.includes(what))
  if (first) throw new Failure(first.expected, first.seen, first.responses && { responses: first.responses })
}

/** How long a target may show an earlier state, in milliseconds. The contract does not say when a read shows a change. */
const staleMs = 6_000

/**
 * Repeats a failed check of a live target, because reads may have shown an earlier state when the check began. A skipped
 * repetition proves nothing, for example because the failure left no item to repeat the check on. Once the effect of the operation
 * counts as absent (`patienceFor`), its checks are not repeated.
 */
export function confirmed(
  operation: Operation,
  run: (context: CheckContext) => Promise<void>,
): (context: CheckContext) => Promise<void> {
  return async (context) => {
    const patience = await patienceFor(context, operation)
    let failure: Failure | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(context)
      } catch (error) {
        const isSkipped = failure !== undefined && error instanceof Skip
        if (context.virtualClock || patience.isSpent() || !(error instanceof Failure || isSkipped)) throw error
        if (failure && (!isSkipped || attempt === maxAttempts)) throw failure
        if (error instanceof Failure) failure = error
        forget(context)
        renewItems(context)
        await context.wait(staleMs)
      }
    }
  }
}

/** Maximum number of runs of a failed check whose repetitions are skipped. */
const maxAttempts = 3
