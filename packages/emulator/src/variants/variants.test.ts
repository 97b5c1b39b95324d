import { defined } from '@cdn/kit/defined'
import { describe, expect, test } from 'vitest'
import { exercise } from '../../tests/support/exercise.ts'
import { start } from '../../tests/support/start.ts'
import { type VariantPoint, variantTable } from './table.ts'
import { chooseVariants } from './variants.ts'

const points: [string, VariantPoint][] = Object.entries(variantTable)

describe('every permitted variant', () => {
  // tests/src/emulator tests the effect of each variant from outside.
  test.each(points.flatMap(([name, { values }]) => values.slice(1).map((value) => [name, value] as const)))(
    '%s: %s conforms to the spec',
    async (name, value) => {
      expect((await exercise({ [name]: value }, 'in process')).length).toBeGreaterThan(100)
    },
  )

  test.each(['in process', 'sockets'] as const)(
    'the default conforms to both layers of the contract: %s',
    async (transport) => {
      const exchanges = await exercise({}, transport)
      expect(new Set(exchanges.map(({ status }) => status))).toEqual(new Set([200, 204, 400, 401, 403, 404, 429]))
      const files = exchanges.filter(({ path, status }) => path === '/06-17-26/2002.log' && status === 200)
      expect(files.map(({ body, headers }) => [body.includes('late.example'), headers.includes('gzip')])).toEqual([
        [false, true],
        [false, false],
        [true, true],
        [true, false],
      ])
      const before = exchanges.indexOf(defined(files[1]))
      expect([before - 2, before + 1].map((index) => exchanges[index]?.body.includes('late.example'))).toEqual([
        false,
        true,
      ])
    },
  )

  test('gives equal responses in process and over sockets', async () => {
    expect(await exercise({}, 'sockets')).toEqual(await exercise({}, 'in process'))
  })

  test('fails the test if a response breaks the contract', async () => {
    const { emulator, ask } = await start()
    emulator.state.resources.change('/pullzone', '2001', { AllowedReferrers: [1] })
    await expect(ask.management('pullzone/2001')).rejects.toThrow(
      /GET \/pullzone\/2001 breaks the contract: full: \/AllowedReferrers\/0 must be string/,
    )
  })
})

describe('variants', () => {
  test('are rejected with one sentence if they are unknown', () => {
    // Callers without types can pass anything.
    const choose = (chosen: object) => chooseVariants(chosen)
    expect(() => choose({ nonsense: 1 })).toThrow(
      'variants has an unknown key "nonsense": expected one of addSuccess, ',
    )
    expect(() => choose({ addSuccess: 202 })).toThrow('variants.addSuccess must be one of 204, 200, 201, not 202')
  })
})
