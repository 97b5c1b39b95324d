import { expectSuccess, jsonOf } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { expect, need, Skip } from '../failure.ts'
import { parseLine, queryLogs, type Row, readFileLines, sample, timeOf } from '../logs.ts'
import { operationOf } from '../resources.ts'
import { type Draft, draft, type Law } from './law.ts'
import { cacheStatuses } from './v2-filters.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** What the document says of the logs themselves, looked at through the supplement's fields and parameters. */
export const logs: Law = (operation) => {
  if (operation.name === 'query-logs') return v2Laws.map((law) => draft(operation, { needs, ...law }))
  if (operation.name === 'read-log-file') return v1Laws.map((law) => draft(operation, { needs, ...law }))
  return []
}

const v2Laws: readonly Draft[] = [
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
    through: 'supplement',
    run: async (context) => {
      const { rows } = await queryLogs(context, {})
      expect(rows.length > 0, 'rows of the last 24 hours (the fixture must have traffic)', 'none')
    },
  },
  {
    slug: 'zone',
    text: 'The path parameter picks the pull zone.',
    through: 'supplement',
    needs: [...needs, 'otherLoggedZoneId'],
    run: async (context) => {
      const shown: string[] = []
      for (const name of ['loggedZoneId', 'otherLoggedZoneId'] as const) {
        const zone = need(context.fixtures[name], name)
        const { rows } = await sample(context, { zone, fewest: 1 })
        const strange = rows.find((row) => String(row['pullZoneId']) !== zone)
        expect(strange === undefined, `rows of ${zone} only`, () => `a row of ${String(strange?.['pullZoneId'])}`)
        shown.push(rows.map(withoutZone).sort().join('\n'))
      }
      // A label is not enough: two zones hardly ever answer the same requests.
      expect(shown[0] !== shown[1], 'different rows in the two zones', 'the same rows in both')
    },
  },
  {
    slug: 'cache-status.values',
    topic: 'cache-status.values',
    text: 'The cache status is one of the listed values.',
    through: 'supplement',
    run: async (context) => {
      const { rows } = await sample(context, { fewest: 1 })
      expectCacheStatuses(rows.map((row) => String(row['cacheStatus'])))
    },
  },
]

const v1Laws: readonly Draft[] = [
  {
    slug: 'pipe-delimited',
    text: 'Version 1 answers with pipe-delimited lines.',
    run: async (context) => {
      const lines = await someLines(context)
      const strange = lines.find((line) => line.split('|').length < 2)
      expect(strange === undefined, 'fields joined by |', () => JSON.stringify(strange))
    },
  },
  {
    slug: 'day',
    text: 'Version 1 answers with the logs of the given day.',
    run: async (context) => {
      const day = await busyDay(context)
      const midnight = Math.floor(day.getTime() / dayMs) * dayMs
      const times = (await readFileLines(context, day)).map((line) => Number(parseLine(line)['timestamp']))
      if (times.length === 0) throw new Skip('the file of a day with traffic is empty')
      // A time may have been rounded up to the millisecond that is shown.
      const strange = times.find((time) => !(time >= midnight && time <= midnight + dayMs))
      expect(strange === undefined, `times of ${day.toISOString().slice(0, 10)}`, () => timeText(strange))
    },
  },
  {
    slug: 'cache-status.values',
    topic: 'cache-status.values',
    text: 'The cache status is one of the listed values.',
    run: async (context) =>
      expectCacheStatuses((await someLines(context)).map((line) => parseLine(line)['cacheStatus'] ?? '')),
  },
  {
    slug: 'service.raw-logs',
    topic: 'service.raw-logs',
    text: 'The interface gives raw request logs.',
    run: async (context) => {
      const lines = await readFileLines(context, await busyDay(context))
      expect(lines.length > 0, 'lines of a day with traffic', 'none')
    },
  },
]

const dayMs = 86_400_000

function withoutZone({ pullZoneId: _, ...row }: Row): string {
  return JSON.stringify(row)
}

/** A day of which v2 shows rows: today, or yesterday when today has hardly begun. */
async function busyDay(context: CheckContext): Promise<Date> {
  const { rows } = await sample(context, { fewest: 1 })
  const last = rows.at(-1)
  return new Date(last ? timeOf(last) : context.now())
}

async function someLines(context: CheckContext): Promise<string[]> {
  const lines = await readFileLines(context, await busyDay(context))
  if (lines.length === 0) throw new Skip('the file of a day with traffic is empty')
  return lines
}

function expectCacheStatuses(seen: readonly string[]): void {
  const allowed = cacheStatuses()
  const strange = seen.find((value) => !allowed.includes(value))
  expect(strange === undefined, `one of ${allowed.join(', ')}`, () => JSON.stringify(strange))
}

function timeText(time: number | undefined): string {
  return time === undefined || Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
