// `node scripts/exec.mjs TOOL ARGUMENTS`: installs missing dependencies, and runs a tool of the workspace.
import { ensureInstalled, pnpm } from './install.mjs'

ensureInstalled('all')
process.exitCode = pnpm(['exec', ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
