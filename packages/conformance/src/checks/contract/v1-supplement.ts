import { dayMs } from '@cdn/kit/time'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import {
  type FileHead,
  fileAnswer,
  fileHead,
  type LineFields,
  lineFields,
  linesInHead,
  parseLogLine,
  type Row,
  readFileLines,
  readWholeRange,
  rowTime,
  sample,
  surplus,
  timeOfLine,
} from '../../core/logs.ts'
import { onClosedRanges } from './closed-ranges.ts'
import type { ContractChecks, Draft } from './contract-checks.ts'

/** Checks what the public reference adds to the spec for version 1, and that both versions show the same requests. */
export const v1Supplement: ContractChecks = (operation) =>
  operation.name === 'read-log-file' ? onClosedRanges(operation, drafts) : []

const drafts: readonly Draft[] = [
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
    slug: 'order',
    text: 'Lines are ordered by time.',
    run: async (context) => {
      const { day } = await fileHead(context)
      for (const sort of ['asc', 'desc'] as const) {
        const times = (await readFileLines(context, day, { sort, end: '500' })).map(timeOfLine)
        const sorted = [...times].sort((a, b) => (sort === 'asc' ? a - b : b - a))
        expect(times.join() === sorted.join(), `times in order ${sort}`, 'another order')
      }
    },
  },
  {
    slug: 'status-filter',
    text: 'status picks lines by class.',
    run: async (context) => {
      const head = await fileHead(context)
      const digits = head.lines.map(statusClass)
      const digit = digits.toSorted()[0]
      if (new Set(digits).size < 2 || digit === undefined) throw new Skip('too few classes to observe the filter')
      const expected = head.lines.filter((line) => statusClass(line) === digit)
      expectSameLines(
        await linesInHead(context, head, { status: digit, end: `${expected.length}` }),
        expected,
        `of class ${digit}`,
      )
    },
  },
  {
    slug: 'search',
    text: 'search picks lines that hold a text.',
    run: async (context) => {
      const head = await fileHead(context)
      const paths = head.lines.map((line) => URL.parse(parseLogLine(line)['url'] ?? '')?.pathname ?? '')
      const holding = (text: string) => head.lines.filter((line) => line.includes(text))
      const inAnyCase = (text: string) => head.lines.filter((line) => line.toLowerCase().includes(text.toLowerCase()))
      // Whether search ignores case is unspecified, so the path must occur in one case only.
      const path = [...new Set(paths)].find((text) => {
        const { length } = inAnyCase(text)
        return /^[/\w.-]{4,}$/.test(text) && length < head.lines.length && length === holding(text).length
      })
      if (path === undefined) throw new Skip('no plain path that occurs in some lines only, and in one case only')
      expectSameLines(
        await linesInHead(context, head, { search: path, end: `${holding(path).length}` }),
        holding(path),
        `with ${path}`,
      )
    },
  },
  {
    slug: 'slice',
    text: 'start skips lines.',
    run: async (context) => {
      const head = await fileHead(context)
      const half = Math.floor(head.lines.length / 2)
      const expected = head.lines.slice(half).map(timeOfLine)
      const seen = (await linesInHead(context, head, { start: `${half}` })).map(timeOfLine)
      expect(
        seen.join() === expected.join(),
        `the lines from index ${half} on`,
        `${seen.length} lines, or different ones`,
      )
    },
  },
  {
    slug: 'slice-end',
    text: 'end ends the slice; whether the slice includes that line is unspecified.',
    run: async (context) => {
      const head = await fileHead(context)
      const times = head.lines.map(timeOfLine)
      const half = Math.floor(times.length / 2)
      const seen = (await readFileLines(context, head.day, { sort: 'asc', end: `${half}` })).map(timeOfLine).join()
      const isSlice = [half, half + 1].some((end) => times.slice(0, end).join() === seen)
      expect(isSlice, `the first ${half} or ${half + 1} lines`, `${seen.split(',').length} lines, or different ones`)
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
  {
    slug: 'agreement.v1-v2',
    topic: 'agreement.v1-v2',
    text: 'Both versions show the same requests, without those to the origin shield.',
    run: async (context) => {
      const { from, to, lines } = await comparableHead(context)
      const v1 = lines.map((line) => comparableLine(parseLogLine(line)))
      const v2 = (await readWholeRange(context, from, to)).filter(inDefaultClasses).map(comparableRow)
      // Neither version shows requests from the edge to the origin shield. Version 2 leaves them out by default "to
      // match v1".
      const missing = surplus(v2, v1)
      const tooMany = surplus(v1, v2)
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
    `${seen.length} lines, or different ones`,
  )
}

/**
 * Returns the head of a file on which both versions can be compared. If the file is empty although version 2 shows
 * rows, the comparison fails later.
 *
 * @throws Skip if neither version shows a request
 */
async function comparableHead(context: CheckContext): Promise<Pick<FileHead, 'from' | 'to' | 'lines'>> {
  const head = await fileHead(context).catch((error) => {
    if (error instanceof Skip) return undefined
    throw error
  })
  if (head) return head
  const { from, to } = await sample(context, { minRows: 1 })
  const midnight = Math.floor(to / dayMs) * dayMs
  const lines = await readFileLines(context, new Date(midnight), { sort: 'asc', end: '1000' })
  return { from: Math.max(from, midnight), to, lines: lines.filter((line) => timeOfLine(line) < to) }
}

function statusClass(line: string): string {
  return (parseLogLine(line)['statusCode'] ?? '').slice(0, 1)
}

/** Version 1 leaves out 1xx by default (supplement). */
function inDefaultClasses(row: Row): boolean {
  return /^[2-5]/.test(String(row['statusCode']))
}

/**
 * Returns the comparable fields of a line. Free text is left out, because version 1 strips pipes from text, and because
 * `-` can mean null or an empty text.
 */
function comparableLine(line: LineFields): string {
  return [line['timestamp'], line['statusCode'], line['bytesSent'], line['pullZoneId'], line['cacheStatus']].join(' ')
}

function comparableRow(row: Row): string {
  return [rowTime(row), row['statusCode'], row['bytesSent'], row['pullZoneId'], row['cacheStatus']].join(' ')
}
