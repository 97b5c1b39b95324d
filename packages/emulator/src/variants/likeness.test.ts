import { contracts } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { createEmulator } from '../emulator.ts'
import { likenessOf } from './likeness.ts'
import { type VariantPoint, variantTable } from './table.ts'

const contract = Object.fromEntries(
  Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.full.info.version]),
)
const reportWith = (values: Readonly<Record<string, unknown>>, more: object = {}) => ({
  startedAt: '2026-06-17T03:00:00.000Z',
  contract,
  observations: Object.entries(values).map(([id, value]) => ({ id, value })),
  ...more,
})
const unknownZone = 'logging.query-logs.unknown-zone'

test('an emulator takes the variants that a report shows; a chosen variant takes precedence, and the others keep their default', async () => {
  const like = reportWith({ [unknownZone]: { status: 404 }, 'logging.query-logs.timestamp-style': '+00:00' })
  const { variants, likeness } = await createEmulator({ like, variants: { timestampStyle: 'Z' } })
  expect(variants).toMatchObject({ unknownZone: 404, timestampStyle: 'Z', addSuccess: 204 })
  expect(likeness?.followed).toContainEqual({ name: 'unknownZone', value: 404, seen: `${unknownZone}/status 404` })
})

test('if a report shows what no value of a variant has, the reason names it', () => {
  const { open, others } = likenessOf(
    reportWith({ 'management.add-allowed-referrer.again': { status: 409, kept: 1 }, 'management.nothing': 1 }),
  )
  expect(open).toContainEqual({
    name: 'addTwice',
    reason:
      'none of its values shows as management.add-allowed-referrer.again/status 409, management.add-allowed-referrer.again/kept 1',
  })
  expect(open).toContainEqual({ name: 'unknownZone', reason: `the report has no ${unknownZone}` })
  expect(others).toEqual(['management.nothing'])
})

test.each<[string, unknown, RegExp]>([
  ['text', 'report', /is neither report.json nor observations.json of a conformance run/],
  ['another file', { observations: 1 }, /is neither report.json nor/],
  ['too many observations', reportWith({}, { observations: Array(1001).fill({}) }), /more than 1000 observations/],
  ['a value of too many levels', reportWith({ a: JSON.parse('['.repeat(9_999) + ']'.repeat(9_999)) }), /no result/],
  ['no observation', reportWith({}), /its run has no result/],
  ['observations that are none', reportWith({}, { observations: [1, null, { id: 7 }] }), /its run has no result/],
  ['another version', reportWith({ a: 1 }, { contract: { ...contract, logging: 'v9' } }), /has version "v9"/],
  ['no time', reportWith({ a: 1 }, { startedAt: 'now' }), /no time in startedAt/],
  [
    'hostile version',
    reportWith({ a: 1 }, { contract: { management: '\u001b[31m'.repeat(99) } }),
    /\\u001b\[31m.{0,99}…/,
  ],
])('a report with %s is refused in one sentence', (_, report, sentence) => {
  expect(() => likenessOf(report)).toThrow(sentence)
  expect(() => likenessOf(report)).toThrow(RangeError)
})

test('only known values of a hostile report reach the emulator, and its texts are escaped', async () => {
  const hostile = '\u001b]0;x\u0007\n'
  const like = reportWith({
    [unknownZone]: { status: hostile },
    'logging.query-logs.timestamp-style': { toString: 'Z' },
    'logging.query-logs.page-cap': [1000, 10_000],
    [hostile]: hostile,
    __proto__: { status: 404 },
  })
  const { variants, likeness } = await createEmulator({ like })
  expect(variants).toEqual((await createEmulator()).variants)
  const lines = JSON.stringify([likeness?.open, likeness?.others])
  expect(lines).not.toMatch(/\p{Cc}/u)
})

test('each value of a variant is shown, or the table says why none is', () => {
  for (const [name, { values, shown }] of Object.entries<VariantPoint>(variantTable)) {
    if (typeof shown === 'string') continue
    const stated = 'never' in shown ? ['never'] : values.map(String)
    expect(Object.keys(shown).sort(), name).toEqual(stated.sort())
  }
})
