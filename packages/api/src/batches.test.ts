import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeFetch, noWait } from '../tests/fake-fetch.ts'
import { day, fakeLogs, type Stored } from '../tests/fake-logs.ts'
import {
  decode,
  type Grant,
  type PageBudget,
  type RowBatch,
  readBatches,
  readLogFileBatches,
  rowBytes,
} from './batches.ts'
import { createLimiter, createLoggingClient, readLogFile, readLogs } from './index.ts'

const limiter = createLimiter({ requests: 1e6 })
const stored = Array.from({ length: 200 }, (_, n): Stored => ({ at: n / 3, fields: { path: `/${n}`, n } }))
const range = { pullZoneId: 1, from: day, to: day + 60, sleep: noWait, pageSize: 7 }
const client = () => {
  const { fetch, requests } = fakeLogs({ rows: stored, show: Math.floor })
  return { client: createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter }), requests }
}
const textsOf = (batch: RowBatch) => Array.from(batch.times, (_, n) => decode(rowBytes(batch, n)))

test('batches have the same rows as single rows, in whole milliseconds, until the end of the range', async () => {
  const rows: string[] = []
  const ends: number[] = []
  for await (const batch of readBatches(client().client, range)) {
    rows.push(...textsOf(batch))
    expect(Math.max(...batch.times)).toBeLessThan(batch.end)
    expect(Math.min(...batch.times)).toBeGreaterThanOrEqual(ends.at(-1) ?? day)
    ends.push(batch.end)
  }
  const expected: string[] = []
  for await (const row of readLogs(client().client, range)) expected.push(JSON.stringify(row))
  expect(rows.sort()).toEqual(expected.sort())
  expect(ends.at(-1)).toBe(day + 60)
})

test('the bytes of a batch are released when the next one is requested', async () => {
  let before: RowBatch | undefined
  for await (const batch of readBatches(client().client, range)) {
    if (before) expect(before.bytes).toHaveLength(0)
    expect(batch.bytes.length).toBeGreaterThan(0)
    before = batch
  }
})

/** Creates a budget that allows few pages and records how many pages are held. */
function watchedBudget(maxPages: number) {
  const held = new Set<object>()
  let peak = 0
  let reservations = 0
  const waiting: ((grant: Grant) => void)[] = []
  const grant = (): Grant => {
    const page = {}
    held.add(page)
    peak = Math.max(peak, held.size)
    return {
      rows: 5,
      settle() {},
      release() {
        held.delete(page)
        waiting.shift()?.(grant())
      },
    }
  }
  const budget: PageBudget = {
    reserveAhead: () => (held.size < maxPages ? grant() : undefined),
    async reserve() {
      reservations++
      return held.size < maxPages ? grant() : new Promise((resolve) => waiting.push(resolve))
    },
  }
  return { budget, held, peak: () => peak, reservations: () => reservations }
}

test.each([1, 2, 4])(
  'a budget of %i pages is respected and returned in full, also after an early exit',
  async (maxPages) => {
    for (const stopAfter of [Number.POSITIVE_INFINITY, 3]) {
      const { budget, held, peak } = watchedBudget(maxPages)
      const { client: reading, requests } = client()
      let [count, batches] = [0, 0]
      for await (const batch of readBatches(reading, { ...range, budget })) {
        count += batch.times.length
        if (++batches === stopAfter) break
      }
      await new Promise(setImmediate)
      expect(count).toBe(stopAfter === 3 ? count : 180)
      expect(peak()).toBeLessThanOrEqual(maxPages)
      expect(held.size).toBe(0)
      for (const { searchParams } of requests.map(({ url }) => new URL(url))) {
        const ms = Date.parse(String(searchParams.get('to'))) - Date.parse(String(searchParams.get('from')))
        // A single millisecond, with its margins, is not divisible.
        if (ms > 3) expect(Number(searchParams.get('limit'))).toBeLessThanOrEqual(5)
      }
    }
  },
)

test('a read that waits for the budget ends with its signal', async () => {
  const stop = new AbortController()
  const budget: PageBudget = {
    reserveAhead: () => undefined,
    reserve: (_page, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }
  const next = readBatches(client().client, { ...range, budget, signal: stop.signal }).next()
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(next).rejects.toBe(reason)
})

/** Matches a line with a time. */
const timed = /^[^|]*\|[^|]*\|\d+(\||$)/

test.each(['<html>\n<h1>Bad gateway</h1>', '{"data":null}', 'HIT|200|x|1'])(
  'not a log file, with status 200: %s',
  async (body) => {
    const { fetch } = fakeFetch(() => new Response(body))
    const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
    const reading = readLogFileBatches(client, { pullZoneId: 1, date: day })
    const all = async () => {
      for await (const _ of reading);
    }
    await expect(all()).rejects.toThrow('the response is not a log file')
  },
)

test('lines of version 1 as bytes equal the single lines, for any chunks', async () => {
  const good = (ms: number) => `HIT|200|${day + ms}|10|1|-|-|-|-|a\u00e9|-|-`
  const line = fc.oneof(fc.nat(9).map(good), fc.constantFrom('', ' ', 'broken', 'HIT|200|x|1', 'HIT|200', '|||'))
  const file = fc.record({
    lines: fc.array(line),
    end: fc.constantFrom('\n', '\r\n'),
    size: fc.integer({ min: 1, max: 50 }),
  })
  await fc.assert(
    fc.asyncProperty(file, async ({ lines, end, size }) => {
      const bytes = new TextEncoder().encode(lines.join(end))
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.slice(n * size, (n + 1) * size),
      )
      const respond = () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (const piece of pieces) controller.enqueue(piece)
              controller.close()
            },
          }),
        )
      const { fetch } = fakeFetch(respond)
      const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
      const query = { pullZoneId: 1, date: day, anyOrder: true }
      const ours: string[] = []
      let [last, ends] = [day, 0]
      const isTimed = lines.some((text) => timed.test(text))
      if (lines.some((text) => text.trim() !== '') && !isTimed) return
      for await (const batch of readLogFileBatches(client, query)) {
        for (const [n, text] of textsOf(batch).entries()) {
          ours.push(text)
          // A line without a time gets the time of the previous line.
          last = timed.test(text) ? Number(text.split('|')[2]) : last
          expect(batch.times[n]).toBe(last)
        }
        ends = batch.end
      }
      const theirs: string[] = []
      for await (const row of readLogFile(client, query))
        theirs.push(row.malformed ? row.text : good(row.timestamp - day))
      expect(ours).toEqual(theirs)
      expect(ends).toBe(day + 86_400_000)
    }),
  )
})

test('lines with descending times end the read', async () => {
  const { fetch } = fakeFetch(() => new Response(['HIT|200|5|', 'HIT|200|4|'].join('\n')))
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
  const reading = readLogFileBatches(client, { pullZoneId: 1, date: 0 })
  await expect(reading.next()).rejects.toThrow('not in the requested order')
})
