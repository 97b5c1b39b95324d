/** Pages whose rows are changed in any way: each row is exported, a dead letter or in an open gap, or the range is not exported. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createApiReader } from '../src/reader/api-reader.ts'
import type { Reject } from '../src/rows/encoder.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

type Row = Readonly<Record<string, unknown>> & { readonly requestId: string; readonly timestamp: string }

const hugeNumber = `"${'7'.repeat(50)}"`
/** Changes of a row that a faulty platform may make. The id stays, so that the test can find it. */
const changes: readonly ((row: Row) => unknown)[] = [
  (row) => ({ ...row, timestamp: null }),
  ({ timestamp: _, ...row }) => row,
  (row) => ({ ...row, timestamp: row.timestamp.replace(/:\d\d\./, ':60.') }),
  (row) => ({ ...row, timestamp: Date.parse(row.timestamp) / 1000 }),
  (row) => ({ ...row, timestamp: new Date(Date.parse(row.timestamp) / 1000).toISOString() }),
  (row) => ({ ...row, timestamp: `9999${row.timestamp.slice(4)}` }),
  (row) => ({ ...row, statusCode: '200' }),
  ({ bytesSent: _, ...row }) => row,
  (row) => ({ ...row, bytesSent: 1.5 }),
  (row) => ({ ...row, bytesSent: hugeNumber }),
  (row) => ({ ...row, host: { name: 'a' } }),
  (row) => ({ ...row, source: 'v3' }),
  (row) => row.requestId,
  (row) => [row],
]

const arbitrary = fc.record({
  /** The change of a row, by a digit of its id. */
  changes: fc.array(fc.option(fc.nat(changes.length - 1), { freq: 2 }), { minLength: 16, maxLength: 16 }),
})

/** If no page with rows can be read, each row costs dozens of requests, so the ranges are short. */
test.each<[pages: 'right' | 'reversed' | 'miscounted', numRuns: number, minutes: number]>([
  ['right', 30, 10],
  ['reversed', 15, 10],
  ['miscounted', 15, 1],
])(
  'rows, dead letters and open gaps together equal the sent rows, or the range is not exported: %s pages',
  {
    timeout: 120_000,
  },
  async (pages, numRuns, minutes) => {
    const plan = { window: (minutes * minute) / 2 }
    const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.03 }, plan })
    const { emulator, zone, time } = simulation
    let start = Math.floor((time.now() - 60 * hour) / hour) * hour
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ changes: chosen }) => {
        start += hour / 2
        const change = (row: Row) => {
          const at = chosen[Number.parseInt(row.requestId.at(-1) ?? '0', 16)]
          return at === null || at === undefined ? row : changes[at]?.(row)
        }
        const fetch: typeof globalThis.fetch = async (input, init) => {
          const response = await emulator.fetch(input, init)
          const page = await response.json()
          const data = (page.data ?? []).map(change)
          if (pages === 'reversed') data.reverse()
          if (pages === 'miscounted') data.pop()
          const text = JSON.stringify({ ...page, data }).replaceAll(JSON.stringify(hugeNumber), '7'.repeat(1_000_000))
          return new Response(text, response)
        }
        const rejects: Reject[] = []
        const client = { baseUrl: emulator.loggingUrl.href, accessKey: emulator.fixtures.credentials.accessKey, fetch }
        const reader = createApiReader({ clients: client, now: time.now, sleep: time.sleep })
        const to = start + minutes * minute
        const [result] = await simulation.backfill(start, to, {
          reader,
          rejects: { add: async (_: string, more: readonly Reject[]) => void rejects.push(...more) },
        })
        const sent = emulator.state.logs.rows(zone, start, to).filter(({ originShield }) => !originShield)
        const lines = simulation.sink.exported(zone).flatMap(({ from, lines }) => (from >= start ? lines : []))
        const exported = lines.map((line) => String(JSON.parse(line).requestId))
        const letters = rejects.flatMap(({ text }) => /[\da-f]{32}/.exec(text)?.[0] ?? 'none')
        if (result?.error) expect(result.until).toBe(start)
        else {
          const isOpen = (at: number) => result?.unread.some(({ from, to }) => at >= from && at < to) ?? false
          const open = new Set(
            sent.filter(({ timestamp }) => isOpen(timestamp)).map(({ requestId }) => String(requestId)),
          )
          const isSure = (id: string) => !open.has(id)
          expect([...exported, ...letters].filter(isSure).sort()).toEqual(
            sent
              .map(({ requestId }) => String(requestId))
              .filter(isSure)
              .sort(),
          )
          expect(new Set(exported).size).toBe(exported.length)
          expect(result).toMatchObject({ until: to, gaps: [], missing: [] })
        }
      }),
      { numRuns },
    )
  },
)
