// `pnpm generate`: generates all files that depend on specs/.
import { ensureInstalled, pnpm } from './install.mjs'

if (process.argv.length > 2) {
  console.error('pnpm generate takes no options. To import a contract, run pnpm import-contract FILE --as NAME.')
  process.exit(2)
}
ensureInstalled('all')
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', REDOCLY_TELEMETRY: 'off' }
const { status } = pnpm(['exec', 'turbo', 'run', 'generate', '--output-logs=errors-only'], { stdio: 'inherit', env })
process.exitCode = status ?? 1
