/**
 * Cuts the power before every step of the disk. Unsynced data is lost, kept, or partly kept.
 * Also combines a kill with a power failure. `node tests/campaigns/power-cut.ts [--pairs N]`
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { type Cut, fateOf, runWithCuts } from '../support/power-cut.ts'

const values = scriptOptions({ pairs: { type: 'string', default: '300' } })
const begun = performance.now()
const whole = await runWithCuts(1, [])
const length = whole.steps.length
const every = Array.from({ length }, (_, beforeStep) => beforeStep)
const cuts: Cut[][] = [
  ...every.map((beforeStep) => [{ beforeStep, fate: 'dropped' as const }]),
  ...every.map((beforeStep) => [{ beforeStep, fate: 'kept' as const }]),
  ...every.map((beforeStep) => [{ beforeStep, fate: fateOf(beforeStep) }]),
  ...Array.from({ length: Number(values.pairs) }, (_, pair) => [
    { beforeStep: (pair * 67) % length, fate: 'kept' as const },
    { beforeStep: (pair * 29) % length, fate: pair % 2 === 0 ? ('dropped' as const) : fateOf(pair) },
  ]),
]
let failed = whole.violations.length > 0 ? 1 : 0
for (const cut of cuts) {
  const { violations } = await runWithCuts(1, cut)
  if (violations.length === 0) continue
  failed++
  console.log(`${JSON.stringify(cut)}: ${violations.join('\n  ')}`)
}
console.log(
  `${length} operations; ${cuts.length} recoveries, with a row lost or duplicated: ${failed}; ${Math.round((performance.now() - begun) / 1000)} s`,
)
process.exitCode = failed === 0 ? 0 : 1
