// `pnpm import-contract FILE --as NAME`: imports an OpenAPI contract as an interface; see docs/extending.md.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, node, root } from './install.mjs'

ensureInstalled('all')
const script = join(root, 'specs/tools/scripts/import-contract.ts')
// The path of the contract is relative to the user's folder. pnpm runs scripts in the root and sets INIT_CWD to that folder.
// biome-ignore lint/suspicious/noUndeclaredEnvVars: no task of turbo reads it
const cwd = process.env.INIT_CWD ?? process.cwd()
const { status } = spawnSync(node, [script, ...process.argv.slice(2)], { stdio: 'inherit', cwd })
process.exitCode = status ?? 1
