import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { type Ask, createRow, start, unlimited } from '../../../tests/support/start.ts'
import { defaultStart } from '../clock.ts'
import type { StoredLogRow } from '../state/log-row.ts'

// The conformance suite checks filters, refusals, pages, order and the named query, and compares both versions
// (packages/conformance/src/cases/logs), because it knows the rows.

const zone = '2003'
const path = `v2/pullzones/${zone}/logs`
const requestId = 'f'.repeat(32)

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[]
}

const now = defaultStart.getTime()

const query = async (ask: Ask, parameters: Readonly<Record<string, string>>): Promise<Page> =>
  (await ask.logging(`${path}?${new URLSearchParams(parameters)}`)).json()

describe('v2', () => {
  /** Returns the number of rows with the request id of `row` that version 2 shows, and that the file of their day shows. */
  const shownIn = async (
    { emulator, ask }: Awaited<ReturnType<typeof start>>,
    { pullZoneId, timestamp }: StoredLogRow,
  ) => {
    const to = Math.max(timestamp + 1, emulator.clock.now().getTime())
    const range = { from: new Date(to - 72 * hourMs).toISOString(), to: new Date(to).toISOString() }
    const page = await ask.logging(`v2/pullzones/${pullZoneId}/logs?${new URLSearchParams({ requestId, ...range })}`)
    const [year, month, day] = new Date(timestamp).toISOString().slice(2, 10).split('-')
    const file = await ask.logging(`${month}-${day}-${year}/${pullZoneId}.log?search=${requestId}`)
    const { data }: Page = await page.json()
    return [data.length, (await file.text()).split('\n').length - 1]
  }

  test('shows a row from the time at which it becomes visible until the end of the retention, and so does version 1', async () => {
    const started = await start()
    const { clock, state } = started.emulator
    const row = createRow({ timestamp: now - 71 * hourMs, visibleFrom: now + 60_000, pullZoneId: '2002', requestId })
    state.logs.append([row])
    for (const [ms, count] of [
      [59_999, 0],
      [1, 1],
      [hourMs - 60_000, 1],
      [1, 0],
    ] as const) {
      clock.advance(ms)
      expect(await shownIn(started, row)).toEqual([count, count])
    }
  })

  test.each(['2002', '3001'])('shows a row of the future from its time on, in zone %s', async (pullZoneId) => {
    const started = await start({ traffic: { zones: ['3001'], rowsPerSecond: 0.01 } })
    const { clock, state } = started.emulator
    const row = createRow({ timestamp: now + 60_000, pullZoneId, requestId })
    state.logs.append([row])
    clock.advance(59_999)
    expect(await shownIn(started, row)).toEqual([0, 0])
    clock.advance(1)
    expect(await shownIn(started, row)).toEqual([1, 1])
  })

  test.each([
    ['last octet removed', '198.51.100.0', '2001:db8:17:5::'],
    ['dropped', '0.0.0.0', '::'],
  ] as const)('with addresses %s, shows and matches addresses in that form', async (addresses, v4, v6) => {
    const { emulator, ask } = await start()
    emulator.faults.add(unlimited)
    const shownZone = emulator.state.zones.get('2003')
    if (shownZone) shownZone.addresses = addresses
    const everything = await query(ask, { limit: '10000' })
    expect(everything.data.map((entry) => entry['remoteIp'])).toEqual(expect.arrayContaining([v4, v6]))
    const v4Page = await query(ask, { limit: '10000', remoteIp: '198.51.100.200' })
    const v6Page = await query(ask, { limit: '10000', remoteIp: '2001:DB8:17:5:ffff:0:0:1' })
    if (addresses === 'dropped')
      expect([v4Page.data.length, v6Page.data.length]).toEqual(Array(2).fill(everything.data.length))
    else {
      expect(new Set(v4Page.data.map((entry) => entry['remoteIp']))).toEqual(new Set([v4]))
      expect(new Set(v6Page.data.map((entry) => entry['remoteIp']))).toEqual(new Set([v6]))
    }
  })

  test('returns sizes above 2^53 with all digits', async () => {
    const { emulator, ask } = await start()
    emulator.state.logs.append([createRow({ timestamp: now - 1, pullZoneId: zone, bytesSent: 9007199254740993n })])
    expect(await (await ask.logging(`${path}?limit=1`)).text()).toContain('"bytesSent":9007199254740993,')
  })
})
