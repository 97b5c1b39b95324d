import { assertDefined } from '@cdn/kit/assert-defined'
import { collect } from '@cdn/kit/testing/collect'
import { dayMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fakeFetch, noWait } from '../../tests/fake-fetch.ts'
import { contracts } from '../contract/index.ts'
import { createLimiter, createLoggingClient, type LogFileQuery, readLogFile, readLogs } from '../index.ts'
import { parseLine } from './line.ts'

const contractLine = contracts.logging.operations.flatMap(({ responses }) =>
  responses.flatMap(({ line }) => line ?? []),
)
const plain = contractLine.filter(({ extended }) => !extended)

function reader(respond: () => Response | Error, query: Partial<LogFileQuery> = {}) {
  const { fetch, requests } = fakeFetch(respond)
  const limiter = createLimiter({ requests: 1e6 })
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', accessKey: 'k', fetch, limiter })
  const all = { pullZoneId: 1, date: '2026-11-20', retry: { sleep: noWait }, ...query }
  return { lines: readLogFile(client, all), requests }
}

/** Creates a body in chunks of the given sizes. The list of sizes is repeated as needed. */
function inPieces(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0
  let index = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const size = sizes[index++ % sizes.length] ?? 1
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

const day = Date.UTC(2026, 10, 20)
const id = '0123456789abcdef0123456789abcdef'
/** A line of the day. @param ms since the start of the day */
const line = (ms: number, status = 'HIT') =>
  `${status}|200|${day + ms}|10|1|192.0.2.0|-|https://a.example/|DE|agent|${id}|DE`
/** Returns a valid value for the request id and the country, and the text itself for any other field. */
const valid = (name: string, text: string) => (name === 'requestId' ? id : name === 'countryCode' ? 'DE' : text)

test("a line has the contract's fields, in the contract's order", () => {
  for (const fields of [plain, contractLine]) {
    const values = fields.map(({ name, type }, index) =>
      type === 'integer' ? String(100 + index) : valid(name, `text ${index}`),
    )
    const expected = fields.map(({ name, type }, index) => [
      name,
      type === 'integer' ? 100 + index : valid(name, `text ${index}`),
    ])
    expect(parseLine(values.join('|'))).toStrictEqual(Object.fromEntries(expected))
  }
})

test('a dash is a cache status in the first field, and absence in the others', () => {
  const fields = contractLine.map(({ type }, index) => (index > 0 && index < 5 && type === 'integer' ? '7' : '-'))
  const row = parseLine(fields.join('|'))
  const expected = contractLine.map(({ name }, index) => [name, index === 0 ? '-' : index < 5 ? 7 : null])
  expect(row).toStrictEqual(Object.fromEntries(expected))
})

test('long integers are exact, unknown cache statuses pass', () => {
  expect(parseLine(line(1, 'EXPIRED').replace('|10|', '|9007199254740993|'))).toMatchObject({
    cacheStatus: 'EXPIRED',
    bytesSent: 9007199254740993n,
  })
})

test.each([
  ['too few fields', 'HIT|200|1'],
  ['too many fields', `${line(1)}|x`],
  ['no status', line(1).replace('200', '-')],
  ['no time', line(1).replace(`|${day + 1}|`, '|x|')],
  ['fields that have slipped by one', line(1).replace('agent|', 'agent|with a pipe|').replace('HIT|', '')],
  ['three pipes that make a plain line as long as an extended one', line(1).replace('agent|', 'agent|a|b|c|')],
  ['a number with a sign', line(1).replace('|10|', '|+10|')],
  ['an invalid body size', `${line(1)}|x|-|-`],
])('a malformed line is returned unchanged: %s', (_name, text) => {
  expect(parseLine(text)).toEqual({ malformed: true, text })
})

test('requests the UTC day, oldest first, with the credential', async () => {
  const { lines, requests } = reader(() => new Response(''), {
    date: new Date('2026-01-02T23:59:59.999Z'),
    status: '5',
    start: 10n,
  })
  await collect(lines)
  const url = new URL(assertDefined(requests[0]).url)
  expect(url.pathname).toBe('/01-02-26/1.log')
  expect(Object.fromEntries(url.searchParams)).toEqual({ status: '5', start: '10', sort: 'asc' })
  expect(requests[0]?.headers.get('AccessKey')).toBe('k')
})

test('for any chunks, each line is read; blank lines are skipped; CRLF and a missing last line end are valid', async () => {
  const text = fc.oneof(
    fc.constant(''),
    fc.constant('  '),
    fc.string({ unit: 'grapheme' }).map((s) => s.replace(/[\r\n]/g, '')),
    fc.constant(line(5)),
    fc.constant('\ufeffä€😀'),
  )
  const some = fc.array(text).map((lines) => [...lines, line(5)])
  const body = fc.record({ lines: some, end: fc.constantFrom('\n', '\r\n'), last: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(body, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (file, sizes) => {
      const content = file.lines.join(file.end) + (file.last ? file.end : '')
      const respond = () => new Response(inPieces(new TextEncoder().encode(content), sizes))
      const rows = await collect(reader(respond).lines)
      const expected = file.lines.filter((each) => each.trim() !== '').map((each) => parseLine(each.toWellFormed()))
      expect(rows).toEqual(expected)
    }),
  )
})

test.each([
  ['204', () => new Response(null, { status: 204 })],
  ['an empty body', () => new Response('')],
])('a file without lines is accepted after a second response confirms it: %s', async (_name, respond) => {
  const { lines, requests } = reader(respond)
  expect(await collect(lines)).toEqual([])
  expect(requests).toHaveLength(2)
})

test('an empty body needs a second response: a failing platform may also send one', async () => {
  const responses = [new Response(''), new Response(line(1))]
  expect(await collect(reader(() => responses.shift() ?? new Error('no third request')).lines)).toHaveLength(1)
})

test('a line with an earlier time ends the read, and the gap is the whole day, unless any order is accepted', async () => {
  const respond = () => new Response([line(2), line(2), line(3), line(1)].join('\n'))
  const read: unknown[] = []
  const { lines } = reader(respond)
  const all = (async () => {
    for await (const each of lines) read.push(each)
  })()
  await expect(all).rejects.toMatchObject({
    name: 'IncompleteLogsError',
    gap: { from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
  })
  expect(read).toHaveLength(3)
  expect(await collect(reader(respond, { anyOrder: true }).lines)).toHaveLength(4)
})

test.each([
  [
    'a connection that breaks',
    () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })),
  ],
  ['fewer bytes than announced', () => new Response(line(1), { headers: { 'Content-Length': '999' } })],
  ['a line without end', () => new Response(inPieces(new Uint8Array(3_000_000).fill(65), [65_536]))],
])('a truncated body is an error: %s', async (_name, respond) => {
  await expect(collect(reader(respond).lines)).rejects.toMatchObject({ name: 'TransportError', kind: 'body' })
})

test('only transient failures are retried', async () => {
  const responses = [new Response('', { status: 503 }), new TypeError('fetch failed'), new Response(line(1))]
  expect(await collect(reader(() => responses.shift() ?? new Error('too many')).lines)).toHaveLength(1)
  const refused = reader(() => new Response('', { status: 404 }))
  await expect(collect(refused.lines)).rejects.toMatchObject({ name: 'ApiError', status: 404 })
  expect(refused.requests).toHaveLength(1)
})

test('a refused file leaves no timer behind, which would keep the process alive', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  await expect(collect(reader(() => new Response('', { status: 403 })).lines)).rejects.toThrow('403')
  expect(vi.getTimerCount()).toBe(0)
})

test('the pauses between attempts do not count as time without data', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const responses = [503, 503, 503, 503].map((status) => new Response('', { status }))
  const sleep = async () => void vi.advanceTimersByTime(30_000)
  const { lines } = reader(() => responses.shift() ?? new Response(line(1)), { retry: { sleep }, idleTimeout: 60_000 })
  expect(await collect(lines)).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('an early exit from the loop releases the body; a signal ends the read with its reason', async () => {
  let cancelled = false
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(`${line(1)}\n`)),
        cancel() {
          cancelled = true
        },
      }),
    )
  for await (const _row of reader(endless).lines) break
  expect(cancelled).toBe(true)
  const stop = new AbortController()
  const reason = new Error('enough')
  const { lines } = reader(endless, { signal: stop.signal })
  await lines.next()
  stop.abort(reason)
  await expect(collect(lines)).rejects.toBe(reason)
})

test('both versions share the limit of a pull zone', async () => {
  const zones: string[] = []
  const limiter = createLimiter({ requests: 1e6 })
  const counted: typeof limiter = {
    ...limiter,
    run: (zone, ...rest) => {
      zones.push(String(zone))
      return limiter.run(zone, ...rest)
    },
  }
  const { fetch } = fakeFetch(() => new Response('', { status: 404 }))
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter: counted })
  await expect(readLogFile(client, { pullZoneId: 1, date: 0 }).next()).rejects.toThrow()
  await expect(readLogs(client, { pullZoneId: 1, from: 0, to: 1 }).next()).rejects.toThrow()
  expect(zones).toEqual(['1', '1'])
})

test.each([
  ['a page of a proxy', '<html>\n<h1>Bad gateway</h1>'],
  ['times in seconds', Array.from({ length: 60 }, (_, n) => line(n).replace(String(day + n), '1795132800')).join('\n')],
  ['another day', line(-dayMs)],
])('a body without any line of the day is an error at its end: %s', async (_name, body) => {
  const { lines } = reader(() => new Response(body))
  await expect(collect(lines)).rejects.toMatchObject({
    name: 'IncompleteLogsError',
    message: expect.stringContaining('the response is not the log file of this day'),
  })
})

test('a line of another day is malformed', async () => {
  const body = [line(1), line(dayMs + 5000)].join('\n')
  const rows = await collect(reader(() => new Response(body)).lines)
  expect(rows.map(({ malformed }) => malformed)).toEqual([undefined, true])
})

test('an invalid date is refused at once', () => {
  expect(() => reader(() => new Response(''), { date: '20.11.2026' })).toThrow(RangeError)
})
