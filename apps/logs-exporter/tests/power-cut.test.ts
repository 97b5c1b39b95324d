/** Cuts the power at some steps of the disk (write, fsync, link, ledger, ...); `tests/campaigns/power-cut.ts` cuts it at every step. */
import { expect, test } from 'vitest'
import { cutsOf, runWithCuts } from './support/power-cut.ts'

const whole = await runWithCuts(1, [])

test('an exporter whose power is never cut has all kinds of steps', () => {
  expect(whole.violations).toEqual([])
  for (const step of ['ledger', 'create', 'write', 'sync', 'link', 'syncDirectory', 'makeDirectory'])
    expect(whole.steps).toContain(step)
})

test.each(Object.entries(cutsOf(whole.steps, 5)))('an exporter recovers if %s', async (_, all) => {
  const distance = Math.ceil(all.length / 5)
  for (const cuts of all.filter((_, n) => n % distance === distance >> 1))
    expect({ cuts, ...(await runWithCuts(1, cuts)) }).toMatchObject({ isCut: true, violations: [] })
})
