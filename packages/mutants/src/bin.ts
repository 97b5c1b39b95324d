// `pnpm mutants`: prints which check kills which mutant.
import { SuiteConfigurationError } from '@cdn/conformance'
import { runMutantsCommand } from './command.ts'

// `mutants | head` closes the pipe before everything is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await runMutantsCommand(process.argv.slice(2), process.stdout)
} catch (error) {
  if (!(error instanceof SuiteConfigurationError)) throw error
  process.stderr.write(`mutants: ${error.message}\n`)
  process.exitCode = 2
}
