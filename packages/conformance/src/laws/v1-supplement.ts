import type { CheckContext } from '../check.ts'
import { expect, Skip } from '../failure.ts'
import {
  fileAnswer,
  type Line,
  lineFields,
  parseLine,
  type Row,
  readFileLines,
  readRange,
  sample,
  timeOf,
} from '../logs.ts'
import { operationOf } from '../resources.ts'
import { type Draft, draft, type Law } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** What the public reference says of version 1 beyond the document, and that both versions show the same. */
export const v1Supplement: Law = (operation) =>
  operation.name === 'read-log-file' ? laws.map((law) => draft(operation, { needs, ...law })) : []

const laws: readonly Draft[] = [
  {
    slug: 'line',
    text: 'A line has the stated fields.',
    run: async (context) => {
      const fields = lineFields(operationOf('read-log-file'))
      const lengths = [fields.filter(({ extended }) => !extended).length, fields.length]
      for (const line of await linesOf(context)) {
        const { length } = line.split('|')
        expect(lengths.includes(length), `${lengths.join(' or ')} fields`, `${length} fields`)
        const named = parseLine(line)
        const strange = fields.find(
          ({ name, type }) => type === 'integer' && named[name] !== undefined && !/^\d+$/.test(named[name]),
        )
        expect(strange === undefined, `an integer as ${strange?.name}`, () =>
          JSON.stringify(named[strange?.name ?? '']),
        )
      }
    },
  },
  {
    slug: 'zone',
    text: 'A file holds the lines of the pull zone in its path.',
    run: async (context) => {
      const { loggedZoneId } = context.fixtures
      const strange = (await linesOf(context)).find((line) => parseLine(line)['pullZoneId'] !== loggedZoneId)
      expect(strange === undefined, `lines of ${loggedZoneId} only`, () => JSON.stringify(strange))
    },
  },
  {
    slug: 'order',
    text: 'Lines are ordered by time.',
    run: async (context) => {
      for (const sort of ['asc', 'desc'] as const) {
        const times = (await linesOf(context, { sort })).map((line) => Number(parseLine(line)['timestamp']))
        const sorted = [...times].sort((a, b) => (sort === 'asc' ? a - b : b - a))
        expect(times.join() === sorted.join(), `times in order ${sort}`, 'another order')
      }
    },
  },
  {
    slug: 'status-filter',
    text: 'status picks lines by class.',
    run: async (context) => {
      const all = await linesOf(context, { sort: 'asc' })
      const digit = all.map(statusClass).sort()[0]
      if (digit === undefined) throw new Skip('no lines to look at')
      const seen = await linesOf(context, { sort: 'asc', status: digit })
      const expected = all.filter((line) => statusClass(line) === digit)
      expectSameLines(seen, expected, `of class ${digit}`)
    },
  },
  {
    slug: 'search',
    text: 'search picks lines that hold a text.',
    run: async (context) => {
      const all = await linesOf(context, { sort: 'asc' })
      const paths = all.map((line) => URL.parse(parseLine(line)['url'] ?? '')?.pathname ?? '')
      const path = paths.find((text) => /^[/\w.-]{4,}$/.test(text))
      if (path === undefined) throw new Skip('no line with a plain path to search for')
      const expected = all.filter((line) => line.includes(path))
      expectSameLines(await linesOf(context, { sort: 'asc', search: path }), expected, `with ${path}`)
    },
  },
  {
    slug: 'slice',
    text: 'start skips lines.',
    run: async (context) => {
      const times = async (query: Record<string, string>) =>
        (await linesOf(context, { sort: 'asc', ...query })).map(timeOfLine)
      const all = await times({})
      const half = Math.floor(all.length / 2)
      const seen = await times({ start: `${half}` })
      expect(
        seen.join() === all.slice(half).join(),
        `the lines from index ${half} on`,
        `${seen.length} lines, or others`,
      )
    },
  },
  {
    slug: 'slice-end',
    text: 'end ends the slice; whether its own line belongs to it is not said.',
    run: async (context) => {
      const all = (await linesOf(context, { sort: 'asc' })).map(timeOfLine)
      const half = Math.floor(all.length / 2)
      const seen = (await linesOf(context, { sort: 'asc', end: `${half}` })).map(timeOfLine).join()
      const isSlice = [half, half + 1].some((end) => all.slice(0, end).join() === seen)
      expect(isSlice, `the first ${half} or ${half + 1} lines`, `${seen.split(',').length} lines, or others`)
    },
  },
  {
    slug: 'attachment',
    text: 'The file comes as an attachment, unless download is false.',
    run: async (context) => {
      const { from } = await sampleOfOneDay(context)
      const disposition = async (query: Record<string, string>) =>
        (await fileAnswer(context, new Date(from), query)).headers.get('content-disposition')
      const saved = await disposition({})
      expect(/^attachment\b/i.test(saved ?? ''), 'Content-Disposition: attachment', `${saved}`)
      const shown = await disposition({ download: 'false' })
      expect(!/^attachment\b/i.test(shown ?? ''), 'no attachment', `${shown}`)
    },
  },
  {
    slug: 'agreement.v1-v2',
    topic: 'agreement.v1-v2',
    text: 'Both versions show the same requests.',
    run: async (context) => {
      const { from, to } = await sampleOfOneDay(context)
      const lines = (await readFileLines(context, new Date(from), { sort: 'asc' })).map(parseLine)
      const v1 = lines
        .filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) < to)
        .map(comparableLine)
      const v2 = (await readRange(context, from, to)).filter(inDefaultClasses).map(comparableRow)
      const withShield = await readRange(context, from, to, { includeOriginShield: 'true' })
      // Nobody says whether version 1 holds requests from the edge to the origin shield, so both are right.
      const missing = surplus(v2, v1)
      const tooMany = surplus(v1, withShield.filter(inDefaultClasses).map(comparableRow))
      expect(
        missing.length === 0 && tooMany.length === 0,
        `the ${v2.length} requests of version 2`,
        `${missing.length} missing, ${tooMany.length} too many in version 1`,
      )
    },
  },
]

function expectSameLines(seen: readonly string[], expected: readonly string[], what: string): void {
  expect(
    [...seen].sort().join('\n') === [...expected].sort().join('\n'),
    `${expected.length} lines ${what}`,
    `${seen.length} lines, or others`,
  )
}

async function linesOf(context: CheckContext, query: Record<string, string> = {}): Promise<string[]> {
  const { from } = await sampleOfOneDay(context)
  return readFileLines(context, new Date(from), query)
}

const dayMs = 86_400_000

/** The part of a sample that lies on its last UTC day. */
async function sampleOfOneDay(context: CheckContext): Promise<{ from: number; to: number }> {
  const { from, to, rows } = await sample(context, { fewest: 1 })
  const last = rows.at(-1)
  if (!last) throw new Skip('no rows to look at')
  const midnight = Math.floor(timeOf(last) / dayMs) * dayMs
  return { from: Math.max(from, midnight), to: Math.min(to, midnight + dayMs) }
}

function timeOfLine(line: string): string | undefined {
  return parseLine(line)['timestamp']
}

function statusClass(line: string): string {
  return (parseLine(line)['statusCode'] ?? '').slice(0, 1)
}

/** v1 leaves out 1xx by default (supplement). */
function inDefaultClasses(row: Row): boolean {
  return /^[2-5]/.test(String(row['statusCode']))
}

/** Numbers only: text is stripped of pipes in v1, and null there cannot be told from `-`. */
function comparableLine(line: Line): string {
  return [line['timestamp'], line['statusCode'], line['bytesSent'], line['pullZoneId'], line['cacheStatus']].join(' ')
}

function comparableRow(row: Row): string {
  return [timeOf(row), row['statusCode'], row['bytesSent'], row['pullZoneId'], row['cacheStatus']].join(' ')
}

/** What the first holds more often than the second. */
function surplus(these: readonly string[], those: readonly string[]): string[] {
  const left = Map.groupBy(those, (text) => text)
  return these.filter((text) => left.get(text)?.pop() === undefined)
}
