import type { Operation } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { dayMs } from '@cdn/kit/time'
import { expectStatus, isSuccess } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import {
  expectSameRows,
  fileHead,
  linesInHead,
  parseLogLine,
  queryLogs,
  type Row,
  range,
  readFileLines,
  readRange,
  rowTime,
  sample,
} from '../../core/logs.ts'
import { dayPath } from '../resources.ts'
import { type ContractChecks, type Drafted, draft } from './contract-checks.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** Distance from the edge of the retention on a live target, whose clock may differ. */
const marginMs = 60_000

/** Logs are retained for at least 3 days (§8). A longer retention conforms, too. */
export const retention: ContractChecks = (operation) => {
  const { retentionMs } = operation
  if (retentionMs === undefined) return []
  const readers = { 'query-logs': readV2, 'read-log-file': readV1 } as const
  const reader = Object.entries(readers).find(([name]) => name === operation.name)?.[1]
  if (!reader) return []
  return [
    noted(operation, retentionMs),
    kept(operation, retentionMs, reader),
    ...(reader === readV2
      ? [reachable(operation, retentionMs), refused(operation, retentionMs)]
      : [reachableDay(operation, retentionMs), gone(operation, retentionMs)]),
  ]
}

/**
 * A part of its own: a range that is answered does not show that its rows are still there. Without a virtual clock, only
 * a later run can decide this part.
 */
const seenBefore = 'rows that were seen before'

type Reader = (context: CheckContext, from: number, to: number) => Promise<readonly Row[]>

const readV2: Reader = (context, from, to) => readRange(context, from, to)

/** Maximum number of lines read per day. On a day with more traffic, they cover too little of the day for this check. */
const maxLines = 20_000

const readV1: Reader = async (context, from, to) => {
  const lines: Row[] = []
  for (let day = Math.floor(from / dayMs) * dayMs; day < to; day += dayMs) {
    const all = await readFileLines(context, new Date(day), { sort: 'asc', end: String(maxLines) })
    if (all.length >= maxLines) throw new Skip(`a day with ${maxLines} lines or more is not read as a whole`)
    lines.push(...all.map(parseLogLine))
  }
  return lines.filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) < to)
}

/** All rows that are visible now are still visible in the last millisecond before they are three days old. */
function kept(operation: Operation, retentionMs: number, read: Reader): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'kept',
    part: seenBefore,
    text: 'Logs are retained for 3 days.',
    basis: 'supplement',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const first = rows[0]
      if (!first) throw new Skip('no row to wait for')
      const oldest = Math.max(from, rowTime(first))
      const before = await read(context, oldest, to)
      await context.wait(oldest + retentionMs - 1 - context.now().getTime())
      expectSameRows(await read(context, oldest, to), before, 'those seen before, nearly 3 days later')
    },
  })
}

/** A note of an earlier run: a range, and how many rows it had. */
interface NotedRange {
  /** Milliseconds since 1970, inclusive. */
  readonly from: number
  /** Milliseconds since 1970, exclusive. */
  readonly to: number
  readonly rows: number
}

interface Noter {
  /** Notes a range that one request can read again, whatever the traffic. */
  note(context: CheckContext): Promise<NotedRange>
  /** Counts the rows of a noted range. */
  count(context: CheckContext, range: NotedRange): Promise<number>
}

/** How each version notes a range, by the name of its operation. */
const noters: Readonly<Record<string, Noter>> = {
  'query-logs': {
    note: async (context) => {
      const { from: start, to, rows } = await sample(context, { minRows: 1 })
      const last = rows.at(-1)
      // The range starts at most an hour before its last row, so that its rows reach the end of retention at about the same time.
      const from = Math.max(start, last ? rowTime(last) - 3_600_000 : start)
      return { from, to, rows: rows.filter((row) => rowTime(row) >= from).length }
    },
    count: async (context, { from, to }) => (await readRange(context, from, to)).length,
  },
  'read-log-file': {
    note: async (context) => {
      const { from, to, lines } = await fileHead(context)
      return { from, to, rows: lines.length }
    },
    count: async (context, { from, to, rows }) =>
      (await linesInHead(context, { day: new Date(from), to }, { end: `${rows + 100}` })).length,
  },
}

/**
 * Rows that an earlier run saw are still there within their retention. This check needs no virtual clock, but it can
 * decide only after an earlier run has noted rows. Without it, a target that retains logs for one day would look like a
 * target without older traffic.
 */
function noted(operation: Operation, retentionMs: number): Drafted {
  const { note, count } = defined(noters[operation.name])
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'noted',
    part: seenBefore,
    text: 'Logs are retained for 3 days.',
    basis: 'supplement',
    needs,
    run: async (context) => {
      const key = `${operation.name} of ${context.fixtures.loggedZoneId}`
      const now = () => context.now().getTime()
      const latest = await note(context)
      context.note(key, latest)
      // With a virtual clock, the check needs no later run. It moves the clock to the end of the retention and verifies the
      // rows that this run noted.
      if (context.virtualClock) await context.wait(latest.from + retentionMs - 2 * marginMs - now())
      // The same check of an earlier run noted these values.
      const notes = context.virtualClock ? [latest] : context.recall(key).map(({ value }) => value as NotedRange)
      const retained = notes.filter(
        ({ from, to, rows }) => from > now() - retentionMs + marginMs && to < now() - dayMs && rows > 0,
      )
      if (retained.length === 0) throw new Skip('no earlier run noted rows that are still within the retention')
      for (const range of retained) {
        const seen = await count(context, range)
        const when = `${new Date(range.from).toISOString()} to ${new Date(range.to).toISOString()}`
        expect(seen >= range.rows, `the ${range.rows} rows that an earlier run saw from ${when}`, `${seen}`)
      }
    },
  })
}

/** A range that starts just inside the retention is answered. This check needs no virtual clock. */
function reachable(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'reachable',
    text: 'Logs are retained for 3 days.',
    basis: 'supplement',
    needs,
    run: async (context) => {
      const from = context.now().getTime() - retentionMs + marginMs
      await queryLogs(context, { ...range(from, from + 3_600_000), limit: '1' })
    },
  })
}

function refused(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
    slug: 'retention-refused',
    text: 'A range that starts before the retention is answered 400.',
    needs,
    run: async (context) => {
      const from = context.now().getTime() - retentionMs - marginMs
      expectStatus(await call(context, operation, { query: range(from, from + 3_600_000) }), 400)
    },
  })
}

/** The oldest day that the retention still touches has a file. This check needs no virtual clock. */
function reachableDay(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'reachable',
    text: 'Logs are retained for 3 days.',
    needs,
    run: async (context) =>
      void (await readFileLines(context, new Date(context.now().getTime() - retentionMs + marginMs), { end: '1' })),
  })
}

/** A day that ended before the retention is refused, or empty. */
function gone(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
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
      const lines = answer.text.split('\n').filter(Boolean)
      expect(lines.length === 0, 'no lines of that day', `${lines.length}`)
    },
  })
}
