import { assertDefined } from '@cdn/kit/assert-defined'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { createClock, createVirtualTime } from '@cdn/kit/testing/virtual-time'
import { expect, test } from 'vitest'
import { createLimiter, createLoggingClient, readLogs } from '../src/index.ts'

const permitted = { requests: 30, windowMs: 10_000 }

/**
 * A fake version 2 of a zone with continuous traffic. `perSecond` returns the rows per second at a time. A response takes 0.4 to
 * 0.9 s.
 */
function slowZone(perSecond: (ms: number) => number, sleep: (ms: number) => Promise<void>) {
  const random = mulberry32(5)
  let requests = 0
  const fetch = async (input: RequestInfo | URL) => {
    requests++
    await sleep(400 + random() * 500)
    const query = new URL(new Request(input).url).searchParams
    const [from, to] = [assertDefined(query.get('from')), assertDefined(query.get('to'))]
    const [start, end, limit] = [Date.parse(from), Date.parse(to), Number(query.get('limit'))]
    const data: unknown[] = []
    let hasMore = false
    for (let at = Math.ceil(start / 10) * 10; at < end && !hasMore; at += 10) {
      if ((at / 10) % Math.round(100 / perSecond(at)) !== 0) continue
      if (data.length === limit) hasMore = true
      else data.push({ timestamp: new Date(at).toISOString() })
    }
    const pagination = { offset: 0, limit, returned: data.length, hasMore }
    return Response.json({ data, pagination, query: { pullZoneId: 1, from, to, order: 'asc' } })
  }
  return { fetch, count: () => requests }
}

test.each([
  ['even traffic', 0.9, () => 20],
  // A part that has ten times as many pages as expected is divided again.
  ['traffic that suddenly grows tenfold', 0.9, (ms: number) => (Math.floor(ms / 600_000) % 2 === 0 ? 2 : 20)],
])('one zone uses at least a given part of the permitted rate: %s', async (_name, minUse, perSecond) => {
  const time = createVirtualTime(createClock(), { quietTurns: 1 })
  const { fetch, count } = slowZone(perSecond, time.sleep)
  const limiter = createLimiter({ now: time.now, sleep: time.sleep })
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
  let rows = 0
  const reading = (async () => {
    const range = { pullZoneId: 1, from: 1_800_000_000_000, to: 1_800_010_800_000 }
    for await (const _row of readLogs(client, { ...range, pageSize: 100, retry: { sleep: time.sleep } })) rows++
  })()
  let isDone = false
  reading.finally(() => {
    isDone = true
  })
  while (!isDone) await time.run()
  await reading
  const possible = (time.now() / permitted.windowMs) * permitted.requests
  expect(count() / possible).toBeGreaterThan(minUse)
  expect(rows).toBeGreaterThan(10_000)
  // On average, pages are more than half full, so the rate limit is not wasted on empty responses.
  expect(rows / (count() * 100)).toBeGreaterThan(0.5)
})
