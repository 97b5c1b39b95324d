/** Checks of what the contract states about the state: what each operation changes, and what it leaves as it is. */
import type { StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { isSweepable } from '../../cases/state/declared-state.ts'
import { itemNeeds, readOf, valuesIn } from '../../cases/state/items.ts'
import { failureOf } from '../../cases/state/state-failure.ts'
import type { Check, CheckContext } from '../../exchange/check.ts'
import { expect, Skip, value, wrong } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import {
  type ChecksOf,
  type Decided,
  type Decision,
  decide,
  itemName,
  needsOf,
  ofId,
} from '../../exchange/requirements.ts'
import { type FixtureName, fixturesOf } from '../../exchange/resources.ts'
import { expectSuccess } from '../../exchange/response.ts'
import { states404 } from '../../rules/state/registers.ts'
import { suspectOf } from '../../rules/state/sentences.ts'
import { type Play, playOf, unsafeMethods } from './plays.ts'

/** Checks of an operation that changes a resource; none if no sweep can undo the change. */
export const stateChecks: ChecksOf = (operation) => {
  if (!isSweepable(operation)) return []
  const { action, resource } = operation
  const read = readOf(resource)
  const isGone = action.kind === 'delete' && read?.action.kind === 'read' && states404(read)
  return [
    ofPlay(operation, { decides: '<operation>.effect' }, (played, context) => observeAgain(context, operation, played)),
    ...('value' in action ? [ofPlay(operation, { decides: '<operation>.one-per-call' })] : []),
    ...(unsafeMethods(operation).length > 0 ? [ofPlay(operation, { decides: '<operation>.other-methods' })] : []),
    ...(action.kind === 'add' ? [collection(operation, action)] : []),
    ...(action.kind === 'create' ? [] : ids(operation)),
    ...(isGone ? [gone(operation, read)] : []),
  ]
}

/** The fixtures and permissions of a play. */
function playNeeds(operation: StatedOperation): Pick<Check, 'needs' | 'uses' | 'effect' | 'basis'> {
  const { needs, uses } = itemNeeds(operation)
  return {
    basis: 'supplement',
    // The deletion of a watermark prepares a play of its upload.
    effect: operation.action.kind === 'set' ? 'destructive' : operation.effect,
    needs: [...new Set([...needsOf(operation), ...needs])],
    // Values that are added to other resources so that their loss shows need no reservation: no other check writes meanwhile.
    uses: [...new Set([...uses, 'watermarkFile' as const])],
  }
}

/**
 * Makes a check that plays an operation. It passes if a read showed an effect of the operation, and no read broke its sentence.
 *
 * @param verify throws if the play breaks the sentence in another way
 */
function ofPlay(
  operation: StatedOperation,
  details: Pick<Decision, 'decides' | 'values' | 'part' | 'needs'>,
  verify: (play: Play, context: CheckContext) => void = () => {},
): Decided {
  const { needs: further = [], ...rest } = details
  const { needs = [], ...common } = playNeeds(operation)
  return decide(operation, {
    ...common,
    ...rest,
    needs: [...new Set([...needs, ...further])],
    run: async (context) => {
      const played = await playOf(context, operation)
      const own = played.entries.filter((entry) => entry.operation === operation && played.shown.has(entry))
      for (const _ of own) context.count()
      verify(played, context)
      if (!own.some(({ noEffect }) => !noEffect)) throw new Skip(`no read shows an effect of ${operation.name}`)
    },
  })
}

/** Observes what the contract leaves open: the response to a change that is sent again, and how often its value is then in the list. */
function observeAgain(context: CheckContext, operation: StatedOperation, { entries, responses }: Play): void {
  const { action } = operation
  const again = responses.get('again')
  const at = entries.findIndex(({ response }) => response === again)
  const sent = entries[at]
  if (!again || !sent) return
  const read = readOf(operation.resource)
  const id = Object.values(sent.path).at(-1)
  const next = entries.slice(at).find((one) => one.operation === read && Object.values(one.path).at(-1) === id)
  const isSame = (each: unknown) => 'value' in action && each === toRecord(sent.body)[action.value]
  const kept = action.kind === 'add' && { kept: valuesIn(toRecord(next?.shown), action).filter(isSame).length }
  context.observe(`${operation.interface}.${operation.name}.again`, { status: again.status, ...kept })
}

/** Checks that each read shows a list of texts. A list that is null is empty; a missing list breaks the body of the read. */
function collection(
  operation: StatedOperation,
  action: Extract<StatedOperation['action'], { kind: 'add' | 'remove' }>,
): Decided {
  const read = readOf(operation.resource)
  return ofPlay(operation, { decides: '<operation>.collection' }, ({ entries }) => {
    for (const { operation: of, shown } of entries) {
      if (of !== read || shown === undefined) continue
      const item = toRecord(shown)
      const list = item[action.field]
      const isOfTexts = Array.isArray(list) && valuesIn(item, action).every((each) => typeof each === 'string')
      expect(
        list === null || list === undefined || isOfTexts,
        value('a collection of strings'),
        wrong('the list has values that are not strings', { field: action.field }),
      )
    }
  })
}

/** Checks that the id in the path selects the item, and that other items stay as they are. */
function ids(operation: StatedOperation): Decided[] {
  const values = itemName(operation)
  const [first = 'libraryId', ...others] = fixturesOf(operation.resource)?.own ?? []
  const far = {
    decides: ['<operation>.<item>-id/distant', '<operation>.id/distant'],
    values,
    part: 'an id beyond 32 bits',
  } as const
  return [
    ofPlay(operation, { decides: ofId, values, part: 'other items' }),
    ...others.map((name) =>
      ofPlay(operation, { ...far, needs: [name] }, ({ responses, violations, entries, shown }, { fixtures }) => {
        const isMissing = (fixture: FixtureName) =>
          violations.find(
            (one) =>
              one.how === 'missing' &&
              suspectOf(one)?.operation === operation &&
              one.register.item.endsWith(`/${fixtures[fixture]}`),
          )
        const violation = isMissing(name)
        if (violation && !isMissing(first)) throw failureOf(violation)
        const response = responses.get(name)
        if (!response) throw new Skip(`no response to ${operation.name} with the id of ${name}`)
        expectSuccess(response)
        const isOfItem = (entry: HistoryEntry) =>
          entry.operation === operation && Object.values(entry.path).at(-1) === fixtures[name]
        if (!entries.some((entry) => isOfItem(entry) && shown.has(entry)))
          throw new Skip(`no read shows an effect of ${operation.name} on the item of ${name}`)
      }),
    ),
  ]
}

/** Checks that a read of a deleted item is answered 404, if the contract states this for an item that does not exist. */
function gone(operation: StatedOperation, read: StatedOperation): Decided {
  return decide(read, {
    decides: '<operation>.404/deleted',
    ...playNeeds(operation),
    run: async (context) => {
      const { entries } = await playOf(context, operation)
      if (!entries.some((entry) => entry.operation === read && entry.status === 404))
        throw new Skip('no read of a deleted item was answered 404')
    },
  })
}
