/**
 * Starts a live run against every mutant, with real sockets, simulated time, and the preflight. Prints which check of a live
 * run kills which mutant, and which mutants are detected only with a virtual clock. Exit 1 on a survivor, 2 if no mutant is selected.
 *
 *     node packages/conformance/tests/campaigns/live-mutants.ts [--only TEXT]
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { applicableMutants } from '../mutants/all.ts'
import { type LiveResult, passingOnLive, runLiveMutant } from '../mutants/live-mutants.ts'

const values = scriptOptions({ only: { type: 'string', default: '' } })
const selected = applicableMutants.filter(({ id }) => id.includes(values.only))
if (selected.length === 0) {
  console.error(`No mutant has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
const passing = await passingOnLive()
const results: LiveResult[] = []
for (const mutant of selected) {
  const seen = await runLiveMutant(mutant, passing)
  results.push(seen)
  console.log(`${seen.result.padEnd(13)}  ${seen.id}  ${seen.by.join(', ')}`)
}
const count = (of: LiveResult['result']) => results.filter(({ result }) => result === of).length
console.log(
  `${results.length} mutants: ${count('killed')} killed, ${count('late')} killed once the preflight is over, ` +
    `${count('virtual clock')} need a virtual clock, ${count('survives')} survive`,
)
process.exitCode = count('survives') > 0 ? 1 : 0
