// `pnpm mutants [--json]`: runs all mutants and prints which check kills which. Exits with 1 if a mutant survives or a check is idle.
import { parseArgs } from 'node:util'
import { idleOf, matrixText, runMatrix, survivorsOf } from '../mutants/matrix.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
// `mutants | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const matrix = await runMatrix()
process.stdout.write(values.json ? `${JSON.stringify(matrix, null, 2)}\n` : matrixText(matrix))
process.exitCode = survivorsOf(matrix).length + idleOf(matrix).length === 0 ? 0 : 1
