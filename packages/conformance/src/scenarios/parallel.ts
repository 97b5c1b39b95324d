/**
 * Checks of reads that are sent at once: each has the same response as when it is sent alone. Plays send writes at once.
 */

import { isStated, type Operation, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { closedAfterMs, pageOf, range, rowTime } from '../cases/logs/rows.ts'
import { call } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import { expect, need, Skip, value, wrong } from '../exchange/failure.ts'
import { linesOf, parseLogLine, type Row, rowText, timeOfLine } from '../exchange/log-rows.ts'
import { type ChecksOf, type Decided, decide } from '../exchange/requirements.ts'
import { dayPath, fixturesOf, pathTo } from '../exchange/resources.ts'
import { parseBody, prepared } from '../exchange/response.ts'

export const parallel: ChecksOf = (operation) => [
  ...(isStated(operation) && operation.action.kind === 'read' && fixturesOf(operation.resource)
    ? [reads(operation)]
    : []),
  ...(operation.rateLimit ? [logs(operation)] : []),
]

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
      wrong('of several reads at the same time, one shows another item'),
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
          .flatMap(({ time, row: { pullZoneId: _, ...row } }) => (time < last ? [rowText(row)] : []))
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
      wrong('of several reads at the same time, one gets another response than alone'),
    )
  }
  return decide(operation, {
    decides: '<operation>.zone/parallel',
    basis: 'supplement',
    needs: ['loggedZoneId', 'otherLoggedZoneId', 'credentials.accessKey'],
    run,
  })
}
