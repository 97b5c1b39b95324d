/**
 * Counts the causes of each fault of the emulator and of each mutant, and the requirements that are called broken although the server does not
 * break them; and the false alarms on each permitted variant, which breaks nothing:
 *
 *     node packages/conformance/tests/campaigns/causes.ts [--only PART] [--every N]
 *
 * Prints each faulty server with more than two causes, each variant with one, each untrue accusation, and one line per group. Exit 1 if there
 * is such a server.
 */

import { type FaultName, faultTable } from '@cdn/emulator'
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { applicableMutants } from '../mutants/all.ts'
import { faultsOnOperations, judge, runsOnRight, variantServers } from '../mutants/causes.ts'

const values = scriptOptions({ only: { type: 'string', default: '' }, every: { type: 'string', default: '1' } })
const groups = {
  variants: variantServers(),
  faults: faultsOnOperations(Object.keys(faultTable) as FaultName[]),
  mutants: applicableMutants,
}
const right = await runsOnRight()
for (const [name, servers] of Object.entries(groups)) {
  const chosen = servers.filter(
    ({ id }, index) => `${name} ${id}`.includes(values.only) && index % Number(values.every) === 0,
  )
  const verdicts = []
  for (const server of chosen) {
    const verdict = await judge(server, right)
    verdicts.push(verdict)
    const { id, causes, untrue } = verdict
    if (causes.length <= (name === 'variants' ? 0 : 2) && untrue.length === 0) continue
    process.exitCode = 1
    console.log(`${id}: ${causes.length} causes: ${causes.join('; ')}; untrue: ${untrue.join(', ') || 'none'}`)
  }
  const tally = (of: readonly (number | string)[]) =>
    [...Map.groupBy(of, (one) => one)]
      .map(([one, all]) => `${all.length} with ${one}`)
      .toSorted()
      .join(', ')
  const seen = verdicts.filter(({ causes }) => causes.length > 0)
  console.log(
    `${name}: ${verdicts.length} servers, ${seen.length} seen; causes: ${tally(verdicts.map(({ causes }) => causes.length))}; ` +
      `${verdicts.filter(({ untrue }) => untrue.length > 0).length} accused of what they do not break; ` +
      `messages and issues of the first night: ${tally(seen.map(({ messages, issues }) => `${messages} and ${issues}`))}`,
  )
}
