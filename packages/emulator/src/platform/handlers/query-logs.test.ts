import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { createRow, start, unlimited } from '../../../tests/support/start.ts'

// The conformance suite checks filters, refusals, pages and order (packages/conformance/src/cases/logs), because it knows the rows.

const zone = '2003'
const path = `v2/pullzones/${zone}/logs`

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly query: object
}

const { emulator: stable, ask: askStable } = await start()
const now = stable.clock.now().getTime()

const query = async (ask: typeof askStable, parameters: Readonly<Record<string, string>>): Promise<Page> =>
  (await ask.logging(`${path}?${new URLSearchParams(parameters)}`)).json()

test('v2 returns ties in any order, but each row of a range once', async () => {
  const { emulator, ask } = await start()
  emulator.faults.add(unlimited)
  const rows = emulator.state.logs.rows(zone, now - 24 * hourMs, now).filter(({ originShield }) => !originShield)
  const orders = new Set<string>()
  for (let count = 0; count < 5; count++) {
    const { data } = await query(ask, { limit: '10000', order: 'asc' })
    expect(data.map(({ timestamp }) => Date.parse(String(timestamp)))).toEqual(rows.map(({ timestamp }) => timestamp))
    const ids = data.map(({ requestId }) => String(requestId))
    expect(ids.toSorted()).toEqual(rows.map(({ requestId }) => String(requestId)).sort())
    orders.add(ids.join())
  }
  expect(orders.size).toBeGreaterThan(1)
})

describe('v2', () => {
  test('returns the effective query, by default the last 24 hours', async () => {
    expect((await query(askStable, {})).query).toEqual({
      pullZoneId: 2003,
      from: new Date(now - 24 * hourMs).toISOString(),
      to: new Date(now).toISOString(),
      order: 'desc',
    })
  })

  test('shows a row from the time at which it becomes visible until the end of the retention', async () => {
    const { emulator, ask } = await start()
    const at = (ms: number, visibleFrom: number) =>
      createRow({ timestamp: ms, visibleFrom, pullZoneId: '2002', requestId: 'f'.repeat(32) })
    emulator.state.logs.append([at(now - 71 * hourMs, now + 60_000)])
    const count = async () => {
      const from = new Date(emulator.clock.now().getTime() - 72 * hourMs).toISOString()
      const response = await ask.logging(`v2/pullzones/2002/logs?requestId=${'f'.repeat(32)}&from=${from}`)
      const { data }: Page = await response.json()
      return data.length
    }
    expect(await count()).toBe(0)
    emulator.clock.advance(60_000)
    expect(await count()).toBe(1)
    emulator.clock.advance(hourMs - 60_000)
    expect(await count()).toBe(1)
    emulator.clock.advance(1)
    expect(await count()).toBe(0)
  })

  test.each(['2002', '3001'])('shows a row of the future from its time on, in zone %s', async (pullZoneId) => {
    const { emulator, ask } = await start({ traffic: { zones: ['3001'], rowsPerSecond: 0.01 } })
    emulator.state.logs.append([createRow({ timestamp: now + 60_000, pullZoneId, requestId: 'f'.repeat(32) })])
    const isShown = async () => {
      const to = new Date(now + hourMs).toISOString()
      const page = await ask.logging(`v2/pullzones/${pullZoneId}/logs?requestId=${'f'.repeat(32)}&to=${to}`)
      const file = await ask.logging(`06-17-26/${pullZoneId}.log?search=${'f'.repeat(32)}`)
      return [(await page.json()).data.length, (await file.text()).length > 0]
    }
    emulator.clock.advance(59_999)
    expect(await isShown()).toEqual([0, false])
    emulator.clock.advance(1)
    expect(await isShown()).toEqual([1, true])
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
