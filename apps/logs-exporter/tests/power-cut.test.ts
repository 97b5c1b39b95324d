/** Cuts the power at some steps of the disk (write, fsync, link, ledger, ...); `tests/campaigns/power-cut.ts` cuts it at every step. */
import { describe, expect, test } from 'vitest'
import { fateOf, runWithCuts } from './support/power-cut.ts'

const seeds = [1, 2]
const [parts, pairs] = [6, 3]

describe('an exporter recovers from a power failure at any point', async () => {
  const whole = await runWithCuts(1, [])

  test('and also without a power failure', () => {
    expect(whole.violations).toEqual([])
    for (const step of ['ledger', 'create', 'write', 'sync', 'link', 'syncDirectory', 'makeDirectory'])
      expect(whole.steps).toContain(step)
  })

  test.each(seeds)('with unsynced data lost, seed %i', async (seed) => {
    for (let part = 0; part < parts; part++) {
      const beforeStep = Math.floor(((part + seed / 3) * whole.steps.length) / parts)
      const run = await runWithCuts(1, [{ beforeStep, fate: 'dropped' }])
      expect({ beforeStep, ...run }).toMatchObject({ isCut: true, violations: [] })
    }
  })

  test.each(seeds)('with unsynced data partly lost, after an earlier kill, seed %i', async (seed) => {
    for (let pair = 1; pair <= pairs; pair++) {
      const killed = (pair * seed * 67) % whole.steps.length
      const cuts = [
        { beforeStep: killed, fate: 'kept' as const },
        { beforeStep: (pair * 29) % 60, fate: fateOf(seed * 1000 + pair) },
      ]
      const run = await runWithCuts(1, cuts)
      expect({ killed, ...run }).toMatchObject({ isCut: true, violations: [] })
    }
  })

  test('with unsynced directories of a killed process', async () => {
    const created = whole.steps.flatMap((step, index) => (step === 'makeDirectory' ? [index] : []))
    for (const index of created.slice(0, 7)) {
      const cuts = [
        { beforeStep: index + 1, fate: 'kept' as const },
        { beforeStep: 30, fate: 'dropped' as const },
      ]
      const run = await runWithCuts(1, cuts)
      expect({ index, ...run }).toMatchObject({ isCut: true, violations: [] })
    }
  })
})
