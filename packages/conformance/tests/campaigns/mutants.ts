/**
 * `pnpm mutants [--json] [--only TEXT] [--every N]`: runs all checks against the mutants, and against each fault of the emulator on each
 * operation. `--only` selects ids that contain the text, and `--every` each Nth server. Prints which check kills which mutant, how many
 * causes the runs report, each server with more than two causes, and each untrue accusation. Exit 1 for such a server, for a mutant that
 * survives, or if all mutants ran and a check killed none. Exit 2 if no server is selected.
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { applicableMutants } from '../mutants/all.ts'
import { faultyServers } from '../mutants/faults.ts'
import { idleOf, matrixText, problemOf, runMatrix, survivorsOf, verdictCounts } from '../mutants/matrix.ts'

const values = scriptOptions({
  json: { type: 'boolean' },
  only: { type: 'string', default: '' },
  every: { type: 'string', default: '1' },
})
const isSelected = ({ id }: { id: string }, index: number) =>
  id.includes(values.only) && index % Number(values.every) === 0
const selected = [...applicableMutants.filter(isSelected), ...faultyServers.filter(isSelected)]
if (selected.length === 0) {
  console.error(`No mutant and no fault has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
// `mutants | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const onRow = (row: Parameters<typeof problemOf>[0]) => {
  const problem = problemOf(row)
  if (problem === undefined) return
  process.exitCode = 1
  console.error(problem)
}
const { mutants: rows, checks } = await runMatrix(selected, { onRow })
const faultIds = new Set(faultyServers.map(({ id }) => id))
const [mutants, faults] = [false, true].map((isFault) => rows.filter(({ id }) => faultIds.has(id) === isFault))
const isWhole = mutants?.length === applicableMutants.length
const matrix = { mutants: mutants ?? [], checks: checks.filter(({ kills }) => isWhole || kills.length > 0) }
const counts = `mutants: ${verdictCounts(mutants ?? [])}; faults: ${verdictCounts(faults ?? [])}`
process.stdout.write(values.json ? `${JSON.stringify(matrix, null, 2)}\n` : `${matrixText(matrix)}; ${counts}\n`)
if (survivorsOf(matrix).length + idleOf(matrix).length > 0) process.exitCode = 1
