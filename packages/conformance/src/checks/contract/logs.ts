import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { dayMs } from '@cdn/kit/time'
import { expectStatus, expectSuccess, jsonOf } from '../../core/answer.ts'
import { call } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { expect, need, Skip } from '../../core/failure.ts'
import {
  fileAnswer,
  fileHead,
  lineFields,
  parseLogLine,
  queryLogs,
  type Row,
  range,
  readFileLines,
  rowTime,
  sample,
  timeOfLine,
} from '../../core/logs.ts'
import { operationOf } from '../resources.ts'
import { type ContractChecks, type Draft, draft } from './contract-checks.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Checks what the spec states about the logs. They observe it through the supplement's fields and parameters. */
export const logs: ContractChecks = (operation) => {
  if (operation.name === 'query-logs') return v2Checks.map((each) => draft(operation, { needs, ...each }))
  if (operation.name === 'read-log-file') return v1Checks.map((each) => draft(operation, { needs, ...each }))
  return []
}

const v2Checks: readonly Draft[] = [
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
      const line = defined((await fileHead(context)).lines[0])
      const time = timeOfLine(line)
      const { rows } = await queryLogs(context, range(time - 1, time + 2))
      expect(rows.length > 0, `the request that version 1 shows at ${timeText(time)}`, 'no row')
    },
  },
  {
    slug: 'zone',
    text: 'The path parameter picks the pull zone.',
    basis: 'supplement',
    needs: [...needs, 'otherLoggedZoneId'],
    run: async (context) => {
      const shown: string[] = []
      for (const name of ['loggedZoneId', 'otherLoggedZoneId'] as const) {
        const zone = need(context.fixtures[name], name)
        const { rows } = await sample(context, { zone, minRows: 1 })
        const strange = rows.find((row) => String(row['pullZoneId']) !== zone)
        expect(strange === undefined, `rows of ${zone} only`, () => `a row of ${String(strange?.['pullZoneId'])}`)
        shown.push(rows.map(withoutZone).sort().join('\n'))
      }
      // The zone id in a row proves nothing, so compare the rows. Two zones hardly ever get the same requests.
      expect(shown[0] !== shown[1], 'different rows in the two zones', 'the same rows in both')
    },
  },
  {
    slug: 'cache-status.values',
    topic: 'cache-status.values',
    text: 'The cache status is one of the listed values.',
    basis: 'supplement',
    run: async (context) => {
      const { rows } = await sample(context, { minRows: 1 })
      expectCacheStatuses(rows.map((row) => String(row['cacheStatus'])))
    },
  },
  {
    slug: 'limit-bounds',
    text: 'A limit outside its bounds is answered 400.',
    run: async (context) => {
      const { schema } = defined(operationOf('query-logs').parameters.find(({ name }) => name === 'limit'))
      const [minimum, maximum] = [defined(schema.minimum), defined(schema.maximum)]
      const { from, to } = await sample(context)
      for (const limit of [minimum, maximum]) await queryLogs(context, { ...range(from, to), limit: `${limit}` })
      for (const limit of [minimum - 1, maximum + 1]) {
        expectStatus(await call(context, operationOf('query-logs'), { query: { limit: `${limit}` } }), 400)
      }
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
    slug: 'pipe-delimited',
    text: 'Version 1 answers with pipe-delimited lines.',
    run: async (context) => {
      const strange = (await someLines(context)).find((line) => line.split('|').length < 2)
      expect(strange === undefined, 'fields joined by |', () => JSON.stringify(strange))
    },
  },
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
    },
  },
  {
    slug: 'cache-status.values',
    topic: 'cache-status.values',
    text: 'The cache status is one of the listed values.',
    run: async (context) =>
      expectCacheStatuses((await someLines(context)).map((line) => parseLogLine(line)['cacheStatus'] ?? '')),
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
    slug: 'line',
    text: 'A line has the stated fields.',
    run: async (context) => {
      const fields = lineFields()
      const lengths = [fields.filter(({ extended }) => !extended).length, fields.length]
      for (const line of (await fileHead(context)).lines) {
        const { length } = line.split('|')
        expect(lengths.includes(length), `${lengths.join(' or ')} fields`, `${length} fields`)
        const named = parseLogLine(line)
        const strange = fields.find(
          ({ name, type }) => type === 'integer' && named[name] !== undefined && !/^\d+$/.test(named[name]),
        )
        expect(strange === undefined, `an integer as ${strange?.name}`, () =>
          JSON.stringify(strange && named[strange.name]),
        )
      }
    },
  },
  {
    slug: 'zone',
    text: 'A file holds the lines of the pull zone in its path.',
    run: async (context) => {
      const { loggedZoneId } = context.fixtures
      const strange = (await fileHead(context)).lines.find((line) => parseLogLine(line)['pullZoneId'] !== loggedZoneId)
      expect(strange === undefined, `lines of ${loggedZoneId} only`, () => JSON.stringify(strange))
    },
  },
  {
    slug: 'attachment',
    text: 'The file comes as an attachment, unless download is false.',
    run: async (context) => {
      const { day } = await fileHead(context)
      const disposition = async (query: Record<string, string>) =>
        (await fileAnswer(context, day, { end: '1', ...query })).headers.get('content-disposition')
      const saved = await disposition({})
      expect(/^attachment\b/i.test(saved ?? ''), 'Content-Disposition: attachment', `${saved}`)
      const shown = await disposition({ download: 'false' })
      expect(!/^attachment\b/i.test(shown ?? ''), 'no attachment', `${shown}`)
    },
  },
]

function withoutZone({ pullZoneId: _, ...row }: Row): string {
  return JSON.stringify(row)
}

/** Returns lines from both ends of a file, because a rare value may occur only at one end. */
async function someLines(context: CheckContext): Promise<string[]> {
  const { day, lines } = await fileHead(context)
  const tail = await context.once('file tail', () => readFileLines(context, day, { end: '500' }))
  return [...lines, ...tail]
}

function expectCacheStatuses(seen: readonly string[]): void {
  const allowed = defined(contracts.logging.openapi.document.components.schemas?.['CacheStatus']?.enum).map(String)
  const strange = seen.find((value) => !allowed.includes(value))
  expect(strange === undefined, `one of ${allowed.join(', ')}`, () => JSON.stringify(strange))
}

function timeText(time: number | undefined): string {
  return time === undefined || Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
