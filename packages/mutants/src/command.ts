import { SuiteConfigurationError } from '@cdn/conformance'
import { idleOf, type Matrix, runMatrix, survivorsOf } from './matrix.ts'

/**
 * `pnpm mutants [--json | --help]`: runs all mutants and prints which check kills which mutant.
 *
 * @param args the arguments of the command
 * @returns 0, or 1 if a mutant survives or a check is idle
 * @throws SuiteConfigurationError for an unknown option
 */
export async function runMutantsCommand(
  args: readonly string[],
  out: { write(text: string): unknown },
): Promise<number> {
  if (args.includes('--help')) {
    out.write(
      'Usage: pnpm mutants [--json]\nRuns all mutants, and prints which check kills which. Exit 1 if one survives.\n',
    )
    return 0
  }
  const strange = args.find((arg) => arg !== '--json')
  if (strange !== undefined) throw new SuiteConfigurationError(`Unknown option ${strange}; expected --json.`)
  const matrix = await runMatrix()
  out.write(args.includes('--json') ? `${JSON.stringify(matrix, null, 2)}\n` : matrixText(matrix))
  return survivorsOf(matrix).length + idleOf(matrix).length === 0 ? 0 : 1
}

/** Returns the matrix as text: one line per mutant and per check, then survivors and idle checks, then the figures. */
export function matrixText(matrix: Matrix): string {
  const { mutants, checks } = matrix
  const survivors = survivorsOf(matrix)
  const idle = idleOf(matrix)
  const exempt = checks.filter((check) => check.exempt !== undefined)
  return [
    'Mutants and the checks that kill them',
    ...mutants.map(({ id, text, killedBy }) => `  ${id}  ${text}\n      ${killedBy.join(', ') || 'SURVIVES'}`),
    'Checks and how many mutants they kill',
    ...checks.map(({ id, kills, exempt: reason }) => `  ${String(kills.length).padStart(4)}  ${id}${because(reason)}`),
    ...survivors.map(({ id, breaks }) => `Survivor: ${id}, which breaks ${breaks.join(', ')}`),
    ...idle.map(({ id }) => `Idle: ${id}`),
    `${mutants.length} mutants, ${survivors.length} survive; ${checks.length} checks, ${idle.length} idle, ${exempt.length} exempt`,
    '',
  ].join('\n')
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `  (${reason})`
}
