/**
 * `pnpm mutants [--json] [--only TEXT]`: runs the mutants whose ids contain the text, by default all, and prints which check kills
 * which. Exit 1 if a mutant survives, or if all ran and a check is idle: a check that kills no mutant shows nothing. Exit 2 if no
 * mutant is selected.
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { applicableMutants } from '../mutants/all.ts'
import { idleOf, matrixText, runMatrix, survivorsOf } from '../mutants/matrix.ts'

const values = scriptOptions({ json: { type: 'boolean' }, only: { type: 'string', default: '' } })
const selected = applicableMutants.filter(({ id }) => id.includes(values.only))
if (selected.length === 0) {
  console.error(`No mutant has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
// `mutants | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const { mutants, checks } = await runMatrix(selected)
const isWhole = selected.length === applicableMutants.length
const matrix = { mutants, checks: checks.filter(({ kills }) => isWhole || kills.length > 0) }
process.stdout.write(values.json ? `${JSON.stringify(matrix, null, 2)}\n` : matrixText(matrix))
process.exitCode = survivorsOf(matrix).length + idleOf(matrix).length === 0 ? 0 : 1
