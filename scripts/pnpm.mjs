// `node scripts/pnpm.mjs ARGUMENTS`: runs the pinned pnpm in the current folder, for tests.
import { pnpm } from './install.mjs'

process.exitCode = pnpm(process.argv.slice(2), { cwd: process.cwd(), stdio: 'inherit' }).status ?? 1
