import { likenessOf, observationsOf } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { observedByChecks } from '../src/cases/unspecified/unobservable.ts'
import { parityOf } from '../src/verdict/parity.ts'
import { mixedServer } from './mutants/false-alarms.ts'
import { lostVariants, reportOn, variantPoints } from './support/run-with-variants.ts'

const only = [
  ...['unspecified.*', 'management.*.effect', 'logging.rate-limit.429*'],
  ...new Set(Object.values(observedByChecks).map(([check]) => check)),
]

test('an emulator that follows the report of another one behaves in the same way', async () => {
  const { variants } = mixedServer(1)
  const { report } = await reportOn(variants, { only })
  expect(lostVariants(report, variants)).toEqual([])
  const platform = likenessOf(report)
  const { parity } = (await reportOn(platform.variants, { only, likeness: platform })).report
  expect(parity).toEqual({ startedAt: report.startedAt, same: report.observations.length, others: [] })

  const plain = (await reportOn({}, { only })).report
  const { same, others } = parityOf(platform, plain.observations)
  expect(others.length).toBeGreaterThan(10)
  expect(same + others.length).toBe(report.observations.length)
})

test('a report shows each value of each variant', { timeout: 300_000 }, async () => {
  const { checkOf } = await reportOn({}, { only })
  for (const [name, point] of variantPoints) {
    const observations = observationsOf(point)
    expect(observations.filter((id) => !checkOf.has(id))).toEqual([])
    if (observations.length === 0) continue
    for (const value of point.values) {
      const checks = observations.flatMap((id) => checkOf.get(id) ?? [])
      const { report } = await reportOn({ [name]: value }, { only: checks })
      expect(lostVariants(report, { [name]: value })).toEqual([])
    }
  }
})
