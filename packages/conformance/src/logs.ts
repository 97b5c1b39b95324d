import type { Operation } from '@cdn/api/contract'
import { type Answer, expectStatus, expectSuccess, jsonOf, snippet } from './answer.ts'
import { call } from './call.ts'
import type { CheckContext } from './check.ts'
import { expect, Failure, need, Skip } from './failure.ts'
import { dayOf, operationOf } from './resources.ts'

/** A log entry as it came, fields unknown to the contract included (supplement). */
export type Row = Readonly<Record<string, unknown>>

export interface Page {
  readonly rows: readonly Row[]
  readonly pagination: {
    readonly offset: number
    readonly limit: number
    readonly returned: number
    readonly hasMore: boolean
  }
  readonly query: { readonly pullZoneId: unknown; readonly from: string; readonly to: string; readonly order: string }
}

/** A range of time in which all rows of a zone are known, oldest first. */
export interface Sample {
  readonly zone: string
  /** Milliseconds since 1970, inclusive. */
  readonly from: number
  /** Milliseconds since 1970, exclusive. */
  readonly to: number
  readonly rows: readonly Row[]
}

type Query = Readonly<Record<string, string>>

/** So long a reader waits until rows of a range have arrived (supplement: clients trail by 2 minutes). */
const settledAfterMs = 120_000
const hourMs = 3_600_000
const pageSize = 1_000
/** No range that is read here has so many pages; a server that never comes to an end has. */
const mostPages = 50

/**
 * Asks v2 for one page.
 *
 * @param query parameters as in the contract; zone is `loggedZoneId` where absent
 * @throws Failure when the answer is no page
 */
export async function queryLogs(context: CheckContext, query: Query, zone?: string): Promise<Page> {
  const path = { pullZoneId: zone ?? need(context.fixtures.loggedZoneId, 'loggedZoneId') }
  const answer = await call(context, operationOf('query-logs'), { path, query })
  expectSuccess(answer)
  return pageOf(answer)
}

/** Reads an answer of v2 as a page. */
export function pageOf(answer: Answer): Page {
  const body = jsonOf(answer) as { data?: unknown; pagination?: Page['pagination']; query?: Page['query'] } | null
  const rows = body?.data ?? []
  expect(
    Array.isArray(rows) && body?.pagination !== undefined && body.query !== undefined,
    'a page with data, pagination and query',
    snippet(answer.text),
  )
  return { rows, pagination: body.pagination, query: body.query }
}

/** All rows of a range, oldest first, page by page with the range pinned. */
export async function readRange(
  context: CheckContext,
  from: number,
  to: number,
  query: Query = {},
  zone?: string,
): Promise<Row[]> {
  const rows: Row[] = []
  let offset = 0
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await queryLogs(
      context,
      { ...range(from, to), order: 'asc', limit: `${pageSize}`, offset: `${offset}`, ...query },
      zone,
    )
    rows.push(...page.rows)
    if (!page.pagination.hasMore) return rows
    offset += page.pagination.limit
  }
  throw new Failure(`the last page after less than ${mostPages}`, `hasMore on all ${mostPages}`)
}

/** `from` and `to` as query parameters. */
export function range(from: number, to: number): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/**
 * Finds a settled range with enough rows to look at and few enough for one page.
 *
 * @param zone `loggedZoneId` where absent
 * @param fewest how many rows the check needs
 * @throws Skip when the zone has no such traffic in the last 24 hours
 */
export async function sample(context: CheckContext, options: { zone?: string; fewest?: number } = {}): Promise<Sample> {
  const zone = options.zone ?? need(context.fixtures.loggedZoneId, 'loggedZoneId')
  const to = context.now().getTime() - settledAfterMs
  for (let length = 24 * hourMs; length >= 1_000; length = Math.floor(length / 4)) {
    const from = to - length
    const page = await queryLogs(context, { ...range(from, to), order: 'asc', limit: `${pageSize}` }, zone)
    if (page.pagination.hasMore) continue
    if (page.rows.length < (options.fewest ?? 2)) break
    return { zone, from, to, rows: page.rows }
  }
  throw new Skip(`the zone has too little or too much traffic in the last 24 hours to take a sample`)
}

/** Time of a row in milliseconds since 1970. */
export function timeOf(row: Row): number {
  const time = Date.parse(String(row['timestamp']))
  expect(!Number.isNaN(time), 'a timestamp', JSON.stringify(row['timestamp']) ?? 'none')
  return time
}

/**
 * Fails unless both hold the same rows, each as often, in whatever order.
 *
 * @param what names the two sides for the message
 */
export function expectSameRows(seen: readonly Row[], expected: readonly Row[], what: string): void {
  const counts = new Map<string, number>()
  for (const row of expected) count(counts, canonical(row), 1)
  for (const row of seen) count(counts, canonical(row), -1)
  const missing = [...counts.values()].filter((n) => n > 0).reduce((a, b) => a + b, 0)
  const surplus = -[...counts.values()].filter((n) => n < 0).reduce((a, b) => a + b, 0)
  expect(missing === 0 && surplus === 0, `${expected.length} rows: ${what}`, `${missing} missing, ${surplus} too many`)
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** A null field may be left out (supplement), so both compare alike. */
function canonical(row: Row): string {
  return JSON.stringify(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** One line of a v1 file, by the names of `x-line`; absent fields are left out. */
export type Line = Readonly<Record<string, string>>

/** Asks for the day file of version 1 of the logged zone, or of another one; fails where there is none. */
export async function fileAnswer(context: CheckContext, day: Date, query: Query = {}, zone?: string): Promise<Answer> {
  const operation = operationOf('read-log-file')
  const pullZoneId = zone ?? need(context.fixtures.loggedZoneId, 'loggedZoneId')
  const answer = await call(context, operation, { path: { date: dayOf(day), pullZoneId }, query })
  if (answer.status !== 204) expectStatus(answer, 200)
  return answer
}

/**
 * Reads a v1 day file.
 *
 * @returns the lines as text, blank ones left out (supplement)
 */
export async function readFileLines(
  context: CheckContext,
  day: Date,
  query: Query = {},
  zone?: string,
): Promise<string[]> {
  const answer = await fileAnswer(context, day, query, zone)
  return answer.text.split('\n').filter((line) => line.trim() !== '')
}

/** Names the fields of a line; `-` means absent except in the first field (supplement). */
export function parseLine(text: string): Line {
  const names = lineFields(operationOf('read-log-file')).map(({ name }) => name)
  return Object.fromEntries(
    text
      .split('|')
      .flatMap((value, index) => (value === '-' && index > 0 ? [] : [[names[index] ?? `field ${index}`, value]])),
  )
}

/** The fields of a v1 line, in order, as the contract states them. */
export function lineFields(operation: Operation) {
  return operation.responses.find(({ line }) => line)?.line ?? []
}
