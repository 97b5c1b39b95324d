// `npm start`: runs the conformance suite against the mock, the emulator and, if configured, the live platform.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, node, root } from './install.mjs'

ensureInstalled('run')

const live = ['CDN_FIXTURES', 'CDN_MANAGEMENT_URL', 'CDN_LOGGING_URL'].every((name) => process.env[name])
const targets = ['mock', 'emulator', ...(live ? ['live'] : [])]

const codes = targets.map((target) => {
  console.log(`\n=== Conformance: ${target} ===\n`)
  const suite = join(root, 'packages/conformance/src/bin.ts')
  const out = join(root, 'reports', target)
  const { status } = spawnSync(node(), [suite, 'run', '--target', target, '--out', out], { stdio: 'inherit' })
  return status ?? 130
})
// Exit code 1 (a target does not conform) takes precedence over the exit codes of runs that ended without a result.
process.exitCode = codes.includes(1) ? 1 : Math.max(...codes)
