/**
 * Counts the causes of each fault of the emulator and of each mutant, and the requirements that are called broken although the server does not
 * break them: `node packages/conformance/tests/campaigns/causes.ts [--only PART] [--every N]`.
 */
import { parseArgs } from 'node:util'
import { type FaultName, faultTable } from '@cdn/emulator'
import { applicableMutants } from '../mutants/all.ts'
import { faultsOnOperations, judge, runsOnRight } from '../mutants/causes.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, every: { type: 'string', default: '1' } },
})
const groups = { faults: faultsOnOperations(Object.keys(faultTable) as FaultName[]), mutants: applicableMutants }
const right = await runsOnRight()
for (const [name, servers] of Object.entries(groups)) {
  const counts = new Map<number, number>()
  let untrue = 0
  let shown = 0
  const told = new Map<string, number>()
  const chosen = servers.filter(
    ({ id }, index) => `${name} ${id}`.includes(values.only) && index % Number(values.every) === 0,
  )
  for (const server of chosen) {
    const verdict = await judge(server, right)
    counts.set(verdict.causes.length, (counts.get(verdict.causes.length) ?? 0) + 1)
    if (verdict.causes.length > 0) {
      shown++
      const key = `${verdict.messages} and ${verdict.issues}`
      told.set(key, (told.get(key) ?? 0) + 1)
    }
    if (verdict.untrue.length > 0) untrue++
    if (verdict.causes.length > 2 || verdict.untrue.length > 0)
      console.log(
        `${verdict.id}: ${verdict.causes.length} causes: ${verdict.causes.join('; ')}; untrue: ${verdict.untrue.join(', ') || 'none'}`,
      )
  }
  const byCount = [...counts].sort(([a], [b]) => a - b).map(([count, number]) => `${number} with ${count}`)
  const first = [...told].map(([key, number]) => `${number} with ${key}`).join(', ')
  console.log(`${name}: messages and issues of the first night: ${first}`)
  console.log(
    `${name}: ${chosen.length} servers, ${shown} seen; causes: ${byCount.join(', ')}; ${untrue} accused of what they do not break`,
  )
}
