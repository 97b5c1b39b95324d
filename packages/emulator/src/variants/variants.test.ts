/** Tests values of variants that no report of the suite shows. `like-report.test.ts` of the suite tests the others with a report. */
import { dayMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { createRow, jsonRequest, start } from '../../tests/support/start.ts'
import type { Variants } from './variants.ts'

/** Starts with the defaults, and then sets the variants, which must affect the next request. */
async function startWith(variants: Partial<Variants>) {
  const { emulator, ask } = await start()
  emulator.setVariants(variants)
  const now = emulator.clock.now().getTime()
  const page = (query: string) => ask.logging(`v2/pullzones/2002/logs?${query}`)
  return {
    emulator,
    ask,
    now,
    at: (ms: number) => new Date(now + ms).toISOString(),
    page,
    /** The members of `query` or `pagination` in a page, or the status of a refusal. */
    shownBy: async (query: string, part: 'query' | 'pagination') => {
      const response = await page(query)
      return response.ok ? JSON.parse(await response.text())[part] : response.status
    },
    lines: async (query: string) =>
      (await (await ask.logging(`06-17-26/2002.log?${query}`)).text()).split('\n').filter(Boolean),
  }
}

test.each([
  [5_242_880, 204],
  [65_536, 413],
] as const)('watermarkLimit %i', async (watermarkLimit, status) => {
  const { ask } = await startWith({ watermarkLimit })
  const sent = await ask.management('videolibrary/1001/watermark', { method: 'PUT', body: new Uint8Array(65_537) })
  expect(sent.status).toBe(status)
})

test.each([
  ['raw', true],
  ['absent', false],
] as const)('controlCharacters %s', async (controlCharacters, isShown) => {
  const { page, at } = await startWith({ controlCharacters })
  const all = await (await page(`from=${at(-3 * dayMs)}&limit=10000&includeOriginShield=true`)).text()
  expect(all.includes('\\u001b[31m')).toBe(isShown)
})

test.each([
  ['millisecond', true],
  ['microsecond', false],
] as const)('storedPrecision %s', async (storedPrecision, isWhole) => {
  const { emulator } = await startWith({ storedPrecision })
  expect(emulator.state.logs.rows('2002').every(({ timestamp }) => Number.isInteger(timestamp))).toBe(isWhole)
})

test.each([
  ['cut', -1000],
  ['rounded', -999],
] as const)('shownPrecision %s', async (shownPrecision, shown) => {
  const { emulator, now, at, page, lines } = await startWith({ shownPrecision })
  emulator.state.logs.append([createRow({ pullZoneId: '2002', timestamp: now - 999.3, path: '/fraction' })])
  const [line] = await lines('search=/fraction')
  const { data } = JSON.parse(await (await page(`from=${at(-60_000)}&to=${at(0)}&urlContains=/fraction`)).text())
  expect([Number(line?.split('|')[2]) - now, Date.parse(data[0].timestamp) - now]).toEqual([shown, shown])
})

test('a value outside its range is lowered, clamped or completed, unless it is refused', async () => {
  const { at, shownBy } = await startWith({ limitTooLarge: 'lowered', defaultFrom: 'clamped', dateWithoutZone: 'UTC' })
  expect(await shownBy('limit=10001', 'pagination')).toMatchObject({ limit: 10_000 })
  expect(await shownBy(`to=${at(-2.5 * dayMs)}&limit=1`, 'query')).toMatchObject({ from: at(-3 * dayMs) })
  for (const date of ['2026-06-17', '2026-06-17T00:00', '2026-06-17T00:00:00'])
    expect(await shownBy(`from=${date}&limit=1`, 'query')).toMatchObject({ from: '2026-06-17T00:00:00.000Z' })
  const { shownBy: strict } = await startWith({})
  for (const query of ['limit=10001', `to=${at(-2.5 * dayMs)}`, 'from=2026-06-17', 'from=2026-06-17T00:00:00'])
    expect(await strict(query, 'query')).toBe(400)
})

test('in version 1, a status may select its class, and an old day may be an empty file', async () => {
  const { ask, lines } = await startWith({ fileStatusCodes: 'class', fileDay: 'empty' })
  const classes = (await lines('status=404,500')).map((line) => line.split('|')[1]?.[0])
  expect([...new Set(classes)].sort()).toEqual(['4', '5'])
  const old = await ask.logging('06-01-26/2002.log')
  expect([old.status, await old.text()]).toEqual([200, ''])
})

test.each([
  ['absent', null],
  ['present', '8'],
] as const)('retryAfter %s', async (retryAfter, expected) => {
  const { emulator, page } = await startWith({ retryAfter })
  for (let sent = 0; sent < 30; sent++) await page('limit=1')
  emulator.clock.advance(2_000)
  expect((await page('limit=1')).headers.get('retry-after')).toBe(expected)
})

test.each([
  ['refused', 404],
  ['ignored', 200],
] as const)('the case of a path and a slash at its end are %s on both interfaces', async (choice, status) => {
  const { ask } = await startWith({ pathCase: choice, trailingSlash: choice })
  for (const path of ['PullZone/2001', 'pullzone/2001/']) expect((await ask.management(path)).status).toBe(status)
  for (const path of ['V2/PullZones/2002/Logs', 'v2/pullzones/2002/logs/'])
    expect((await ask.logging(`${path}?limit=1`)).status).toBe(status)
})

test.each([
  ['as published', [false, true, false, true]],
  ['present', [true, true, true, true]],
  ['absent', [false, false, false, true]],
] as const)('errorBodies %s', async (errorBodies, expected) => {
  const { emulator, ask } = await startWith({ errorBodies })
  const answers = await Promise.all([
    ask.management('pullzone/2999'),
    ask.management('videolibrary/2999'),
    ask.management('videolibrary/2999/watermark', { method: 'DELETE' }),
    ask.management('pullzone/2999/addAllowedReferrer', jsonRequest(emulator, { Hostname: 'a.example' })),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect(await Promise.all(answers.map(async (answer) => (await answer.text()) !== ''))).toEqual(expected)
})
