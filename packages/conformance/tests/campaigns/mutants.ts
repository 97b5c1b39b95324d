/**
 * `pnpm mutants [--json] [--only TEXT] [--every N]`: runs all checks against the mutants. `--only` selects ids that contain the text, and
 * `--every` each Nth mutant. Prints which check kills which mutant, how many causes the runs report, each mutant with more than two causes,
 * and each untrue accusation. Exit 1 for such a mutant, for one that survives, or if all mutants ran and a check killed none. Exit 2 if no
 * mutant is selected. `faults.ts` does the same for the faults of the emulator.
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { applicableMutants } from '../mutants/all-mutants.ts'
import { idleOf, matrixText, rowProblem, runMatrix, survivorsOf, verdictCounts } from '../mutants/matrix.ts'

const values = scriptOptions({
  json: { type: 'boolean' },
  only: { type: 'string', default: '' },
  every: { type: 'string', default: '1' },
})
const isSelected = ({ id }: { id: string }, index: number) =>
  id.includes(values.only) && index % Number(values.every) === 0
const selected = applicableMutants.filter(isSelected)
if (selected.length === 0) {
  console.error(`No mutant has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
// `mutants | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const onRow = (row: Parameters<typeof rowProblem>[0]) => {
  const problem = rowProblem(row)
  if (problem === undefined) return
  process.exitCode = 1
  console.error(problem)
}
const { mutants, checks } = await runMatrix(selected, { onRow })
const isWhole = mutants.length === applicableMutants.length
const matrix = { mutants, checks: checks.filter(({ kills }) => isWhole || kills.length > 0) }
const counts = verdictCounts(mutants)
process.stdout.write(values.json ? `${JSON.stringify(matrix, null, 2)}\n` : `${matrixText(matrix)}; ${counts}\n`)
if (survivorsOf(matrix).length + idleOf(matrix).length > 0) process.exitCode = 1
