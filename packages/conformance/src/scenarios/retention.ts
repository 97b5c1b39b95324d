import type { Operation } from '@cdn/api/contract'
import { dayMs, hourMs } from '@cdn/kit/time'
import { isOutOfOrder, itemsInOnlyOne, itemsOfLines, itemsOfPage } from '../cases/logs/compare-rows.ts'
import { readRange, referenceOf } from '../cases/logs/reference.ts'
import { closedAfterMs, queryLogs, rangeQuery, readFileLines, shownDay } from '../cases/logs/rows.ts'
import { call } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import { expect, Failure, Skip, value, wrong } from '../exchange/failure.ts'
import { linesOf, timeOfLine } from '../exchange/log-rows.ts'
import { type ChecksOf, type Decision, decide } from '../exchange/requirements.ts'
import { dayPath } from '../exchange/resources.ts'
import { expectStatus, isSuccess, seenStatus } from '../exchange/response.ts'
import { isInFile, type LogItem } from '../rules/predictions.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** Maximum number of lines that are compared at each end of a day, because a file can be of any size. */
const linesAtEnd = 1_000

/** Checks that both versions show the same entries at both ends of each day of the retention. */
export const agreementChecks: ChecksOf = (operation) => {
  const { name, retentionMs } = operation
  if (name !== 'read-log-file' || retentionMs === undefined) return []
  const run = async (context: CheckContext) => {
    const now = context.now().getTime()
    let count = 0
    for (let day = Math.floor((now - retentionMs) / dayMs) * dayMs; day < now; day += dayMs)
      for (const order of ['asc', 'desc']) {
        // The check takes some time, so the oldest compared time is computed again each time.
        const first = context.now().getTime() - retentionMs + oldestMs
        const [from, to] = [Math.max(day, first), Math.min(day + dayMs, now - closedAfterMs)]
        if (from >= to) continue
        count += await compareEnd(context, { day, from, to, order })
      }
    if (count === 0) throw new Skip('no day of the retention shows lines')
  }
  return [decide(operation, { decides: '<interface>.agreement.v1-v2/days', basis: 'supplement', needs, run })]
}

/** Distance of the oldest compared entries from the end of the retention in ms, because the check takes some time. */
const oldestMs = 600_000

/**
 * Compares one end of a day, without the entries of the last millisecond if a response is cut.
 *
 * @returns the number of lines; 0 if version 2 has no entries there, or if the lines are not in order, which a rule reports
 * @throws Failure if one version lacks entries of the other
 */
async function compareEnd(
  context: CheckContext,
  { day, from, to, order }: Readonly<Record<'day' | 'from' | 'to', number>> & { readonly order: string },
): Promise<number> {
  const isAscending = order === 'asc'
  const lines = await readFileLines(context, new Date(day), { sort: order, end: `${linesAtEnd}` })
  const page = await queryLogs(context, { ...rangeQuery(from, to), order, limit: `${5 * linesAtEnd}` })
  const shown = itemsOfLines(lines)
  const expected = itemsOfPage(page, 'read-log-file').filter(isInFile)
  if (isOutOfOrder(shown, order) || expected.length === 0) return 0
  const edgeOf = (items: readonly LogItem[], isCut: boolean) =>
    (isCut && items.at(-1)?.time) || (isAscending ? to : from)
  const edges = [edgeOf(shown, shown.length >= linesAtEnd), edgeOf(expected, page.pagination.hasMore)]
  // The file of a day may begin before the retention, and the newest one grows.
  const isCompared = ({ time }: LogItem) =>
    time >= from && time < to && (isAscending ? time < Math.min(...edges) : time > Math.max(...edges))
  const different = itemsInOnlyOne(shown.filter(isCompared), expected.filter(isCompared))
  const where = `at the ${isAscending ? 'start' : 'end'} of ${new Date(day).toISOString().slice(0, 10)}`
  const text = `${different.length} entries`
  const seen = wrong('one version of the interface lacks entries that the other one shows', { text })
  expect(different.length === 0 && shown.length > 0, value(`the entries of both versions ${where}`), seen)
  return shown.length
}

/** Distance from the edge of the retention in ms, because the clock of a live target may differ. */
const marginMs = 60_000
/** Maximum number of requests for the oldest entries. */
const maxAttempts = 4

/** A range and its number of rows, as a run noted them. Times are in ms since 1970; `to` is exclusive. */
interface NotedRange {
  readonly from: number
  readonly to: number
  readonly rows: number
}

interface Reader {
  /** Counts the rows of a range. Reads at most 100 lines of a file beyond the noted number of rows. */
  count(context: CheckContext, range: NotedRange): Promise<number>
  /** Returns a recent range with few enough rows for one request, so that a later run can read it again. */
  notable(context: CheckContext): Promise<NotedRange>
  /** Requests at most one row from a time on, or one line of its day. */
  touch(context: CheckContext, time: number): Promise<unknown>
}

const readers: Readonly<Record<string, Reader>> = {
  'query-logs': {
    count: async (context, noted) => (await readRange(context, noted)).length,
    notable: async (context) => {
      const { to, items } = await referenceOf(context)
      const times = items.map(({ time }) => time)
      // At most an hour, so that all rows reach the end of the retention at about the same time.
      const last = times.filter((time) => time >= (times.at(-1) ?? to) - hourMs)
      return { from: last[0] ?? to, to, rows: last.length }
    },
    touch: (context, time) => queryLogs(context, { ...rangeQuery(time, time + hourMs), limit: '1' }),
  },
  'read-log-file': {
    count: async (context, { from, to, rows }) => {
      const lines = await readFileLines(context, new Date(from), { sort: 'asc', end: `${rows + 100}` })
      return lines.map(timeOfLine).filter((time) => time >= from && time < to).length
    },
    notable: async (context) => {
      const { day, lines } = await shownDay(context, 'newest')
      const times = lines.map(timeOfLine).filter((time) => !Number.isNaN(time))
      return { from: day.getTime(), to: Math.max(day.getTime(), ...times) + 1, rows: times.length }
    },
    touch: (context, time) => readFileLines(context, new Date(time), { end: '1' }),
  },
}

/**
 * Checks that logs are retained for 3 days (§8), which a longer retention satisfies, too, and that older logs are refused or gone
 * (supplement).
 */
export const retentionChecks: ChecksOf = (operation) => {
  const { name, retentionMs } = operation
  const reader = readers[name]
  if (retentionMs === undefined || !reader) return []
  const common = { basis: 'supplement', needs } as const
  // A response to an old range does not show that its rows are still there, so the checks of noted rows are a separate part. A later
  // run can see that rows are missing. Only a virtual clock reaches the end of the retention, so a live target never passes `kept`.
  const run = (context: CheckContext) => verifyNoted(context, operation, retentionMs, reader)
  const rows = { ...common, part: 'rows that were seen before', run } as const
  const decisions: readonly Decision[] = [
    { ...rows, decides: '<interface>.retention.3-days/noted' },
    { ...rows, decides: '<interface>.retention.3-days/kept', needs: [...needs, 'virtual-clock'] },
    {
      ...common,
      decides: '<interface>.retention.3-days/reachable',
      run: (context) => verifyReachable(context, retentionMs, reader),
    },
    name === 'query-logs' ? refused(operation, retentionMs) : gone(operation, retentionMs),
  ]
  return decisions.map((each) => decide(operation, each))
}

/** Requests the oldest entries again if the request waited for the rate limit until they were too old. */
async function verifyReachable(context: CheckContext, retentionMs: number, reader: Reader): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const oldest = context.now().getTime() - retentionMs + marginMs
    try {
      await reader.touch(context, oldest)
      return
    } catch (error) {
      if (!(error instanceof Failure) || context.now().getTime() <= oldest + retentionMs) throw error
      if (attempt === maxAttempts) throw new Skip('inconclusive: each request waited until its range was too old')
    }
  }
}

/**
 * Checks that rows that an earlier run saw are still there within their retention. Without this check, a target that retains logs
 * for one day would look like a target without older traffic. With a virtual clock, the check needs no later run: it moves the
 * clock to the last millisecond of the retention and verifies the rows that this run noted.
 */
async function verifyNoted(context: CheckContext, { name }: Operation, retentionMs: number, reader: Reader) {
  const key = `${name} of ${context.fixtures.loggedZoneId}`
  const now = () => context.now().getTime()
  // The checks of earlier runs noted these values under the same key.
  const earlier = context
    .recall(key)
    .map(({ value }) => value as NotedRange)
    .filter(({ from, to }) => from > now() - retentionMs + oldestMs && to < now() - dayMs)
  const noteLatest = async () => {
    const notable = await reader.notable(context)
    const latest = { ...notable, rows: await reader.count(context, notable) }
    context.note(key, latest)
    return [latest]
  }
  const latest = await noteLatest().catch((error: unknown) => {
    // If the pull zone shows no rows at all, the rows of earlier runs are missing.
    if (error instanceof Skip && earlier.length > 0) return []
    throw error
  })
  if (context.virtualClock) for (const { from } of latest) await context.wait(from + retentionMs - 1 - now())
  const retained = (context.virtualClock ? latest : earlier).filter(({ rows }) => rows > 0)
  if (retained.length === 0) throw new Skip('no earlier run noted rows that are still within the retention')
  for (const note of retained) {
    const seen = await reader.count(context, note)
    const when = `${new Date(note.from).toISOString()} to ${new Date(note.to).toISOString()}`
    const expected = value(`the ${note.rows} rows that were seen before from ${when}`)
    expect(
      seen >= note.rows,
      expected,
      wrong('rows of an earlier run are gone', { text: `${seen} of ${note.rows} rows` }),
    )
  }
}

function refused(operation: Operation, retentionMs: number): Decision {
  return {
    decides: '<operation>.retention-refused',
    needs,
    run: async (context) => {
      const from = context.now().getTime() - retentionMs - marginMs
      expectStatus(await call(context, operation, { query: rangeQuery(from, from + hourMs) }), 400)
    },
  }
}

/** Checks that the file of a day that ended before the retention is refused or empty. */
function gone(operation: Operation, retentionMs: number): Decision {
  return {
    decides: '<operation>.retention-gone',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const { day } = await shownDay(context, 'newest')
      await context.wait(day.getTime() + dayMs + retentionMs - context.now().getTime())
      const response = await call(context, operation, { path: dayPath(operation, day) })
      const isShown = isSuccess(response) && linesOf(response).length > 0
      const [expected, proof] = [value('no lines of that day'), { responses: [response] }]
      expect(!isShown, expected, wrong('a day before the retention has lines'), proof)
      expect(response.status < 500, expected, () => seenStatus(response), proof)
    },
  }
}
