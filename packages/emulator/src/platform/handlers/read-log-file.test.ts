import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { start, unlimited } from '../../../tests/support/start.ts'
import type { StoredLogRow } from '../state/log-row.ts'

const zone = '2003'
const dates = ['06-14-26', '06-15-26', '06-16-26', '06-17-26'] as const

const { emulator, ask } = await start({ variants: { tieOrder: 'stable' } })
emulator.faults.add(unlimited)
const now = emulator.clock.now().getTime()
const rows = emulator.state.logs.rows(zone)

interface FileQuery {
  start?: number
  end?: number
  sort?: 'asc' | 'desc'
  status?: string
  search?: string
}

/** Computes the expected lines of v1 by the rules of the supplement. It shares no code with the implementation. */
function fileNaively(all: readonly StoredLogRow[], date: string, query: FileQuery): string[] {
  const [month, day, year] = date.split('-')
  const iso = `20${year}-${month}-${day}`
  let lines = all.filter(
    (row) => new Date(row.timestamp).toISOString().startsWith(iso) && row.timestamp >= now - 72 * 3_600_000,
  )
  lines = lines.filter(({ originShield }) => !originShield)
  if (query.sort !== 'asc') lines = lines.toReversed()
  const classes = (query.status ?? '2,3,4,5').split(',')
  lines = lines.filter((row) => classes.some((digit) => String(row.statusCode).startsWith(digit)))
  const bare = (text: string | null) =>
    text ? text.split('|').join('').split('\n').join('').split('\r').join('') : '-'
  let texts = lines.map((r) => {
    const {
      cacheStatus,
      statusCode,
      timestamp,
      bytesSent,
      pullZoneId,
      remoteIp,
      edgeLocation,
      requestId,
      countryCode,
    } = r
    const extended = [r.bodyBytesSent ?? '-', r.contentRange ?? '-', r.authorizationHeader ?? '-']
    return [
      cacheStatus,
      statusCode,
      timestamp,
      bytesSent,
      pullZoneId,
      remoteIp ?? '-',
      bare(r.referer),
      bare(`${r.scheme}://${r.host}${r.path}`),
      edgeLocation,
      bare(r.userAgent),
      requestId,
      countryCode ?? '-',
      ...extended,
    ].join('|')
  })
  const { search } = query
  if (search) texts = texts.filter((line) => line.toUpperCase().includes(search.toUpperCase()))
  return texts.slice(query.start ?? 0, query.end)
}

async function file(date: string, query: object = {}): Promise<string[]> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const text = await (await ask.logging(`${date}/${zone}.log?${search}`)).text()
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const queries = fc
  .record({
    start: optional(fc.nat(40)),
    end: optional(fc.nat(120)),
    sort: optional(fc.constantFrom('asc', 'desc')),
    status: optional(fc.constantFrom('2', '4,5', '1', '2,3,4,5', '3')),
    search: optional(fc.constantFrom('curl', 'HIT|', 'miss', 'pipe', '<script>', '|-|', 'nothing like it')),
  })
  // The same record without its undefined fields.
  .map((query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as FileQuery)

describe('v1 against a naive oracle', () => {
  test('returns the same lines', async () => {
    const runs = propertyRuns(1_000)
    let matched = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...dates), queries, async (date, query) => {
        const expected = fileNaively(rows, date, query)
        // UTF-8 cannot encode a lone surrogate.
        expect(await file(date, query)).toEqual(expected.map((line) => line.toWellFormed()))
        matched += expected.length > 0 ? 1 : 0
      }),
      { numRuns: runs },
    )
    expect(matched).toBeGreaterThan(runs / 4)
  }, 300_000)
})

describe('v1', () => {
  test('has the number of fields that the contract lists, with and without extended logging', async () => {
    const { responses } = defined(contracts.logging.operations.find(({ name }) => name === 'read-log-file'))
    const line = defined(responses.find((response) => response.line)?.line)
    const short = await (await ask.logging('06-16-26/2002.log')).text()
    expect(new Set((await file('06-16-26')).map((text) => text.split('|').length))).toEqual(new Set([line.length]))
    expect(
      new Set(
        short
          .trimEnd()
          .split('\n')
          .map((text) => text.split('|').length),
      ),
    ).toEqual(new Set([line.filter((f) => !f.extended).length]))
  })

  test('is an attachment by default', async () => {
    const name = async (query: string) =>
      (await ask.logging(`06-17-26/2003.log${query}`)).headers.get('content-disposition')
    expect([await name(''), await name('?download=false')]).toEqual(['attachment; filename="06-17-26-2003.log"', null])
  })

  test('returns 204 past the end, and 200 for a day without requests', async () => {
    emulator.state.logs.append([])
    expect((await ask.logging('06-17-26/2003.log?start=100000')).status).toBe(204)
    expect((await ask.logging('06-17-26/2003.log?search=nothing+like+it')).status).toBe(200)
  })

  test('reports the compression of a file, and in process decodes it', async () => {
    const headers = { AccessKey: emulator.fixtures.credentials.accessKey, 'Accept-Encoding': 'gzip' }
    const response = await ask.logging('06-17-26/2003.log', { headers })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect((await response.text()).split('\n').length).toBeGreaterThan(20)
  })

  test.each([
    ['13-01-26', 403],
    ['02-30-26', 403],
    ['06-13-26', 400],
    ['06-18-26', 400],
    ['6-17-26', 403],
    ['2026-06-17', 403],
    ['%E0%A4%A', 403],
  ])('refuses the day %s with %i', async (date, status) => {
    expect((await ask.logging(`${date}/2003.log`)).status).toBe(status)
  })

  test.each(['status=6', 'status=2xx', 'start=-1', 'sort=up', 'download=maybe', 'end=x'])(
    'refuses %s',
    async (query) => {
      const response = await ask.logging(`06-17-26/2003.log?${query}`)
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }])
    },
  )
})
