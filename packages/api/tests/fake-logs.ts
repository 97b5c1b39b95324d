import { assertDefined } from '@cdn/kit/assert-defined'
import { fakeFetch } from './fake-fetch.ts'

/** A row of the store. Its time may be finer than a millisecond. */
export interface Stored {
  /** Milliseconds since `day`. */
  readonly at: number
  readonly fields: Readonly<Record<string, unknown>>
}

export interface FakeLogs {
  readonly rows: readonly Stored[]
  readonly show: (at: number) => number
  readonly zone?: 'Z' | '+00:00'
  /** Maximum page size of the server. */
  readonly largest?: number
  /** Start of the logs in milliseconds since `day`. Requests with an earlier `from` get 400. */
  readonly oldest?: number
  /** Whether the server ignores the order of a request: its pages have the latest rows first. */
  readonly isDescending?: boolean
  /** Returns numbers from 0 to 1, which decide the order of rows with the same time. */
  readonly random?: () => number
  /** Replaces the response of the n-th request that is not refused, from 0. Undefined keeps the page. */
  readonly fault?: (n: number, page: Page) => Response | Error | undefined
}

export interface Page {
  data: unknown[] | null
  pagination: { offset: number; limit: number; returned: number; hasMore: boolean }
  query: { pullZoneId: number; from: string; to: string; order: string }
}

export const day = Date.UTC(2026, 10, 20)

/** A simplified version 2. For each request it filters and sorts the whole store, and returns a page. */
export function fakeLogs(logs: FakeLogs) {
  const { rows, show, zone = 'Z', largest = 10_000, oldest, isDescending, random = Math.random, fault } = logs
  let count = 0
  return fakeFetch((request) => {
    const { searchParams, pathname } = new URL(request.url)
    const get = (name: string) => assertDefined(searchParams.get(name))
    const [from, to, order] = [get('from'), get('to'), get('order')]
    const [start, end] = [Date.parse(from) - day, Date.parse(to) - day]
    const offset = Number(searchParams.get('offset'))
    const limit = Math.min(Number(searchParams.get('limit')), largest)
    if (oldest !== undefined && start < oldest) {
      return Response.json({ error: { code: 'invalid_request', message: 'too old' } }, { status: 400 })
    }
    const matches = rows
      .filter(({ at }) => at >= start && at < end)
      .map((row) => ({ row, tie: random() }))
      .sort((a, b) => (a.row.at - b.row.at) * (isDescending ? -1 : 1) || a.tie - b.tie)
    const country = searchParams.get('country')
    const data = matches
      .slice(offset, offset + limit)
      .map(({ row }) => shown(row, show, zone))
      .filter((row) => country === null || row['countryCode'] === country)
    const page: Page = {
      data,
      pagination: { offset, limit, returned: data.length, hasMore: offset + limit < matches.length },
      query: { pullZoneId: Number(pathname.split('/')[3]), from, to, order },
    }
    return fault?.(count++, page) ?? Response.json(page)
  })
}

export function shown({ at, fields }: Stored, show: (at: number) => number, zone = 'Z'): Record<string, unknown> {
  const timestamp = new Date(day + show(at)).toISOString().replace('Z', zone)
  return { timestamp, pullZoneId: 1, statusCode: 200, bytesSent: 1, ...fields }
}
