import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeFetch, noWait } from '../tests/fake-fetch.ts'
import { day, fakeLogs, type Stored } from '../tests/fake-logs.ts'
import { createPageMemory, decode, type RowBatch, readBatches, readLogFileBatches, rowBytes } from './batches.ts'
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

test.each([2, 3, 9])(
  'a memory of %i pages suffices for many concurrent range reads, and is returned in full, also after an early exit',
  async (pages) => {
    const pageBytes = 4000
    const memory = createPageMemory(pages * pageBytes, pageBytes)
    const { client: reading } = client()
    let peak = 0
    const read = async (stopAfter: number) => {
      let [count, batches] = [0, 0]
      for await (const batch of readBatches(reading, { ...range, memory })) {
        peak = Math.max(peak, memory.held())
        await new Promise(setImmediate)
        count += batch.times.length
        if (++batches === stopAfter) break
      }
      return count
    }
    const counts = await Promise.all(Array.from({ length: 20 }, (_, n) => read(n % 2 === 0 ? 1e6 : 3)))
    await new Promise(setImmediate)
    expect(new Set(counts.filter((_, n) => n % 2 === 0))).toEqual(new Set([180]))
    expect(peak).toBeLessThanOrEqual(pages * pageBytes)
    expect(memory.held()).toBe(0)
  },
)

test('the memory for a page limits the number of rows after the first page', async () => {
  const memory = createPageMemory(3 * 500, 500)
  const { client: reading, requests } = client()
  let rows = 0
  for await (const batch of readBatches(reading, { ...range, memory })) rows += batch.times.length
  expect(rows).toBe(180)
  const limits = requests.flatMap(({ url }) => {
    const query = new URL(url).searchParams
    const ms = Date.parse(String(query.get('to'))) - Date.parse(String(query.get('from')))
    // A single millisecond, with its margins, is not divisible.
    return ms > 3 ? [Number(query.get('limit'))] : []
  })
  expect(limits[0]).toBe(7)
  expect(limits.slice(1)).not.toContain(7)
})

test('a read that waits for memory ends with its signal', async () => {
  const memory = createPageMemory(3000, 1000)
  const { signal: whole } = new AbortController()
  const body = () => new Response(new Uint8Array(1000)).body
  const place = { pullZoneId: 1, isNext: () => true, maxBytes: 1000, signal: whole }
  const held = await Promise.all([1, 2, 3].map(() => memory.read(body(), place)))
  const stop = new AbortController()
  const next = readBatches(client().client, { ...range, pullZoneId: 2, memory, signal: stop.signal }).next()
  const waiting = memory.read(body(), { ...place, signal: stop.signal })
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(next).rejects.toBe(reason)
  await expect(waiting).rejects.toBe(reason)
  for (const page of held) page.release()
  expect(memory.held()).toBe(0)
})

test('pages that are read ahead take half of the memory, and never block one that a consumer waits for', async () => {
  const memory = createPageMemory(400_000, 100_000)
  const place = { pullZoneId: 1, maxBytes: 100_000, signal: undefined }
  const read = (bytes: number, isNext: boolean) =>
    memory.read(new Response(new Uint8Array(bytes)).body, { ...place, isNext: () => isNext })
  const ahead = [await read(100_000, false), await read(100_000, false)]
  let isRead = false
  const third = read(100_000, false).then((page) => {
    isRead = true
    return page
  })
  const next = await read(10, true)
  expect(isRead).toBe(false)
  expect(memory.held()).toBe(200_010)
  next.release()
  ahead[0]?.release()
  expect((await third).bytes).toHaveLength(100_000)
})

test('a page that a consumer waits for is admitted although a page read ahead is longer than expected', async () => {
  const memory = createPageMemory(400_000, 100_000)
  const read = (bytes: number, isNext: boolean) =>
    memory.read(new Response(new Uint8Array(bytes)).body, {
      pullZoneId: 1,
      maxBytes: 400_000,
      signal: undefined,
      isNext: () => isNext,
    })
  const ahead = await read(390_000, false)
  const next = await read(50_000, true)
  expect(next.bytes).toHaveLength(50_000)
  for (const page of [ahead, next]) page.release()
  expect(memory.held()).toBe(0)
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
