// `npm start`: the conformance suite against the mock and the emulator, and against the live platform where it is configured.
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
  const { status } = spawnSync(node, [suite, 'run', '--target', target, '--out', out], { stdio: 'inherit' })
  return status ?? 130
})
// A target that does not conform outweighs one that could not be judged.
process.exitCode = codes.includes(1) ? 1 : Math.max(...codes)
