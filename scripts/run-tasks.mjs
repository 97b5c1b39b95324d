// `node scripts/run-tasks.mjs TASK...`: runs tasks of all packages.
import { runTasks } from './turbo.mjs'

process.exitCode = runTasks(process.argv.slice(2))
