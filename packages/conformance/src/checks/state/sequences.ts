/** Random sequences of calls, each judged by the model. A failing sequence is shrunk. */
import type { ModelState, StatedOperation } from '@cdn/api/contract'
import fc from 'fast-check'
import { credentialOf, type SentCredential, schemeOf } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { Failure, LostResponse, need } from '../../core/failure.ts'
import { isImported } from '../resources.ts'
import { attempt, type Expectation, type Witnessed } from './attempt.ts'
import { changesOf, type Items, itemLines, observe } from './items.ts'
import {
  absentIds,
  currentState,
  isUndoable,
  itemsFor,
  newName,
  observeUntil,
  oddValues,
  orLost,
  ruleForAbsent,
  same,
  validChange,
} from './requests.ts'

/** One call of a sequence, as labels. */
interface Step {
  readonly operation: string
  readonly credential: 'key' | 'bearer' | 'none'
  /** An index of the suite's own items, or an id that no item has. */
  readonly id: number | string
  /** An index of the names that the sequences add and remove. One beyond the last is a value of an invalid type. */
  readonly body: number
}

/** The first failure of the sequences of a resource, and the operation of its last call. */
interface SequenceFailure {
  readonly operation: string
  readonly expected: string
  readonly seen: string
}

/** Number of sequences, and the maximum number of their calls. */
const runs = { live: 12, virtual: 6 } as const
const maxCalls = 8
/** How long after the last sequence its state is looked at again, in milliseconds. */
const laterMs = { live: 6_000, virtual: 3_600_000 } as const

/**
 * Runs the sequences of an operation's resource, once for all its operations.
 *
 * @throws Failure if the shrunk sequence ends with this operation
 */
export async function runSequences(context: CheckContext, operation: StatedOperation): Promise<void> {
  const { resource } = operation
  const failure = await context.once(`sequences of ${resource.interface} ${resource.name}`, () =>
    search(context, operation),
  )
  if (failure?.operation === operation.name) throw new Failure(failure.expected, failure.seen)
}

async function search(context: CheckContext, operation: StatedOperation): Promise<SequenceFailure | undefined> {
  const items = await itemsFor(context, operation)
  const operations = changesOf(operation.resource).filter(isItemChange)
  // A fixed set of names, so that a sequence can add a name that is there and remove it again.
  const names = [newName(), newName(), ...oddValues()]
  let state = await currentState(context, items)
  const absent = await absentIds(context, items)
  const step = fc.record<Step>({
    operation: fc.constantFrom(...operations.map(({ name }) => name)),
    credential: fc.oneof({ weight: 4, arbitrary: fc.constant('key' as const) }, fc.constantFrom('bearer', 'none')),
    id: fc.oneof(
      { weight: 5, arbitrary: fc.nat(items.own.length - 1) },
      ...(absent.length > 0 ? [fc.constantFrom(...absent)] : []),
    ),
    body: fc.nat(names.length),
  })
  // The last failure of the search. The last run of shrinking may pass.
  let failure: SequenceFailure | undefined
  const run = async (steps: readonly Step[]) => {
    for (const step of steps) {
      const sent = await orLost(send(context, items, step, state, names))
      const { differences = [], after } = sent && !(sent instanceof LostResponse) ? sent : {}
      context.count()
      state = after ?? (await observe(context, items))
      const [first] = differences
      if (first) failure = { operation: step.operation, ...first }
      if (first) return false
    }
    return true
  }
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: maxCalls }), async (steps) => {
    if (await run(steps)) return true
    if (context.virtualClock) return false
    // The target may have shown an earlier state.
    await context.wait(laterMs.live)
    state = await observe(context, items)
    return run(steps)
  })
  const examples = afterRefusals(operations, names.length).map((steps): [Step[]] => [steps])
  const numRuns = examples.length + runs[context.virtualClock ? 'virtual' : 'live']
  const { counterexample } = await fc.check(property, { examples, numRuns, seed: context.seed })
  if (counterexample && failure) {
    const calls = counterexample[0].map((each) => JSON.stringify(each)).join(', ')
    return { ...failure, seen: `${failure.seen} after ${calls} (seed ${context.seed})` }
  }
  await context.wait(laterMs[context.virtualClock ? 'virtual' : 'live'])
  const later = await observeUntil(context, items, (seen) => same(seen, state))
  if (same(later, state)) return undefined
  const expected = itemLines(state).join(', ')
  return { operation: operation.name, expected, seen: `later ${itemLines(later).join(', ')}` }
}

/** Each operation after each kind of its refusals. Another operation comes first, so that the last call changes something. */
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

/** Whether an operation changes an item, and neither creates nor deletes it. */
export function isItemChange(operation: StatedOperation): boolean {
  return isUndoable(operation) && operation.action.kind !== 'create' && operation.action.kind !== 'delete'
}

/** Sends one call of a sequence. Returns nothing if the fixtures lack its credential. */
async function send(
  context: CheckContext,
  items: Items,
  step: Step,
  before: ModelState,
  names: readonly string[],
): Promise<Witnessed | undefined> {
  const operation = need(
    changesOf(items.resource).find(({ name }) => name === step.operation),
    step.operation,
  )
  const isOwn = typeof step.id === 'number'
  const id = typeof step.id === 'number' ? items.own[step.id] : step.id
  const credential = credentialFor(context, operation, step.credential)
  if (credential === 'missing') return undefined
  const valid = await validChange(context, operation, items, id)
  const isInvalid = step.body === names.length && statesType(operation)
  const body =
    'value' in operation.action
      ? { body: { [operation.action.value]: isInvalid ? 7 : (names[step.body] ?? names[0]) } }
      : {}
  const refused = step.credential === 'none' || isInvalid
  const rule = refused ? 'refused' : isOwn ? ruleOf(operation, step.credential) : ruleForAbsent(operation)
  const sent = await attempt(context, { operation, items, request: { ...valid, ...body, credential }, rule }, before)
  // The spec does not state the status for an invalid body, only that it has no effect.
  return isInvalid ? { ...sent, differences: sent.differences.filter(({ what }) => what !== 'response') } : sent
}

/** Whether the spec says that the value which an operation adds is a string. */
function statesType({ action, documented }: StatedOperation): boolean {
  const { properties = {} } = documented?.requestBody?.content['application/json'] ?? {}
  return action.kind === 'add' && properties[action.value]?.type === 'string'
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
  return bearer === undefined || isImported(operation) ? 'missing' : { scheme: scheme ?? 'bearer', value: bearer }
}
