import type { Operation } from '@cdn/api/contract'
import { expectStatus, isSuccess } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { expect, Skip } from '../failure.ts'
import {
  expectSameRows,
  parseLine,
  queryLogs,
  type Row,
  range,
  readFileLines,
  readRange,
  sample,
  timeOf,
} from '../logs.ts'
import { dayOf } from '../resources.ts'
import { type Drafted, draft, type Law } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const
/** So far from the edge of the retention a check stays on a live target, whose clock may differ. */
const marginMs = 60_000

/** Logs are retained for 3 days (§8): a floor, so that keeping them longer breaks nothing here. */
export const retention: Law = (operation) => {
  const { retentionMs } = operation
  if (retentionMs === undefined) return []
  const readers = { 'query-logs': readV2, 'read-log-file': readV1 } as const
  const reader = Object.entries(readers).find(([name]) => name === operation.name)?.[1]
  if (!reader) return []
  return [
    kept(operation, retentionMs, reader),
    ...(reader === readV2
      ? [reachable(operation, retentionMs), refused(operation, retentionMs)]
      : [reachableDay(operation, retentionMs), gone(operation, retentionMs)]),
  ]
}

type Reader = (context: CheckContext, from: number, to: number) => Promise<readonly Row[]>

const readV2: Reader = (context, from, to) => readRange(context, from, to)

const readV1: Reader = async (context, from, to) => {
  const lines: Row[] = []
  for (let day = Math.floor(from / dayMs) * dayMs; day < to; day += dayMs) {
    lines.push(...(await readFileLines(context, new Date(day), { sort: 'asc' })).map(parseLine))
  }
  return lines.filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) < to)
}

const dayMs = 86_400_000

/** Rows that are seen now are seen again, all of them, in the last millisecond before they are three days old. */
function kept(operation: Operation, retentionMs: number, read: Reader): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'kept',
    text: 'Logs are retained for 3 days.',
    through: 'supplement',
    needs: [...needs, 'virtual-clock'],
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const first = rows[0]
      if (!first) throw new Skip('no row to wait for')
      const oldest = Math.max(from, timeOf(first))
      const before = await read(context, oldest, to)
      await context.wait(oldest + retentionMs - 1 - context.now().getTime())
      expectSameRows(await read(context, oldest, to), before, 'those seen before, nearly 3 days later')
    },
  })
}

/** A range that starts just inside the retention is answered; on any clock. */
function reachable(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'reachable',
    text: 'Logs are retained for 3 days.',
    through: 'supplement',
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

/** The day that holds the edge of the retention has a file; on any clock. */
function reachableDay(operation: Operation, retentionMs: number): Drafted {
  return draft(operation, {
    slug: 'retention.3-days',
    topic: 'retention.3-days',
    aspect: 'reachable',
    text: 'Logs are retained for 3 days.',
    needs,
    run: async (context) =>
      void (await readFileLines(context, new Date(context.now().getTime() - retentionMs + marginMs))),
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
      const day = Math.floor(timeOf(last) / dayMs) * dayMs
      await context.wait(day + dayMs + retentionMs - context.now().getTime())
      const answer = await call(context, operation, { path: { date: dayOf(new Date(day)) } })
      if (!isSuccess(answer)) return expectStatus(answer, 400)
      const lines = answer.text.split('\n').filter(Boolean)
      expect(lines.length === 0, 'no lines of that day', `${lines.length}`)
    },
  })
}
