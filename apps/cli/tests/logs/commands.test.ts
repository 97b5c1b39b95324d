import { assertDefined } from '@cdn/kit/assert-defined'
import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { createPlatform } from '../support/platform.ts'

const zone = '10001'

async function start(traffic: object = {}) {
  const all = { zones: 1, rowsPerSecond: 1, tieShare: 0.3, hostileShare: 0, ...traffic }
  const { run, emulator } = await createPlatform({ traffic: all })
  /** The stored rows of the last `ms` milliseconds, without those of the origin shield. */
  const stored = (ms: number) => {
    const now = emulator.clock.now().getTime()
    return emulator.state.logs.rows(zone, now - ms, now).filter(({ originShield }) => !originShield)
  }
  return { run, emulator, stored }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('query', () => {
  test('prints the newest hundred of the last hour, as lines of JSON into a pipe', async () => {
    const { run, emulator } = await start()
    const { code, out, err } = await run(`logs query ${zone}`)
    const times = linesOf(out).map(({ timestamp }) => Date.parse(timestamp))
    expect([code, err, times.length]).toEqual([0, '', 100])
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(times[0]).toBeGreaterThan(emulator.clock.now().getTime() - 10_000)
  })

  test('all rows of a range, oldest first', async () => {
    const { run, stored } = await start()
    const { out } = await run(`logs query ${zone} --since 10m --all --order asc -o json`)
    const times = JSON.parse(out).map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp))
    expect(times).toEqual(stored(600_000).map(({ timestamp }) => timestamp))
  })

  test('sends filters under their contract names', async () => {
    const { run, emulator } = await start()
    const filters = ['--cache-status', 'hit,-', '--search', 'd e', '--include-origin-shield']
    expect((await run(['logs', 'query', zone, ...filters])).code).toBe(0)
    const query = new URL(assertDefined(emulator.journal.entries[0]).path, 'https://a.invalid').searchParams
    const expected = { cacheStatus: 'HIT,-', search: 'd e', includeOriginShield: 'true' }
    expect(Object.fromEntries(query)).toMatchObject(expected)
  })

  test.each([
    ['--since soon', 2, "'soon' is invalid: expected a duration"],
    ['--since 1h --from 2026-06-17', 2, 'Give --since or --from'],
    ['--limit 0', 2, "'0' is invalid: expected an integer from 1"],
    ['--status bad', 4, 'invalid_request'],
    ['--from 2026-05-01', 2, 'Logs are kept for 3 days: start the range at 2026-06-14T'],
    ['--cache-status HITT', 2, 'expected HIT, MISS, BYPASS, REVALIDATED, STALE, UPDATING or -, or several of them'],
    ['--cache-status HIT,EXPIRED', 2, 'for any other value: cdn api with --param cacheStatus=VALUE'],
  ])('%s is refused with %i', async (options, code, sentence) => {
    const { run } = await start()
    expect(await run(`logs query ${zone} ${options}`)).toEqual({
      code,
      out: '',
      err: expect.stringContaining(sentence),
    })
  })
})

describe.each(['query', 'tail', 'stats', 'download'])('%s', (name) => {
  test.each([
    ['unloggedZoneId', 4, 'logging_disabled'],
    ['suspendedZoneId', 3, 'forbidden'],
  ] as const)("of the %s ends with %i and the platform's message", async (role, code, word) => {
    const { run, emulator } = await start()
    const ended = await run(`logs ${name} ${emulator.fixtures[role]}`)
    expect(ended).toEqual({ code, out: '', err: expect.stringContaining(word) })
    expect(ended.err).not.toMatch(/resume|kept/)
  })

  test('prints the first request instead of sending it', async () => {
    const { run, emulator } = await start()
    const { code, out } = await run(`logs ${name} ${zone} --dry-run`)
    expect([code, out]).toEqual([0, expect.stringContaining('curl')])
    expect(out).not.toContain(emulator.fixtures.credentials.accessKey)
    expect(emulator.journal.entries).toEqual([])
  })
})

test.each(['query --since 5m --order asc --all', 'query --since 5m --all', 'tail --since 5m --for 3s'])(
  'a row that cannot be read is printed once, and ends nothing: %s',
  async (line) => {
    const { run, emulator, stored } = await start({ rowsPerSecond: 0.2 })
    const rows = stored(300_000)
    const broken = assertDefined(rows[10]?.requestId)
    const fetch: typeof globalThis.fetch = async (...request) => {
      const response = await emulator.fetch(...request)
      const page = await response.json()
      for (const row of page.data) if (row.requestId === broken) row.timestamp = 'soon'
      return Response.json(page, response)
    }
    const { code, out } = await run(`logs ${line.replace(' ', ` ${zone} `)}`, { fetch })
    const ids = linesOf(out).map(({ requestId }) => requestId)
    expect([code, ids.filter((id) => id === broken)]).toEqual([0, [broken]])
    for (const { requestId } of rows) expect(ids).toContain(requestId)
  },
)

describe('tail', () => {
  test('prints each row once until it is interrupted', async () => {
    const { run } = await start({ lateShare: 0.2, maxLatenessMs: 30_000 })
    const interruptWhen = (out: string) => out.split('\n').length > 90
    const { code, out, err } = await run(`logs tail ${zone} --since 1m --interval 5s`, { interruptWhen })
    const shown = linesOf(out).map(({ requestId }) => requestId)
    expect([code, new Set(shown).size]).toEqual([130, shown.length])
    expect(err).toMatch(/^Printed \d+ rows\.\n$/)
  })

  test('--for ends a pause', async () => {
    const { run, emulator } = await start()
    const begun = emulator.clock.now().getTime()
    expect((await run(`logs tail ${zone} --for 5s --interval 1h`)).code).toBe(0)
    expect(emulator.clock.now().getTime() - begun).toBeLessThan(6000)
  })

  test('reports lost ranges, and fails at the end', async () => {
    const { run } = await start({ rowsPerSecond: 0.01 })
    const { code, err } = await run(`logs tail ${zone} --since 10d --for 3s -o csv`)
    expect(code).toBe(1)
    expect(err).toContain('LOST: the rows from 2026-06-07T14:30:00.000Z to 2026-06-14T14:35:00.000Z')
  })

  test('shows on a terminal how far it is behind, and that it waits while requests fail', async () => {
    const { run, emulator } = await start()
    emulator.faults.add({ name: 'bad-gateway', times: 2 })
    const { code, err } = await run(`logs tail ${zone} --for 10s`, { columns: 140 })
    expect(code).toBe(0)
    expect(err).toMatch(/0 rows · GET .* answered 502; retrying in \d+ m?s/)
    expect(err).toMatch(/\d+ rows · 0 ms behind · failed requests: [12]/)
  })
})

describe('stats', () => {
  type Row = ReturnType<Awaited<ReturnType<typeof start>>['stored']>[number]
  const sum = (values: readonly { requests: number }[]) => values.reduce((total, { requests }) => total + requests, 0)

  test('count the rows of the store, in the shape that the help states', async () => {
    const { run, emulator, stored } = await start()
    const summary = JSON.parse((await run(`logs stats ${zone} --since 1h`)).out)
    const now = emulator.clock.now().getTime()
    const rows = stored(hourMs)
    const count = (isMatch: (row: Row) => boolean) => rows.filter(isMatch).length
    const { by, overTime, ...totals } = summary
    expect(totals).toEqual({
      pullZoneId: 10001,
      from: new Date(now - hourMs).toISOString(),
      to: new Date(now).toISOString(),
      requests: rows.length,
      bytes: rows.reduce((total, { bytesSent }) => total + Number(bytesSent), 0),
      hitRatio: count(({ cacheStatus }) => cacheStatus === 'HIT') / count(({ cacheStatus }) => cacheStatus !== '-'),
    })
    const fields = {
      cacheStatus: (row: Row) => row.cacheStatus,
      status: (row: Row) => String(row.statusCode),
      country: (row: Row) => row.countryCode,
      host: (row: Row) => row.host,
      path: (row: Row) => row.path.split('?')[0],
      userAgent: (row: Row) => row.userAgent,
    }
    expect(Object.keys(by)).toEqual(Object.keys(fields))
    for (const [name, fieldOf] of Object.entries(fields)) {
      const { values, others, error } = by[name]
      expect([values.length > 0, others, error]).toEqual([true, rows.length - sum(values), 0])
      for (const { value, requests, share } of values) {
        expect(requests).toBe(count((row) => fieldOf(row) === value))
        expect(share).toBeCloseTo(requests / rows.length)
      }
    }
    const { stepMs, points } = overTime
    expect(Object.keys(points[0])).toEqual(['from', 'requests', 'hitRatio', 'serverErrors', 'bytes'])
    expect(sum(points)).toBe(rows.length)
    for (const { from, requests } of points) {
      const begin = Date.parse(from)
      expect(requests).toBe(count(({ timestamp }) => timestamp >= begin && timestamp < begin + stepMs))
    }
  })

  test('as CSV have one row per field and value, and the same numbers as JSON', async () => {
    const { run } = await start()
    const line = `logs stats ${zone} --since 1h --top 2`
    const { by, overTime, requests, bytes, hitRatio } = JSON.parse((await run(line)).out)
    const [head, ...lines] = (await run(`${line} -o csv`)).out.trimEnd().split('\n')
    expect(head).toBe('pullZoneId,from,to,field,value,requests,share,error,hitRatio,serverErrors,bytes')
    const rows = lines.map((text) => text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
    const rowsOf = (field: string) => rows.filter((cells) => cells[3] === field)
    expect(rowsOf('total').map((cells) => cells.slice(5))).toEqual([
      [String(requests), '1', '', String(hitRatio), '', String(bytes)],
    ])
    expect(rowsOf('status').map((cells) => [cells[4], Number(cells[5])])).toEqual(
      by.status.values.map(({ value, requests: count }: { value: string; requests: number }) => [value, count]),
    )
    expect(rowsOf('path.others').map((cells) => Number(cells[5]))).toEqual([by.path.others])
    const counts = overTime.points.map((point: { requests: number }) => point.requests)
    expect(rowsOf('time').map((cells) => Number(cells[5]))).toEqual(counts)
    expect(rows.every((cells) => cells.length === 11 && cells[0] === zone)).toBe(true)
  })

  test('an empty range has no ratio', async () => {
    const { run } = await start()
    const line = `logs stats ${zone} --from 2026-06-17T14:00Z --to 2026-06-17T14:00Z`
    expect(JSON.parse((await run(line)).out)).toMatchObject({ requests: 0, bytes: 0, hitRatio: null })
    expect((await run(`${line} -o table`)).out).toContain('no request reached the cache')
  })

  test('of chosen fields', async () => {
    const { run } = await start()
    const { by } = JSON.parse((await run(`logs stats ${zone} --by status --by country --top 2`)).out)
    const lengths = Object.entries<{ values: [] }>(by).map(([name, { values }]) => `${name} ${values.length}`)
    expect(lengths).toEqual(['status 2', 'country 2'])
  })
})
