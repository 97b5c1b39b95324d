// `pnpm generate`: whatever is made of the specs. `--import FILE` brings in a contract that others wrote first.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, node, pnpm, root } from './install.mjs'

const [option, file, ...rest] = process.argv.slice(2)
if (option !== undefined && (option !== '--import' || file === undefined || rest.length > 0)) {
  console.error('pnpm generate knows one option, --import FILE, with an OpenAPI file.')
  process.exit(2)
}
ensureInstalled('all')
if (file !== undefined) {
  const { status } = spawnSync(node, [join(root, 'specs/scripts/import.ts'), file], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', REDOCLY_TELEMETRY: 'off' }
const { status } = pnpm(['exec', 'turbo', 'run', 'generate', '--output-logs=errors-only'], { stdio: 'inherit', env })
process.exitCode = status ?? 1
