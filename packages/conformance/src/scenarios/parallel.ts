/** Requests that are sent at once: each read has the response of the same read alone, and the state is that of some order of the writes. */
import { isStated, type Operation, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { canonical, closedAfterMs, linesOf, pageOf, range, rowTime, timeOfLine } from '../cases/logs/rows.ts'
import { dayPath, fixturesOf, pathTo } from '../cases/resources.ts'
import { type ChecksOf, type Decided, decide, needsOf } from '../requirements.ts'
import { call, orLost } from '../run/call.ts'
import type { CheckContext } from '../run/check.ts'
import { expect, LostResponse, need, Skip } from '../run/failure.ts'
import { isSuccess, prepared, type ReceivedResponse } from '../run/response.ts'
import { isSweepable } from '../run/sweep/declared.ts'
import { parseBody } from '../run/validate-response.ts'
import { addValue, confirmed } from './state/change.ts'
import { itemsFor } from './state/created-items.ts'
import { itemNeeds, type ListAction, valuesIn } from './state/items.ts'
import { newName, validChange } from './state/requests.ts'
import { currentState, forget, observeUntil } from './state/seen.ts'

/** Number of writes that are sent at once. */
const writes = 4

export const parallel: ChecksOf = (operation) => [
  ...(isSweepable(operation) && 'value' in operation.action ? [changes(operation, operation.action)] : []),
  ...(isStated(operation) && operation.action.kind === 'read' && fixturesOf(operation.resource)
    ? [reads(operation)]
    : []),
  ...(operation.rateLimit ? [logs(operation)] : []),
]

function changes(operation: StatedOperation, action: ListAction): Decided {
  const { needs, uses } = itemNeeds(operation)
  const run = async (context: CheckContext) => {
    const items = await itemsFor(context, operation)
    const values = Array.from({ length: writes }, newName)
    if (action.kind === 'remove') for (const value of values) await addValue(context, operation, value)
    const valuesOf = (state: Awaited<ReturnType<typeof currentState>>) =>
      Object.values(state)
        .flatMap((all) => all.slice(0, 1))
        .flatMap((item) => valuesIn(item, action))
    await currentState(context, items)
    const valid = await validChange(context, operation, items)
    const send = (value: string) => orLost(call(context, operation, { ...valid, body: { [action.value]: value } }))
    const responses = await Promise.all(values.map(send))
    forget(context)
    if (responses.some((response) => response instanceof LostResponse))
      throw new Skip('inconclusive: a response was lost')
    const done = values.filter((_, index) => isSuccess(responses[index] as ReceivedResponse))
    const isRight = (shown: readonly unknown[]) =>
      done.every((value) => shown.includes(value) === (action.kind === 'add')) && new Set(shown).size === shown.length
    const state = await observeUntil(context, items, (seen) => isRight(valuesOf(seen)))
    const count = done.filter((value) => valuesOf(state).includes(value) === (action.kind === 'add')).length
    expect(isRight(valuesOf(state)), `the effect of ${done.length} requests at once`, `that of ${count}`)
  }
  return decide(operation, {
    decides: '<operation>.effect/parallel',
    basis: 'supplement',
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
    expect(shown.join() === ids.join(), 'each response to reads at once about its own item', 'another order of items')
  }
  return decide(operation, { decides: '<operation>.id/parallel', uses: [...own, ...others], run })
}

/** Number of rows or lines that are read of each pull zone. */
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
      const shown = isPage
        ? pageOf(response).rows.map((row) => ({ time: rowTime(row), text: canonical(row) }))
        : linesOf(response).map((line) => ({ time: timeOfLine(line), text: line }))
      // Of the entries of the last millisecond, any may be shown.
      const last = Math.max(...shown.map(({ time }) => time))
      return shown
        .flatMap(({ time, text }) => (time < last ? [text] : []))
        .sort()
        .join('\n')
    }
    const alone: string[] = []
    for (const zone of zones) alone.push(await read(zone))
    if (alone.every((text) => text === '')) throw new Skip('the pull zones show no rows')
    const together = await Promise.all([...zones, ...zones].map(read))
    const isRight = together.every((text, index) => text === alone[index % zones.length])
    expect(isRight, 'each response to reads at once as that to the same read alone', 'another one')
  }
  return decide(operation, {
    decides: '<operation>.zone/parallel',
    basis: 'supplement',
    needs: ['loggedZoneId', 'otherLoggedZoneId', 'credentials.accessKey'],
    run,
  })
}
