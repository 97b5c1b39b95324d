import { likenessOf, observationsOf } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { observedByChecks } from '../src/cases/unspecified/unobservable.ts'
import { parityOf } from '../src/verdict/parity.ts'
import { mixedServer } from './mutants/false-alarms.ts'
import { lostVariants, points, reportOn } from './support/like.ts'

/** The checks that observe a point. */
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

test('the suite has every observation that a variant names', async () => {
  const { checkOf } = await reportOn({}, { only })
  const named = new Set(points.flatMap(([, point]) => observationsOf(point)))
  expect([...named].filter((id) => !checkOf.has(id))).toEqual([])
})
