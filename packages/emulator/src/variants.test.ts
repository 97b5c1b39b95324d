import { describe, expect, it } from 'vitest'
import { tour } from './oracle/tour.ts'
import { start } from './testing.ts'
import { chooseVariants, type VariantPoint, type Variants, variantTable } from './variants.ts'

const points: [string, VariantPoint][] = Object.entries(variantTable)

const plainTours = new Map<string, Promise<string>>()

/** The tour by the defaults, as text; made once. */
function plainTour(base: Partial<Variants>): Promise<string> {
  const key = JSON.stringify(base)
  const text = plainTours.get(key) ?? tour(base, 'in process').then((seen) => JSON.stringify(seen))
  plainTours.set(key, text)
  return text
}

describe('every permitted variant', () => {
  it.each(points.flatMap(([name, { values }]) => values.slice(1).map((value) => [name, value] as const)))(
    '%s: %s shows, and keeps to the document',
    async (name, value) => {
      // Rounding shows on finer times alone.
      const base: Partial<Variants> = name === 'shownPrecision' ? { storedPrecision: 'microsecond' } : {}
      expect(JSON.stringify(await tour({ ...base, [name]: value }, 'in process'))).not.toBe(await plainTour(base))
    },
  )

  it.each(['in process', 'sockets'] as const)('by default keeps to both contracts: %s', async (transport) => {
    const seen = await tour({}, transport)
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 204, 400, 401, 403, 404, 429]))
    const files = seen.filter(({ path, status }) => path === '/06-17-26/2002.log' && status === 200)
    expect(files.map(({ body, headers }) => [body.includes('late.example'), headers.includes('gzip')])).toEqual([
      [false, true],
      [false, false],
      [true, true],
      [true, false],
    ])
    const before = seen.indexOf(files[1] as (typeof seen)[number])
    expect([before - 2, before + 1].map((index) => seen[index]?.body.includes('late.example'))).toEqual([false, true])
  })

  it('answers alike in process and over sockets', async () => {
    expect(await tour({}, 'sockets')).toEqual(await tour({}, 'in process'))
  })

  it('is noticed where an answer breaks the contract', async () => {
    const { emulator, ask } = await start()
    const zone = emulator.state.zones.get('2001')
    Object.assign(zone ?? {}, { allowedReferrers: [1] })
    await expect(ask.management('pullzone/2001')).rejects.toThrow(
      /GET \/pullzone\/2001 breaks the contract: full: \/AllowedReferrers\/0 must be string/,
    )
  })
})

describe('variants', () => {
  it('are named in one sentence where they do not exist', () => {
    expect(() => chooseVariants({ nonsense: 1 } as Partial<Variants>)).toThrow('There is no variant "nonsense"')
    expect(() => chooseVariants({ addSuccess: 202 } as unknown as Partial<Variants>)).toThrow(
      'Variant addSuccess cannot be 202; permitted: 204, 200, 201',
    )
  })
})
