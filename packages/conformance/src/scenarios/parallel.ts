/**
 * Checks of queries that are sent at once: each has the same response as when it is sent alone. The case `each-id` sends reads of items at
 * once, and plays send writes at once.
 */
import { dayMs } from '@cdn/kit/time'
import { itemsInOnlyOne, itemsOfLines, itemsOfPage } from '../cases/logs/compare-rows.ts'
import { closedAfterMs, parsePage, rangeQuery } from '../cases/logs/rows.ts'
import { call } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import { expect, requireOrSkip, Skip, value, wrong } from '../exchange/failure.ts'
import { linesOf, rowText } from '../exchange/log-rows.ts'
import { type ChecksOf, decide } from '../exchange/requirements.ts'
import { dayPath, idPath } from '../exchange/resources.ts'
import { successOrSkip } from '../exchange/response.ts'
import type { LogItem } from '../rules/predictions.ts'

/** Maximum number of rows or lines that are read of each pull zone. */
const rows = 50

export const parallelChecks: ChecksOf = (operation) => {
  if (!operation.rateLimit) return []
  const isPage = operation.name === 'query-logs'
  const run = async (context: CheckContext) => {
    const { loggedZoneId, otherLoggedZoneId } = context.fixtures
    const zones = [requireOrSkip(loggedZoneId, 'loggedZoneId'), requireOrSkip(otherLoggedZoneId, 'otherLoggedZoneId')]
    const end = context.now().getTime() - closedAfterMs
    const query = isPage
      ? { ...rangeQuery(end - dayMs, end), order: 'asc', limit: `${rows}` }
      : { sort: 'asc', end: `${rows}` }
    const read = async (zone: string) => {
      const path = { ...idPath(operation, zone), ...dayPath(operation, new Date(end - dayMs)) }
      const response = successOrSkip(await call(context, operation, { path, query }), 'reading')
      const shown = isPage ? itemsOfPage(parsePage(response)) : itemsOfLines(linesOf(response))
      // Of the entries of the last millisecond, any may be shown.
      const last = Math.max(...shown.map(({ time }) => time))
      return shown.filter(({ time }) => time < last)
    }
    const alone: LogItem[][] = []
    for (const zone of zones) alone.push(await read(zone))
    if (alone.every(({ length }) => length === 0)) throw new Skip('the pull zones show no rows')
    // Two pull zones hardly ever get the same requests. Without their ids, equal entries have equal texts.
    const texts = alone.map((items) => items.map(({ row: { pullZoneId: _, ...row } }) => rowText(row)).sort())
    const isOther = texts[0]?.join() !== texts[1]?.join()
    expect(isOther, value('different entries of the two pull zones'), wrong('two pull zones show the same entries'))
    const together = await Promise.all([...zones, ...zones].map(read))
    const isRight = together.every(
      (items, index) => itemsInOnlyOne(items, alone[index % zones.length] ?? []).length === 0,
    )
    expect(
      isRight,
      value('the same response to a read, alone or at the same time as others'),
      wrong('of several reads at the same time, one gets another response than alone'),
    )
  }
  const needs = ['loggedZoneId', 'otherLoggedZoneId', 'credentials.accessKey'] as const
  return [decide(operation, { decides: '<operation>.zone/parallel', basis: 'supplement', needs, run })]
}
