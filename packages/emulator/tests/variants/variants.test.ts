import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { type VariantPoint, variantTable } from '../../src/variants/table.ts'
import { start } from '../support/start.ts'
import { accessObservations } from './access.ts'
import { fileObservations, pageObservations } from './logs.ts'
import { managementObservations } from './management.ts'
import { type Observation, outsideOf } from './observation.ts'

const observations: Readonly<Record<string, Observation>> = {
  ...managementObservations,
  ...accessObservations,
  ...pageObservations,
  ...fileObservations,
}
const points: [string, VariantPoint][] = Object.entries(variantTable)
const values = points.flatMap(([name, point]) => point.values.map((value) => ({ name, value })))

test('every value of every variant has a different observation', () => {
  expect(Object.keys(observations).sort()).toEqual(points.map(([name]) => name).sort())
  for (const [name, point] of points) {
    const { expected } = assertDefined(observations[name])
    expect(Object.keys(expected).sort(), name).toEqual(point.values.map(String).sort())
    expect(new Set(Object.values(expected).map((one) => JSON.stringify(one))).size, name).toBe(point.values.length)
  }
})

// The emulator starts with its defaults, to show that a value takes effect from the next request on.
test.each(values)('$name $value', async ({ name, value }) => {
  const started = await start()
  started.emulator.setVariants({ [name]: value })
  const { observe, expected } = assertDefined(observations[name])
  expect(await observe(outsideOf(started))).toEqual(expected[value])
})
