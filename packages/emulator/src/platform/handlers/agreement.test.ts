import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { createRow, start, unlimited } from '../../../tests/support/start.ts'

const day = 24 * hourMs
const retention = 3 * day

type Entry = Readonly<Record<string, string | number | undefined>>

/** Converts an entry of v2 to a line of v1 (supplement: v1 removes pipes and line breaks from texts). */
function toLine(entry: Entry): string {
  const bare = (text: string | number | undefined) =>
    String(text ?? '')
      .replace(/[|\r\n]/g, '')
      .toWellFormed() || '-'
  const { cacheStatus, statusCode, timestamp, bytesSent, pullZoneId, remoteIp, referer, url, edgeLocation } = entry
  const texts = [remoteIp, referer, url, edgeLocation, entry['userAgent'], entry['requestId'], entry['countryCode']]
  return [cacheStatus, statusCode, Date.parse(String(timestamp)), bytesSent, pullZoneId, ...texts.map(bare)].join('|')
}

describe('v1 and v2', () => {
  test('return the same requests for every zone and day, while late rows arrive and the clock moves', async () => {
    const { emulator, ask } = await start({
      variants: { requestIds: 'some null', fileShield: 'included' },
      traffic: {
        zones: ['2002', '3001'],
        rowsPerSecond: 0.01,
        lateShare: 0.3,
        maxLatenessMs: hourMs,
        tieShare: 0.2,
        bursts: { rows: 12, everyMs: 5 * hourMs },
        hostileShare: 0.3,
      },
    })
    emulator.faults.add(unlimited)
    const { clock, state } = emulator
    const counts: number[] = []
    for (let step = 0; step < 3; step++) {
      const now = clock.now().getTime()
      for (const pullZoneId of ['2002', '3001']) {
        const late = { timestamp: now - 60_000, pullZoneId, visibleFrom: now + hourMs / 2 }
        state.logs.append([createRow({ ...late, statusCode: 103 }), createRow({ ...late, originShield: true })])
      }
      let count = 0
      for (const zone of ['2002', '3001']) {
        for (let start = Math.floor((now - retention) / day) * day; start <= now; start += day) {
          const [year, month, date] = new Date(start).toISOString().slice(2, 10).split('-')
          const file = await ask.logging(`${month}-${date}-${year}/${zone}.log?status=1,2,3,4,5`)
          const lines = (await file.text()).split('\n').slice(0, -1)
          const from = new Date(Math.max(start, now - retention)).toISOString()
          const to = new Date(start + day).toISOString()
          const query = new URLSearchParams({ from, to, includeOriginShield: 'true', limit: '10000' })
          const page = await ask.logging(`v2/pullzones/${zone}/logs?${query}`)
          const { data, pagination }: { data: Entry[]; pagination: { hasMore: boolean } } = await page.json()
          expect(pagination.hasMore).toBe(false)
          expect(data.map(toLine).sort()).toEqual(lines.sort())
          count += lines.length
        }
      }
      counts.push(count)
      clock.advance(hourMs)
    }
    expect(Math.min(...counts)).toBeGreaterThan(5_000)
    expect(new Set(counts).size).toBeGreaterThan(1)
  })
})
