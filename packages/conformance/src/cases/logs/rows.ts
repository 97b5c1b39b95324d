import { isRecord, toRecord } from '@cdn/kit/record'
import { dayMs } from '@cdn/kit/time'
import { call } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { expect, requireOrSkip, Skip, value, wrong } from '../../exchange/failure.ts'
import { linesOf, type Row, timeOfLine } from '../../exchange/log-rows.ts'
import { dayPath, operationOf } from '../../exchange/resources.ts'
import { expectStatus, expectSuccess, jsonOf } from '../../exchange/response.ts'

interface ReceivedPage {
  readonly rows: readonly Row[]
  readonly pagination: Readonly<Record<'offset' | 'limit' | 'returned', unknown>> & { readonly hasMore: boolean }
  readonly query: { readonly pullZoneId: unknown; readonly from: string; readonly to: string; readonly order: string }
}

type Query = Readonly<Record<string, string>>

/** A range is closed this many ms after its end, because rows arrive up to 5 minutes late (supplement). */
export const closedAfterMs = 360_000
/** Maximum number of rows in a sample, and of lines that are read of a day. Usually enough for every value to occur. */
export const maxSample = 500

/**
 * Requests one page of version 2.
 *
 * @param query parameters as in the contract
 * @param zone `loggedZoneId` by default
 * @throws Failure if the response is not a success with a JSON body; Skip if the page has no list of rows
 */
export async function queryLogs(context: CheckContext, query: Query, zone?: string): Promise<ReceivedPage> {
  const path = { pullZoneId: zone ?? requireOrSkip(context.fixtures.loggedZoneId, 'loggedZoneId') }
  const response = await call(context, operationOf('query-logs'), { path, query })
  expectSuccess(response)
  return parsePage(response)
}

/**
 * Parses a response of version 2 as a page. The spec does not show the fields of the response (§4.3), so a check is skipped
 * if it reads a part that the page lacks. The check of the body's shape reports the missing part.
 */
export function parsePage(response: ReceivedResponse): ReceivedPage {
  const page = toRecord(jsonOf(response))
  const part = (name: string) => {
    const value = page[name]
    if (!isRecord(value)) throw new Skip(`the page has no ${name} (supplement)`)
    return value
  }
  // Null stands for no rows (supplement).
  const rows = page['data'] === null ? [] : page['data']
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw new Skip('the page has no list of rows in data (supplement)')
  return {
    rows,
    // Other checks report fields of a wrong type.
    get pagination() {
      return part('pagination') as unknown as ReceivedPage['pagination']
    },
    get query() {
      return part('query') as unknown as ReceivedPage['query']
    },
  }
}

/** Returns `from` and `to`, in ms since 1970, as query parameters. */
export function rangeQuery(from: number, to: number): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/**
 * Returns the time of a row in ms since 1970.
 *
 * @throws Skip if the row has no timestamp, whose name only the supplement states; Failure if it is not a time
 */
export function rowTime(row: Row): number {
  if (row['timestamp'] === undefined) throw new Skip('a row has no timestamp (supplement)')
  const time = Date.parse(String(row['timestamp']))
  expect(!Number.isNaN(time), value('a timestamp'), () =>
    wrong('the timestamp of a row is not a time', {
      field: 'timestamp',
      text: JSON.stringify(row['timestamp']) ?? 'none',
    }),
  )
  return time
}

/**
 * Requests a day file of version 1 for `loggedZoneId`.
 *
 * @throws Failure if the status is neither 200 nor 204
 */
export async function fileResponse(context: CheckContext, day: Date, query: Query = {}): Promise<ReceivedResponse> {
  const operation = operationOf('read-log-file')
  const pullZoneId = requireOrSkip(context.fixtures.loggedZoneId, 'loggedZoneId')
  const response = await call(context, operation, { path: { ...dayPath(operation, day), pullZoneId }, query })
  if (response.status !== 204) expectStatus(response, 200)
  return response
}

/** Reads the lines of a day file of version 1 for `loggedZoneId`, without blank lines. */
export async function readFileLines(context: CheckContext, day: Date, query: Query = {}): Promise<string[]> {
  return linesOf(await fileResponse(context, day, query))
}

/**
 * Returns a day whose file has lines, and its oldest lines in a closed range. The checks of a run share them.
 *
 * @param first which day is preferred: yesterday, which is closed, or today
 * @throws Skip if neither day has such a line
 */
export function shownDay(context: CheckContext, first: 'closed' | 'newest' = 'closed') {
  return context.once(`shown day, ${first}`, async () => {
    const now = context.now().getTime()
    const today = Math.floor(now / dayMs) * dayMs
    const days = [today - dayMs, today]
    for (const day of first === 'closed' ? days : days.reverse()) {
      const all = await readFileLines(context, new Date(day), { sort: 'asc', end: `${maxSample}` })
      // A line without a time stays, so that the checks of the format report it.
      const lines: readonly string[] = all.filter((line) => !(timeOfLine(line) >= now - closedAfterMs))
      if (lines.length > 0) return { day: new Date(day), lines }
    }
    throw new Skip('the files of today and yesterday have no line in a closed range')
  })
}
