/**
 * Checks of requests that are sent at once: each read has the same response as when it is sent alone, and the writes lead to the same
 * state as if they were sent one after another.
 */

import { apply, isStated, type Operation, type StatedOperation } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { canonical, closedAfterMs, pageOf, range, rowTime } from '../cases/logs/rows.ts'
import { addValue, confirmed, prepare } from '../cases/state/change.ts'
import { itemsFor } from '../cases/state/created-items.ts'
import { isSweepable } from '../cases/state/declared.ts'
import { itemNeeds, otherState, stateText } from '../cases/state/items.ts'
import { newName, validChange } from '../cases/state/requests.ts'
import { currentState, forget, observeUntil, same } from '../cases/state/seen.ts'
import { call, orLost } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { ReceivedResponse } from '../exchange/exchange.ts'
import { expect, LostResponse, need, Skip, value, wrong } from '../exchange/failure.ts'
import { linesOf, parseLogLine, type Row, timeOfLine } from '../exchange/log-rows.ts'
import { type ChecksOf, type Decided, decide, needsOf } from '../exchange/requirements.ts'
import { dayPath, fixturesOf, pathTo } from '../exchange/resources.ts'
import { isSuccess, parseBody, prepared } from '../exchange/response.ts'
import { isItemChange } from './state/sequences.ts'

/** Number of writes to one list that are sent at once. */
const writes = 4

export const parallel: ChecksOf = (operation) => [
  ...(isSweepable(operation) && isItemChange(operation) ? [changes(operation)] : []),
  ...(isStated(operation) && operation.action.kind === 'read' && fixturesOf(operation.resource)
    ? [reads(operation)]
    : []),
  ...(operation.rateLimit ? [logs(operation)] : []),
]

/** Checks writes at once: of different values to one list, or the same change to each item of the suite. */
function changes(operation: StatedOperation): Decided {
  const { needs, uses } = itemNeeds(operation)
  const { action } = operation
  const run = async (context: CheckContext) => {
    const items = await itemsFor(context, operation)
    const values = 'value' in action ? Array.from({ length: writes }, newName) : []
    if (action.kind === 'remove') for (const value of values) await addValue(context, operation, value)
    const valid = await Promise.all(items.own.map((id) => validChange(context, operation, items, id)))
    const requests =
      'value' in action ? values.map((value) => ({ ...defined(valid[0]), body: { [action.value]: value } })) : valid
    if (requests.length < 2) throw new Skip('the fixtures have one item only')
    let before = await currentState(context, items)
    if (!('value' in action))
      before = await prepare(context, { operation, items, request: defined(valid[0]), rule: 'accepted' })
    const responses = await Promise.all(requests.map((request) => orLost(call(context, operation, request))))
    forget(context)
    if (responses.some((response) => response instanceof LostResponse))
      throw new Skip('inconclusive: a response was lost')
    const done = requests.filter((_, index) => isSuccess(responses[index] as ReceivedResponse))
    // The changes are independent, so every order of them leads to the same state.
    const expected = done.reduce((state, request) => apply(state, operation, request)[0]?.state ?? state, before)
    const state = await observeUntil(context, items, (seen) => same(seen, expected))
    expect(same(state, expected), stateText(expected), () => otherState(expected, state))
  }
  return decide(operation, {
    decides: '<operation>.effect/parallel',
    basis: 'supplement',
    effect: action.kind === 'set' ? 'destructive' : operation.effect,
    needs: [...new Set([...needsOf(operation), ...needs])],
    uses,
    run: confirmed(operation, run),
  })
}

function reads(operation: StatedOperation): Decided {
  const { own = [], others = [] } = fixturesOf(operation.resource) ?? {}
  const run = async (context: CheckContext) => {
    const ids = [...own, ...others].flatMap((name) => context.fixtures[name] ?? [])
    if (ids.length < 2) throw new Skip('the fixtures have one item only')
    const read = async (id: string) =>
      prepared(await call(context, operation, { path: pathTo(operation, id) }), 'reading')
    const shown = (await Promise.all(ids.map(read))).map((response) =>
      String(toRecord(parseBody(response))[operation.resource.id ?? '']),
    )
    expect(
      shown.join() === ids.join(),
      value('each response to reads at once about its own item'),
      wrong('a response to reads at once shows another item'),
    )
  }
  return decide(operation, { decides: '<operation>.id/parallel', uses: [...own, ...others], run })
}

/** Maximum number of rows or lines that are read of each pull zone. */
const rows = 50

function logs(operation: Operation): Decided {
  const isPage = operation.name === 'query-logs'
  const run = async (context: CheckContext) => {
    const { loggedZoneId, otherLoggedZoneId } = context.fixtures
    const zones = [need(loggedZoneId, 'loggedZoneId'), need(otherLoggedZoneId, 'otherLoggedZoneId')]
    const end = context.now().getTime() - closedAfterMs
    const query = isPage
      ? { ...range(end - dayMs, end), order: 'asc', limit: `${rows}` }
      : { sort: 'asc', end: `${rows}` }
    const read = async (zone: string) => {
      const path = { ...pathTo(operation, zone), ...dayPath(operation, new Date(end - dayMs)) }
      const response = prepared(await call(context, operation, { path, query }), 'reading')
      const shown: readonly { readonly time: number; readonly row: Row }[] = isPage
        ? pageOf(response).rows.map((row) => ({ time: rowTime(row), row }))
        : linesOf(response).map((line) => ({ time: timeOfLine(line), row: parseLogLine(line) }))
      // Of the entries of the last millisecond, any may be shown.
      const last = Math.max(...shown.map(({ time }) => time))
      return (
        shown
          // Without the id of the pull zone, equal entries of two pull zones have equal texts.
          .flatMap(({ time, row: { pullZoneId: _, ...row } }) => (time < last ? [canonical(row)] : []))
          .sort()
          .join('\n')
      )
    }
    const alone: string[] = []
    for (const zone of zones) alone.push(await read(zone))
    if (alone.every((text) => text === '')) throw new Skip('the pull zones show no rows')
    // Two pull zones hardly ever get the same requests.
    const isOther = alone[0] !== alone[1]
    expect(isOther, value('different entries of the two pull zones'), wrong('two pull zones show the same entries'))
    const together = await Promise.all([...zones, ...zones].map(read))
    const isRight = together.every((text, index) => text === alone[index % zones.length])
    expect(
      isRight,
      value('each response to reads at once as that to the same read alone'),
      wrong('a response to reads at once is another one'),
    )
  }
  return decide(operation, {
    decides: '<operation>.zone/parallel',
    basis: 'supplement',
    needs: ['loggedZoneId', 'otherLoggedZoneId', 'credentials.accessKey'],
    run,
  })
}
