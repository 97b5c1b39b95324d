// `node scripts/turbo.mjs TASK...`: runs tasks of all packages.
import { ensureInstalled, pnpm } from './install.mjs'

/**
 * Runs tasks of all packages with turbo. Neither turbo nor the tools that it starts send usage data.
 *
 * @param {string[]} args names of tasks, and options of turbo
 * @param {Record<string, string>} env more environment variables for the tasks
 * @returns {number} the exit code
 */
export function runTasks(args, env = {}) {
  ensureInstalled('all')
  const quiet = { TURBO_TELEMETRY_DISABLED: '1', REDOCLY_TELEMETRY: 'off' }
  const { status } = pnpm(['exec', 'turbo', 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...quiet, ...env },
  })
  return status ?? 1
}

if (process.argv[1] === import.meta.filename) process.exitCode = runTasks(process.argv.slice(2))
