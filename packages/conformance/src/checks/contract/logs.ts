import { defined } from '@cdn/kit/defined'
import { dayMs } from '@cdn/kit/time'
import { expectSuccess, isSuccess, jsonOf } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import { expect, need, Skip } from '../../core/failure.ts'
import {
  canonical,
  fileAnswer,
  linesOf,
  maxSample,
  pageOf,
  queryLogs,
  range,
  readFileLines,
  rowTime,
  sample,
  shownDay,
  timeOfLine,
} from '../../core/logs.ts'
import { dayParameterOf, operationOf } from '../resources.ts'
import { type ContractChecks, type Draft, draft, misreadings } from './contract-checks.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Checks what the spec states about the logs. They observe it through the supplement's fields and parameters. */
export const logs: ContractChecks = (operation) => {
  if (operation.name === 'query-logs') return v2Checks.map((each) => draft(operation, { needs, ...each }))
  if (operation.name === 'read-log-file') return v1Checks.map((each) => draft(operation, { needs, ...each }))
  return []
}

/** Same query, another id in the path: the rows of another pull zone, or none. */
const zone: Draft = {
  slug: 'zone',
  text: 'The path parameter picks the pull zone.',
  basis: 'supplement',
  needs: [...needs, 'otherLoggedZoneId'],
  run: async (context) => {
    const { from, to } = await sample(context, { minRows: 1 })
    const shown: string[] = []
    for (const name of ['loggedZoneId', 'otherLoggedZoneId'] as const) {
      const id = need(context.fixtures[name], name)
      // Both zones get the same query.
      const { rows } = await queryLogs(context, { ...range(from, to), order: 'asc', limit: `${maxSample}` }, id)
      const strange = rows.find((row) => String(row['pullZoneId']) !== id)
      expect(strange === undefined, `rows of ${id} only`, () => `a row of ${String(strange?.['pullZoneId'])}`)
      shown.push(
        rows
          .map(({ pullZoneId: _, ...row }) => canonical(row))
          .sort()
          .join('\n'),
      )
    }
    // The zone id in a row proves nothing, so compare the rows. Two zones hardly ever get the same requests.
    expect(shown[0] !== shown[1], 'different rows in the two zones', 'the same rows in both')
    // The status for an absent zone is unspecified (§7), but no other zone has this id.
    for (const id of misreadings(need(context.fixtures.loggedZoneId, 'loggedZoneId'))) {
      const path = { pullZoneId: id }
      const answer = await call(context, operationOf('query-logs'), { path, query: { limit: '1' } })
      expect(!isSuccess(answer) || pageOf(answer).rows.length === 0, `no rows of the pull zone ${id}`, 'some')
    }
  },
}

const v2Checks: readonly Draft[] = [
  zone,
  {
    slug: 'json',
    text: 'Version 2 answers with JSON.',
    run: async (context) => {
      const answer = await call(context, operationOf('query-logs'))
      expectSuccess(answer)
      jsonOf(answer)
      const type = answer.headers.get('content-type') ?? 'none'
      expect(/^application\/(.+\+)?json\b/i.test(type), 'a JSON content type', type)
    },
  },
  {
    slug: 'service.raw-logs',
    topic: 'service.raw-logs',
    text: 'The interface gives raw request logs.',
    basis: 'supplement',
    run: async (context) => {
      if ((await queryLogs(context, {})).rows.length > 0) return
      // Without traffic, version 2 has no rows. A request that version 1 shows must be in version 2, too.
      const line = defined((await shownDay(context)).lines[0])
      const time = timeOfLine(line)
      const { rows } = await queryLogs(context, range(time - 1, time + 2))
      expect(rows.length > 0, `the request that version 1 shows at ${timeText(time)}`, 'no row')
    },
  },
  {
    slug: 'default-range',
    text: 'The default range is the last 24 hours.',
    run: async (context) => {
      const now = context.now().getTime()
      const { query } = await queryLogs(context, { limit: '1' })
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
      expect(to - from === dayMs, 'a range of 24 hours', `${(to - from) / 3_600_000} hours`)
      // The suite corrects its own clock by the target's `Date` header. That clock may differ from the clock of the logs
      // by seconds.
      expect(Math.abs(to - now) < 60_000, 'a range that ends now', query.to)
    },
  },
]

const v1Checks: readonly Draft[] = [
  {
    slug: 'day',
    text: 'Version 1 answers with the logs of the given day.',
    run: async (context) => {
      const today = Math.floor(context.now().getTime() / dayMs) * dayMs
      let seen = 0
      // It is enough to read the lines next to midnight. A server that ignores the day would show the same lines in the
      // files of both days.
      for (const midnight of [today - dayMs, today]) {
        for (const sort of ['asc', 'desc']) {
          const lines = await readFileLines(context, new Date(midnight), { sort, end: '10' })
          const times = lines.map(timeOfLine)
          seen += times.length
          // The server may round a time up to the next millisecond.
          const strange = times.find((time) => !(time >= midnight && time <= midnight + dayMs))
          expect(strange === undefined, `times of ${new Date(midnight).toISOString().slice(0, 10)}`, () =>
            timeText(strange),
          )
        }
      }
      if (seen === 0) throw new Skip('the files of today and yesterday are empty')
      const operation = operationOf('read-log-file')
      for (const day of impossibleDays(new Date(today - dayMs))) {
        const path = { [defined(dayParameterOf(operation))]: day }
        const answer = await call(context, operation, { path, query: { end: '1' } })
        expect(!isSuccess(answer) || linesOf(answer).length === 0, `no lines of the impossible day ${day}`, 'some')
      }
    },
  },
  {
    slug: 'service.raw-logs',
    topic: 'service.raw-logs',
    text: 'The interface gives raw request logs.',
    run: async (context) => {
      const today = Math.floor(context.now().getTime() / dayMs) * dayMs
      const { rows } = await sample(context, { minRows: 1 })
      // A file shows this row by default, because its status class is one of the default classes (supplement).
      const row = rows.find(({ statusCode }) => Number(statusCode) >= 200)
      if (!row) throw new Skip('no row that a file must show')
      const isOfToday = rowTime(row) >= today
      const lines = await readFileLines(context, new Date(isOfToday ? today : today - dayMs), { end: '10' })
      expect(lines.length > 0, 'lines of a day with traffic', 'none')
    },
  },
  {
    slug: 'attachment',
    text: 'The file comes as an attachment, unless download is false.',
    run: async (context) => {
      const { day } = await shownDay(context)
      const disposition = async (query: Record<string, string>) =>
        (await fileAnswer(context, day, { end: '1', ...query })).headers.get('content-disposition')
      const saved = await disposition({})
      expect(/^attachment\b/i.test(saved ?? ''), 'Content-Disposition: attachment', `${saved}`)
      const shown = await disposition({ download: 'false' })
      expect(!/^attachment\b/i.test(shown ?? ''), 'no attachment', `${shown}`)
    },
  },
]

/** Returns days that do not exist, but that a careless server takes for a day: beyond the end of the month, or of the year. */
function impossibleDays(day: Date): string[] {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()]
  const previous = new Date(Date.UTC(year, month - 1, 0))
  const form = (...parts: readonly number[]) => parts.map((part) => String(part % 100).padStart(2, '0')).join('-')
  return [
    form(previous.getUTCMonth() + 1, date + previous.getUTCDate(), previous.getUTCFullYear()),
    form(month + 12, date, year - 1),
  ]
}

function timeText(time: number | undefined): string {
  return time === undefined || Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
