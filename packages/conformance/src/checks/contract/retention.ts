import type { Operation } from '@cdn/api/contract'
import { dayMs } from '@cdn/kit/time'
import { expectStatus, isSuccess } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import {
  canonical,
  linesOf,
  parseLogLine,
  queryLogs,
  type Row,
  range,
  readFileLines,
  readRange,
  rowTime,
  sample,
  surplus,
} from '../../core/logs.ts'
import { subjectsOf } from '../logs/log-queries.ts'
import { dayPath } from '../resources.ts'
import { type ContractChecks, type Draft, draft } from './contract-checks.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** Distance from the edge of the retention on a live target, whose clock may differ. */
const marginMs = 60_000
/** Maximum number of lines that are read of a day to observe that they are kept. */
const maxLines = 20_000

/** A range, and how many rows it had: a note of an earlier run. Times are milliseconds since 1970; `to` is exclusive. */
interface NotedRange {
  readonly from: number
  readonly to: number
  readonly rows: number
}

/** How a version of the logs is read. */
interface Reader {
  /** Reads the rows of a range: version 1 those of the day of `from`, at most `maxRows` of this day. */
  read(context: CheckContext, from: number, to: number, maxRows?: number): Promise<readonly Row[]>
  /** Returns a range that one request can read again, whatever the traffic. */
  notable(context: CheckContext): Promise<NotedRange>
  /** Reads as little as possible at a time. */
  touch(context: CheckContext, time: number): Promise<unknown>
}

/** The readers by the names of their operations. */
const readers: Readonly<Record<string, Reader>> = {
  'query-logs': {
    read: (context, from, to) => readRange(context, from, to),
    notable: async (context) => {
      const { from: start, to, rows } = await sample(context, { minRows: 1 })
      const last = rows.at(-1)
      // The range starts at most an hour before its last row, so that its rows reach the end of retention at about the same time.
      const from = Math.max(start, last ? rowTime(last) - 3_600_000 : start)
      return { from, to, rows: rows.filter((row) => rowTime(row) >= from).length }
    },
    touch: (context, time) => queryLogs(context, { ...range(time, time + 3_600_000), limit: '1' }),
  },
  'read-log-file': {
    read: async (context, from, to, maxRows = maxLines) => {
      const lines = await readFileLines(context, new Date(from), { sort: 'asc', end: `${maxRows}` })
      return lines.map(parseLogLine).filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) < to)
    },
    notable: async (context) => {
      const [subject] = await subjectsOf(context, 'read-log-file')
      if (!subject) throw new Skip('no rows to note')
      return { from: subject.from, to: subject.to, rows: subject.items.length }
    },
    touch: (context, time) => readFileLines(context, new Date(time), { end: '1' }),
  },
}

/** Logs are retained for at least 3 days (§8). A longer retention conforms, too. */
export const retention: ContractChecks = (operation) => {
  const { name, retentionMs } = operation
  const reader = readers[name]
  if (retentionMs === undefined || !reader) return []
  const common = { slug: 'retention.3-days', topic: 'retention.3-days', text: 'Logs are retained for 3 days.' } as const
  // A part of its own: a range that is answered does not show that its rows are still there. Without a virtual clock, only a later
  // run can decide this part.
  const rows = { ...common, part: 'rows that were seen before', basis: 'supplement' } as const
  const drafts: readonly Draft[] = [
    { ...rows, aspect: 'noted', needs, run: (context) => verifyNoted(context, operation, retentionMs, reader) },
    {
      ...rows,
      aspect: 'kept',
      needs: [...needs, 'virtual-clock'],
      run: (context) => verifyKept(context, retentionMs, reader),
    },
    {
      ...common,
      aspect: 'reachable',
      basis: 'supplement',
      needs,
      run: async (context) => void (await reader.touch(context, context.now().getTime() - retentionMs + marginMs)),
    },
    name === 'query-logs' ? refused(operation, retentionMs) : gone(operation, retentionMs),
  ]
  return drafts.map((each) => draft(operation, each))
}

/** All rows of a day that are visible now are still visible in the last millisecond before the oldest is three days old. */
async function verifyKept(context: CheckContext, retentionMs: number, { read }: Reader): Promise<void> {
  const { from, to, rows } = await sample(context)
  const day = Math.floor(to / dayMs) * dayMs
  const first = rows.find((row) => rowTime(row) >= day)
  if (!first) throw new Skip('no row to wait for')
  const oldest = Math.max(from, rowTime(first))
  const before = await read(context, oldest, to)
  await context.wait(oldest + retentionMs - 1 - context.now().getTime())
  const after = await read(context, oldest, to)
  const missing = surplus(before.map(canonical), after.map(canonical)).length
  expect(missing === 0, `the ${before.length} rows seen before, nearly 3 days later`, `${missing} missing`)
}

/**
 * Rows that an earlier run saw are still there within their retention. This check needs no virtual clock, but it can
 * decide only after an earlier run has noted rows. Without it, a target that retains logs for one day would look like a
 * target without older traffic.
 */
async function verifyNoted(context: CheckContext, { name }: Operation, retentionMs: number, reader: Reader) {
  const key = `${name} of ${context.fixtures.loggedZoneId}`
  const now = () => context.now().getTime()
  const { from, to, rows } = await reader.notable(context)
  const count = async (range: NotedRange) => (await reader.read(context, range.from, range.to, range.rows + 100)).length
  const latest = { from, to, rows: await count({ from, to, rows }) }
  context.note(key, latest)
  // With a virtual clock, the check needs no later run. It moves the clock to the end of the retention and verifies the
  // rows that this run noted.
  if (context.virtualClock) await context.wait(from + retentionMs - 2 * marginMs - now())
  // The same check of an earlier run noted these values.
  const notes = context.virtualClock ? [latest] : context.recall(key).map(({ value }) => value as NotedRange)
  const retained = notes.filter(
    (note) => note.from > now() - retentionMs + marginMs && note.to < now() - dayMs && note.rows > 0,
  )
  if (retained.length === 0) throw new Skip('no earlier run noted rows that are still within the retention')
  for (const note of retained) {
    const seen = await count(note)
    const when = `${new Date(note.from).toISOString()} to ${new Date(note.to).toISOString()}`
    expect(seen >= note.rows, `the ${note.rows} rows that an earlier run saw from ${when}`, `${seen}`)
  }
}

function refused(operation: Operation, retentionMs: number): Draft {
  return {
    slug: 'retention-refused',
    text: 'A range that starts before the retention is answered 400.',
    needs,
    run: async (context) => {
      const from = context.now().getTime() - retentionMs - marginMs
      expectStatus(await call(context, operation, { query: range(from, from + 3_600_000) }), 400)
    },
  }
}

/** A day that ended before the retention is refused, or empty. */
function gone(operation: Operation, retentionMs: number): Draft {
  return {
    slug: 'retention-gone',
    text: 'A day that lies before the retention shows no lines.',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const last = (await sample(context)).rows.at(-1)
      if (!last) throw new Skip('no row to wait for')
      const day = Math.floor(rowTime(last) / dayMs) * dayMs
      await context.wait(day + dayMs + retentionMs - context.now().getTime())
      const answer = await call(context, operation, { path: dayPath(operation, new Date(day)) })
      if (!isSuccess(answer)) return expectStatus(answer, 400)
      expect(linesOf(answer).length === 0, 'no lines of that day', 'some')
    },
  }
}
