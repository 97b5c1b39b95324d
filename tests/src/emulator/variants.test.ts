/** Sets each variant from outside and verifies that its effect is visible from outside. */

import { createEmulator, type VariantPoint, variantTable } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import type { Observation } from './observation.ts'
import { accessObservations } from './observations-access.ts'
import { fileObservations, pageObservations } from './observations-logs.ts'
import { managementObservations } from './observations-management.ts'
import { outsideOf, startProcess } from './outside.ts'

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
    const { expected } = defined(observations[name])
    expect(Object.keys(expected).sort(), name).toEqual(point.values.map(String).sort())
    expect(new Set(Object.values(expected).map((one) => JSON.stringify(one))).size, name).toBe(point.values.length)
  }
})

test.each(values)('POST /_emulator/variants: $name $value', async ({ name, value }) => {
  const emulator = await createEmulator()
  const { managementUrl, loggingUrl } = await emulator.listen()
  try {
    const body = JSON.stringify({ [name]: value })
    const chosen = await fetch(new URL('_emulator/variants', managementUrl), { method: 'POST', body })
    expect(await chosen.json()).toMatchObject({ active: { [name]: value } })
    const { accessKey, bearer, noScope } = emulator.fixtures.credentials
    const outside = outsideOf({
      managementUrl: managementUrl.href,
      loggingUrl: loggingUrl.href,
      accessKey,
      bearerToken: bearer,
      env: { CDN_NO_SCOPE_TOKEN: noScope },
    })
    expect(await observations[name]?.observe(outside)).toEqual(observations[name]?.expected[value])
  } finally {
    await emulator.close()
  }
})

test('DELETE /_emulator/variants restores the defaults', async () => {
  const { ready, stop } = await startProcess(['--clock', 'virtual', '--variant', 'timestampStyle=+00:00'])
  try {
    expect((await fetch(new URL('_emulator/variants', ready.loggingUrl), { method: 'DELETE' })).status).toBe(204)
    const { observe, expected } = pageObservations.timestampStyle
    expect(await observe(outsideOf(ready))).toEqual(expected.Z)
  } finally {
    await stop()
  }
})

test.each([
  ['{"nonsense":1}', /^variants has an unknown key "nonsense": expected one of addSuccess, /],
  ['{"addSuccess":202}', /^variants.addSuccess must be one of 204, 200, 201, not 202$/],
  ['[]', /^Invalid body: expected /],
  ['', /^Invalid body: expected /],
])('POST /_emulator/variants %s is refused in one sentence', async (body, sentence) => {
  const emulator = await createEmulator()
  const { managementUrl } = await emulator.listen()
  const response = await fetch(new URL('_emulator/variants', managementUrl), { method: 'POST', body })
  expect([response.status, await response.json()]).toEqual([400, { message: expect.stringMatching(sentence) }])
  await emulator.close()
})
