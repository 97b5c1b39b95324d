/**
 * Brings a live target into the state that the fixtures declare, and deletes the items that the suite created. A sweep needs no memory of
 * earlier runs: a value that the suite adds has its mark, or belongs to a list whose other values the fixtures declare.
 */
import type { Item, ModelCall, Operation, Resource, StatedOperation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import {
  callsTo,
  type DeclaredItem,
  declaredItems,
  ownCollections,
  requireSweepable,
} from '../../cases/state/declared-state.ts'
import { changesOf, type Items, idIn, listItems, pathOf, readItems } from '../../cases/state/items.ts'
import { type Creation, hasOwnName, reasonNotToWrite } from '../../cases/state/own-items.ts'
import { requestOf } from '../../cases/state/requests.ts'
import { call, eventually } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { errorReason, Skip } from '../../exchange/failure.ts'
import { isSuccess } from '../../exchange/response.ts'
import { changedFields } from '../../rules/state/fields.ts'
import { lateMs } from '../../rules/state/possible-values.ts'
import { fieldsOf } from '../../rules/state/registers.ts'
import { createMark } from './mark.ts'
import { createOwnWrites, leakOf, type OwnWrites, type SweepTools, type Swept } from './own-writes.ts'

/** Attempts per call, and the pause before the second one in ms. It doubles for each further attempt. */
const [maxAttempts, pauseMs] = [5, 250]

export type Sweeper = ReturnType<typeof createSweeper>

/**
 * Creates the sweeper of a run.
 *
 * @param context sends requests that no check and no interruption ends
 * @param unjudged sends such requests without a record, for the mark of the run, which no judge may suspect
 * @throws SuiteConfigurationError if the fixtures declare a state that no operation brings about
 */
export function createSweeper(context: CheckContext, unjudged = context) {
  const declared = declaredItems(context.fixtures)
  const collections = ownCollections(context.fixtures)
  const first = new Map<DeclaredItem, Item>()
  /** Reasons why no check may write to a resource any more: a sweep could not undo the write. */
  const blocked = new Map<Resource, string>()
  const shown = new Set<string>()
  /** The items that were deleted, by the path parameters of the deletion. */
  const removed = new Set<string>()
  const watched = new Set<OwnWrites>()
  let isDown = false

  /** Sends each call until the target accepts it, and adds a change or a leak to `swept`. */
  const perform = async (changes: readonly ModelCall[], swept: Swept, by = context): Promise<Swept> => {
    for (const change of changes) {
      let reason: string | undefined
      // If a call throws on its last attempt, the target is probably unavailable. Then the other calls get one attempt each.
      for (let attempt = 0; attempt < (isDown ? 1 : maxAttempts); attempt++) {
        if (attempt > 0) await context.wait(pauseMs * 2 ** (attempt - 1))
        try {
          const response = await call(by, change.operation, await requestOf(by, change))
          isDown = false
          reason = isDone(change.operation, response) ? undefined : `status ${response.status}`
        } catch (error) {
          isDown = attempt + 1 >= maxAttempts || isDown
          reason = errorReason(error)
        }
        if (reason === undefined) break
      }
      if (reason === undefined) swept.changes.push(textOf(change))
      else swept.leaks.push(`could not ${textOf(change)}: ${reason}`)
    }
    return swept
  }

  const mark = createMark(unjudged, declared, collections, async (calls) => {
    const { leaks } = await perform(calls, { changes: [], leaks: [] }, unjudged)
    return leaks
  })

  /** Deletes items, if they are certainly those of the suite, and checks that they are gone. */
  const remove = async (items: Items, ids: readonly string[], swept: Swept, creation?: Creation): Promise<void> => {
    const operation = assertDefined(changesOf(items.resource).find(({ action }) => action.kind === 'delete'))
    for (const id of ids) {
      // Equal requests create items of one name, which each of their creations finds.
      const key = JSON.stringify(pathOf(operation, items, id))
      const isGone = () =>
        readItems(context, items, id).then(
          (shown) => shown.length === 0,
          () => false,
        )
      if (removed.has(key) && (await isGone())) continue
      // A read may be older than the creation, so only an item that stays away is gone.
      if (creation?.isDeletionSent && !(await eventually(context, async () => !(await isGone())))) continue
      const what = `the ${items.resource.name} with the id ${JSON.stringify(id)}`
      const reason = await reasonNotToWrite(context, items, id, creation).catch(errorReason)
      if (reason !== undefined) {
        swept.leaks.push(`did not delete ${what}, because ${reason}`)
        continue
      }
      const earlier = swept.leaks.length
      await perform([{ operation, request: { path: pathOf(operation, items, id) } }], swept)
      if (swept.leaks.length > earlier) continue
      removed.add(key)
      if (!(await eventually(context, isGone))) swept.leaks.push(`deleted ${what}, which is still there`)
    }
  }

  const restore = async (item: DeclaredItem, swept: Swept): Promise<void> => {
    const { resource } = item.items
    const openCalls = async () => {
      const [record] = await readItems(context, item.items, item.id)
      const seen = record ? fieldsOf(resource, record) : {}
      const missing = changedFields(resource).find((name) => record && seen[name] === undefined)
      if (missing !== undefined) throw new Skip(`the record of the ${resource.name} does not show its ${missing}`)
      const isOfMark = ({ request }: ModelCall) => Object.values(toRecord(request.body)).includes(mark.name())
      const calls = callsTo(item, seen, first.get(item)).filter((each) => !isOfMark(each))
      if (calls.length === 0 && !first.has(item)) first.set(item, seen)
      return calls
    }
    const earlier = swept.leaks.length
    // A read may still show an earlier state.
    const isRestored = await eventually(context, async () => {
      const calls = await openCalls()
      await perform(calls, swept)
      return calls.length === 0 || isDown || swept.leaks.length > earlier
    })
    // A call without a success may have been executed. Only what stays in its declared state is restored.
    const isOpen = () =>
      openCalls().then(
        ({ length }) => length > 0,
        () => true,
      )
    if (swept.leaks.length > earlier && !(await eventually(context, isOpen))) swept.leaks.length = earlier
    if (!isRestored) swept.leaks.push(`could not restore the ${resource.name} ${item.id}: it does not show the changes`)
  }

  const clear = async (items: Items, swept: Swept): Promise<void> => {
    const own = (await listItems(context, items)).filter((item) => hasOwnName(items.resource, item))
    await remove(items, [...new Set(own.map((item) => idIn(item, items)))], swept)
  }

  /** Sweeps the items of a resource. If that fails, no check may write to it. */
  const sweepPart = async (
    { resource, own: [id] }: Items,
    work: (swept: Swept) => Promise<void>,
    whole: Swept,
  ): Promise<void> => {
    const what = id === undefined ? `the list of each ${resource.name}` : `the ${resource.name} ${id}`
    const swept: Swept = { changes: [], leaks: [] }
    try {
      await work(swept)
      shown.add(what)
      for (const leak of swept.leaks) blocked.set(resource, leak)
    } catch (error) {
      const reason = `could not read ${what}: ${errorReason(error)}`
      blocked.set(resource, reason)
      // If the target has never shown these items, the suite has not written to them.
      if (shown.has(what)) swept.leaks.push(reason)
    }
    whole.changes.push(...new Set(swept.changes))
    whole.leaks.push(...swept.leaks)
  }

  const tools: SweepTools = { context, declared, first, blocked, perform, remove, restore }
  return {
    claim: mark.claim,
    release: mark.release,

    /** Brings each fixture into its declared state, and deletes each item of the suite. */
    async sweep(): Promise<Swept> {
      isDown = false
      if (watched.size > 0) await context.wait(lateMs)
      for (const writes of watched) await writes.takeBack()
      const whole: Swept = { changes: [], leaks: [] }
      for (const item of declared) await sweepPart(item.items, (swept) => restore(item, swept), whole)
      for (const items of collections) await sweepPart(items, (swept) => clear(items, swept), whole)
      whole.leaks.push(...[...watched].flatMap(({ creations }) => [...creations].map(leakOf)))
      return whole
    },

    /**
     * Verifies that a sweep can undo an operation.
     *
     * @throws Skip with the reason
     */
    permit(operation: Operation): void {
      if (operation.effect === 'read') return
      const reason = blocked.get(requireSweepable(operation).resource)
      if (reason !== undefined) throw new Skip(`a sweep could not take it back: ${reason}`)
    },

    /** Returns an object that sends the writes of a check, and can undo them. */
    watch(): OwnWrites {
      const writes: OwnWrites = createOwnWrites(tools, () => watched.delete(writes))
      watched.add(writes)
      return writes
    },
  }
}

function textOf({ operation, request }: ModelCall): string {
  const { action } = operation
  const value = 'value' in action ? ` ${toRecord(request.body)[action.value]}` : ''
  return `${operation.name.replaceAll('-', ' ')}${value} (${Object.values(request.path).join('/')})`
}

/**
 * Whether a call had its effect, or did not need one. The platform may refuse to remove an absent value or item, or to add a value that
 * is there (unspecified).
 */
function isDone({ action }: StatedOperation, response: ReceivedResponse): boolean {
  // A page of a gateway proves nothing about the platform.
  if (response.headers.get('content-type')?.includes('html')) return false
  const { status } = response
  if (isSuccess(response)) return true
  if (action.kind === 'add') return status === 400
  return (action.kind === 'remove' || action.kind === 'delete') && [400, 404, 410].includes(status)
}
