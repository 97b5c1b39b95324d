/** Cuts the power before every step of the disk, also after a kill: `node tests/campaigns/power-cut.ts [--pairs N]`. */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { cutsOf, runWithCuts } from '../support/power-cut.ts'

const values = scriptOptions({ pairs: { type: 'string', default: '300' } })
const begun = performance.now()
const { steps, violations: first } = await runWithCuts(1, [])
const all = Object.values(cutsOf(steps, Number(values.pairs))).flat()
let failed = first.length > 0 ? 1 : 0
for (const cuts of all) {
  const { violations } = await runWithCuts(1, cuts)
  if (violations.length === 0) continue
  failed++
  console.log(`${JSON.stringify(cuts)}: ${violations.join('\n  ')}`)
}
const seconds = Math.round((performance.now() - begun) / 1000)
console.log(
  `${steps.length} operations; ${all.length} recoveries, with a row lost or duplicated: ${failed}; ${seconds} s`,
)
process.exitCode = failed === 0 ? 0 : 1
