import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'

const zone = '10001'

const start = (traffic: object = {}) =>
  createEmulator({ traffic: { zones: 1, rowsPerSecond: 1, tieShare: 0.3, hostileShare: 0, ...traffic } })

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('query', () => {
  test('prints the newest hundred of the last hour, as lines of JSON into a pipe', async () => {
    const emulator = await start()
    const { exitCode, stdout, stderr } = await runCli(emulator, ['logs', 'query', zone])
    const times = linesOf(stdout).map(({ timestamp }) => Date.parse(timestamp))
    expect([exitCode, stderr, times.length]).toEqual([0, '', 100])
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(times[0]).toBeGreaterThan(emulator.clock.now().getTime() - 10_000)
  })

  test('all rows of a range, oldest first', async () => {
    const emulator = await start()
    const words = ['logs', 'query', zone, '--since', '10m', '--all', '--order', 'asc', '-o', 'json']
    const { stdout } = await runCli(emulator, words)
    const now = emulator.clock.now().getTime()
    const stored = emulator.state.logs.rows(zone, now - 600_000, now).filter(({ originShield }) => !originShield)
    const times = JSON.parse(stdout).map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp))
    expect(times).toEqual(stored.map(({ timestamp }) => timestamp))
  })

  test('sends every filter under its contract name', async () => {
    const emulator = await start()
    const filters = [
      ...[
        '--status',
        '2xx,404',
        '--cache-status',
        'hit,-',
        '--country',
        'DE',
        '--edge-location',
        'DE',
        '--url-contains',
        'a',
      ],
      ...['--user-agent-contains', 'b', '--referer-contains', 'c', '--search', 'd e', '--include-origin-shield'],
      ...['--remote-ip', '198.51.100.0', '--request-id', '0'.repeat(32)],
    ]
    expect((await runCli(emulator, ['logs', 'query', zone, ...filters])).exitCode).toBe(0)
    const query = new URL(defined(emulator.journal.entries[0]).path, 'https://a.invalid').searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      status: '2xx,404',
      cacheStatus: 'HIT,-',
      country: 'DE',
      edgeLocation: 'DE',
      urlContains: 'a',
      userAgentContains: 'b',
      refererContains: 'c',
      search: 'd e',
      includeOriginShield: 'true',
      remoteIp: '198.51.100.0',
      requestId: '0'.repeat(32),
    })
  })

  test.each([
    [['--since', 'soon'], 2, "'soon' is invalid: expected a duration"],
    [['--since', '1h', '--from', '2026-06-17'], 2, 'Give --since or --from'],
    [['--from', '2026-06-17T14:00Z', '--to', '2026-06-17T13:00Z'], 2, 'after its end'],
    [['--limit', '0'], 2, "'0' is invalid: expected an integer from 1"],
    [['--status', 'bad'], 4, 'invalid_request'],
    [['--from', '2026-05-01'], 2, 'Logs are kept for 3 days: start the range at 2026-06-14T'],
    [['--since', '5d'], 2, 'or later, such as with --since 3d.'],
    [
      ['--cache-status', 'HITT'],
      2,
      'expected HIT, MISS, BYPASS, REVALIDATED, STALE, UPDATING or -, or several of them',
    ],
    [['--cache-status', 'HIT,EXPIRED'], 2, 'for any other value: cdn api with --param cacheStatus=VALUE'],
  ])('%o is refused with %i', async (words, code, sentence) => {
    const { exitCode, stdout, stderr } = await runCli(await start(), ['logs', 'query', zone, ...words])
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toContain(sentence)
  })
})

describe.each(['query', 'tail', 'stats', 'download'])('%s', (name) => {
  test.each([
    ['unloggedZoneId', 4, 'logging_disabled'],
    ['suspendedZoneId', 3, 'forbidden'],
  ] as const)("of the %s ends with %i and the platform's message", async (role, code, word) => {
    const emulator = await start()
    const { exitCode, stdout, stderr } = await runCli(emulator, ['logs', name, emulator.fixtures[role]])
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toContain(word)
    expect(stderr).not.toMatch(/resume|kept/)
  })

  test('prints the first request instead of sending it', async () => {
    const emulator = await start()
    const { exitCode, stdout } = await runCli(emulator, ['logs', name, zone, '--dry-run'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('curl')])
    expect(stdout).not.toContain(emulator.fixtures.credentials.accessKey)
    expect(emulator.journal.entries).toEqual([])
  })
})

test.each([
  ['query', '--order', 'asc', '--all'],
  ['query', '--all'],
  ['tail', '--since', '5m', '--for', '3s'],
])('a row that cannot be read is printed once, and ends nothing: %s %s', async (name, ...words) => {
  const emulator = await start({ rowsPerSecond: 0.2 })
  const now = emulator.clock.now().getTime()
  const rows = emulator.state.logs.rows(zone, now - 300_000, now).filter(({ originShield }) => !originShield)
  const broken = defined(rows[10]?.requestId)
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await emulator.fetch(...request)
    const page = await response.json()
    for (const row of page.data) if (row.requestId === broken) row.timestamp = 'soon'
    return Response.json(page, response)
  }
  const range = name === 'query' ? ['--since', '5m'] : []
  const { exitCode, stdout } = await runCli(emulator, ['logs', name, zone, ...range, ...words], { fetch })
  const ids = linesOf(stdout).map(({ requestId }) => requestId)
  expect([exitCode, ids.filter((id) => id === broken)]).toEqual([0, [broken]])
  for (const { requestId } of rows) expect(ids).toContain(requestId)
})

test('without a server, the message contains the host', async () => {
  const refused: typeof fetch = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
  }
  const emulator = await start()
  // Run concurrently, because each command waits in real time between its attempts.
  const names = ['query', 'tail', 'stats', 'download']
  const all = await Promise.all(names.map((name) => runCli(emulator, ['logs', name, zone], { fetch: refused })))
  for (const { exitCode, stdout, stderr } of all) {
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain('logging.invalid does not answer (ECONNREFUSED)')
  }
})

describe('tail', () => {
  test('prints each row once until it is interrupted', async () => {
    const emulator = await start({ lateShare: 0.2, maxLatenessMs: 30_000 })
    const words = ['logs', 'tail', zone, '--since', '1m', '--interval', '5s']
    const interruptWhen = (stdout: string) => stdout.split('\n').length > 90
    const { exitCode, stdout, stderr } = await runCli(emulator, words, { interruptWhen })
    const shown = linesOf(stdout).map(({ requestId }) => requestId)
    expect([exitCode, new Set(shown).size]).toEqual([130, shown.length])
    expect(stderr).toMatch(/^cdn: \d+ rows/)
  })

  test('--for ends a pause', async () => {
    const emulator = await start()
    const begun = emulator.clock.now().getTime()
    const words = ['logs', 'tail', zone, '--for', '5s', '--interval', '1h']
    expect((await runCli(emulator, words)).exitCode).toBe(0)
    expect(emulator.clock.now().getTime() - begun).toBeLessThan(6000)
  })

  test('reports lost ranges, and fails at the end', async () => {
    const words = ['logs', 'tail', zone, '--since', '10d', '--for', '3s', '-o', 'csv']
    const { exitCode, stderr } = await runCli(await start({ rowsPerSecond: 0.01 }), words)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('LOST: the rows from 2026-06-07T14:30:00.000Z to 2026-06-14T14:35:00.000Z')
  })

  test('reports that it waits while requests fail', async () => {
    const emulator = await start()
    emulator.faults.add({ name: 'bad-gateway', times: 2 })
    const { exitCode, stderr } = await runCli(emulator, ['logs', 'tail', zone, '--for', '5s'], { columns: 140 })
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/0 rows · GET .* answered 502; retrying in \d+ m?s/)
    expect(stderr).toMatch(/failed requests: [12]/)
  })

  test('shows on a terminal how far it is behind', async () => {
    const { stderr } = await runCli(await start(), ['logs', 'tail', zone, '--for', '10s'], { columns: 140 })
    expect(stderr).toMatch(/\d+ rows · 0 ms behind/)
  })
})

describe('stats', () => {
  test('count the rows of the store', async () => {
    const emulator = await start()
    const { stdout } = await runCli(emulator, ['logs', 'stats', zone, '--since', '1h'])
    const now = emulator.clock.now().getTime()
    const rows = emulator.state.logs.rows(zone, now - hourMs, now).filter(({ originShield }) => !originShield)
    const summary = JSON.parse(stdout)
    const count = (isMatch: (row: (typeof rows)[number]) => boolean) => rows.filter(isMatch).length
    expect(summary).toMatchObject({
      pullZoneId: 10001,
      from: new Date(now - hourMs).toISOString(),
      to: new Date(now).toISOString(),
      requests: rows.length,
      bytes: rows.reduce((sum, { bytesSent }) => sum + Number(bytesSent), 0),
      hitRatio: count(({ cacheStatus }) => cacheStatus === 'HIT') / count(({ cacheStatus }) => cacheStatus !== '-'),
    })
    const fields = {
      cacheStatus: (row: (typeof rows)[number]) => row.cacheStatus,
      status: (row: (typeof rows)[number]) => String(row.statusCode),
      country: (row: (typeof rows)[number]) => row.countryCode,
      host: (row: (typeof rows)[number]) => row.host,
      path: (row: (typeof rows)[number]) => row.path.split('?')[0],
      userAgent: (row: (typeof rows)[number]) => row.userAgent,
    }
    expect(Object.keys(summary.by)).toEqual(Object.keys(fields))
    for (const [name, fieldOf] of Object.entries(fields)) {
      const { values, others, error } = summary.by[name]
      expect([values.length > 0, others, error]).toEqual([true, rows.length - sum(values), 0])
      for (const { value, requests, share } of values) {
        expect(requests).toBe(count((row) => fieldOf(row) === value))
        expect(share).toBeCloseTo(requests / rows.length)
      }
    }
    const { stepMs, points } = summary.overTime
    expect(sum(points)).toBe(rows.length)
    for (const { from, requests } of points) {
      const begin = Date.parse(from)
      expect(requests).toBe(count(({ timestamp }) => timestamp >= begin && timestamp < begin + stepMs))
    }
  })

  const sum = (values: readonly { requests: number }[]) => values.reduce((total, { requests }) => total + requests, 0)

  test('have the shape that the help states', async () => {
    const emulator = await start()
    const summary = JSON.parse((await runCli(emulator, ['logs', 'stats', zone])).stdout)
    expect(Object.keys(summary)).toEqual([
      'pullZoneId',
      'from',
      'to',
      'requests',
      'bytes',
      'hitRatio',
      'by',
      'overTime',
    ])
    expect(Object.keys(summary.by.path)).toEqual(['values', 'others', 'error'])
    expect(Object.keys(summary.by.path.values[0])).toEqual(['value', 'requests', 'share'])
    expect(Object.keys(summary.overTime)).toEqual(['stepMs', 'points'])
    const point = ['from', 'requests', 'hitRatio', 'serverErrors', 'bytes']
    expect(Object.keys(summary.overTime.points[0])).toEqual(point)
    const [total, value] = linesOf((await runCli(emulator, ['logs', 'stats', zone, '-o', 'ndjson'])).stdout)
    expect(Object.keys(total)).toEqual(['by', 'value', 'requests', 'share', 'error', 'hitRatio', 'bytes'])
    expect(Object.keys(value)).toEqual(['by', 'value', 'requests', 'share', 'error'])
  })

  test('an empty range has no ratio', async () => {
    const words = ['logs', 'stats', zone, '--from', '2026-06-17T14:00Z', '--to', '2026-06-17T14:00Z']
    const emulator = await start()
    const { stdout } = await runCli(emulator, words)
    expect(JSON.parse(stdout)).toMatchObject({ requests: 0, bytes: 0, hitRatio: null })
    expect((await runCli(emulator, [...words, '-o', 'table'])).stdout).toContain('no request reached the cache')
  })

  test('of one field, as lines with fixed columns', async () => {
    const words = ['logs', 'stats', zone, '--by', 'status', '--by', 'country', '--top', '2', '-o', 'csv']
    const { stdout } = await runCli(await start(), words)
    const [head, total, ...lines] = stdout.trim().split('\n')
    expect(head).toBe('by,value,requests,share,error,hitRatio,bytes')
    expect(total).toMatch(/^total,,\d+,1,0,0\.\d+,\d+$/)
    expect(lines.slice(0, 4).map((line) => line.split(',')[0])).toEqual(['status', 'status', 'country', 'country'])
    expect(lines[4]).toMatch(/^time,2026-06-17T13:30:00.000Z,\d+,0\.\d+,0,0\.\d+,\d+$/)
  })

  test('begin with the hit ratio on a terminal', async () => {
    const { stdout } = await runCli(await start(), ['logs', 'stats', zone], { columns: 80, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^\S*hit ratio \d+\.\d %/)
    expect(stdout).toMatch(/requests.*[▁-█]{20}/)
    expect(stdout).toMatch(/HIT .*█+/)
  })
})
