import { contracts, type Operation, operations } from '@cdn/api/contract'
import { expectSuccess, jsonOf } from '../answer.ts'
import { call } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { expect, need, Skip } from '../failure.ts'
import { expectSameRows, parseLine, queryLogs, readFileLines, readRange, sample, timeOf } from '../logs.ts'
import { type Draft, draft, type Law } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** What the document says of the logs themselves, looked at through the supplement's fields and parameters. */
export const logs: Law = (operation) => {
  if (operation.name === 'query-logs') return v2Laws.map((law) => draft(operation, { needs, ...law }))
  if (operation.name === 'read-log-file') return v1Laws.map((law) => draft(operation, { needs, ...law }))
  return []
}

/** The seven values of §2, read from the contract. */
export function cacheStatuses(): readonly string[] {
  return (contracts.logging.openapi.document.components.schemas?.['CacheStatus']?.['enum'] ?? []) as string[]
}

const v2Laws: readonly Draft[] = [
  {
    slug: 'json',
    text: 'Version 2 answers with JSON.',
    run: async (context) => {
      const answer = await call(context, v2())
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
      for (const name of ['loggedZoneId', 'otherLoggedZoneId'] as const) {
        const zone = need(context.fixtures[name], name)
        const { rows } = await sample(context, { zone, fewest: 1 })
        const strange = rows.find((row) => String(row['pullZoneId']) !== zone)
        expect(strange === undefined, `rows of ${zone} only`, () => `a row of ${String(strange?.['pullZoneId'])}`)
      }
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
  {
    slug: 'filtering',
    text: 'Version 2 filters the logs.',
    through: 'supplement',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const value = rarest(rows.map((row) => String(row['cacheStatus'])))
      const seen = await readRange(context, from, to, { cacheStatus: value })
      const expected = rows.filter((row) => row['cacheStatus'] === value)
      expectSameRows(seen, expected, `those whose cache status is ${value}`)
    },
  },
  {
    slug: 'pagination',
    text: 'Version 2 gives the logs in pages.',
    through: 'supplement',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const limit = Math.max(1, Math.ceil(rows.length / 3))
      const seen = await readRange(context, from, to, { limit: `${limit}` })
      expectSameRows(seen, rows, `those of the range in pages of ${limit}`)
    },
  },
  {
    slug: 'per-field-search',
    text: 'Version 2 searches in single fields.',
    through: 'supplement',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const path = rows.map((row) => String(row['path'] ?? '')).find((candidate) => /^[\w/.-]{2,}$/.test(candidate))
      if (!path) throw new Skip('no row with a plain path to search for')
      const part = path.slice(0, 12).toUpperCase()
      const seen = await readRange(context, from, to, { urlContains: part })
      const expected = rows.filter((row) => `${row['host'] ?? ''}${row['path'] ?? ''}`.toUpperCase().includes(part))
      expectSameRows(seen, expected, `those with ${part} in host and path`)
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
      const strange = times.find((time) => !(time >= midnight && time < midnight + dayMs))
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
      expect((await someLines(context)).length > 0, 'lines of a day with traffic', 'none')
    },
  },
]

const dayMs = 86_400_000

function v2(): Operation {
  return need(
    operations.find(({ name }) => name === 'query-logs'),
    'operation query-logs',
  )
}

/** A day of which v2 shows rows: today, or yesterday when today has hardly begun. */
async function busyDay(context: CheckContext): Promise<Date> {
  const { rows } = await sample(context, { fewest: 1 })
  const last = rows.at(-1)
  return new Date(last ? timeOf(last) : context.now())
}

async function someLines(context: CheckContext): Promise<string[]> {
  return readFileLines(context, await busyDay(context))
}

function expectCacheStatuses(seen: readonly string[]): void {
  const allowed = cacheStatuses()
  const strange = seen.find((value) => !allowed.includes(value))
  expect(strange === undefined, `one of ${allowed.join(', ')}`, () => JSON.stringify(strange))
}

/** The value that occurs least often, so that a filter that does nothing shows. */
function rarest(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [value] = [...counts].sort(([, a], [, b]) => a - b)[0] ?? []
  if (value === undefined || counts.size < 2)
    throw new Skip('all rows have the same cache status, so a filter would not show')
  return value
}

function timeText(time: number | undefined): string {
  return time === undefined || Number.isNaN(time) ? 'a line without a time' : new Date(time).toISOString()
}
