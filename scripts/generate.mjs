// `pnpm generate`: generates all files that depend on specs/.
import { runTasks } from './turbo.mjs'

if (process.argv.length > 2) {
  console.error('pnpm generate takes no options.')
  process.exit(2)
}
process.exitCode = runTasks(['generate', '--output-logs=errors-only'])
