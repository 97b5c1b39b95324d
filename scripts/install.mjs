// Installs what is missing, and nothing when nothing is. Plain JavaScript: the machine's own Node may be 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The Node that the workspace installs; everything but these scripts runs on it. */
export const node = join(root, 'node_modules/node/bin/node')

const stampFile = join(root, 'node_modules/.installed.json')
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What a conformance run needs: no compiler, no linter, no generator. */
const runOnly = ['--prod', '--filter', 'cdn-toolkit', '--filter', '@cdn/conformance...']

/**
 * Runs pnpm in the version that the repository pins; a bare machine has none. A version never changes, so what npm has in
 * its cache will do.
 *
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function pnpm(args, options = {}) {
  return spawnSync('npx', ['--yes', '--prefer-offline', packageManager, ...args], {
    cwd: root,
    encoding: 'utf8',
    ...options,
  })
}

/**
 * Makes sure that the dependencies are there.
 *
 * @param {'run' | 'all'} scope what a conformance run needs, or everything
 */
export function ensureInstalled(scope) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
  const stamp = readStamp()
  if (stamp.lock === lock && (stamp.scope === 'all' || stamp.scope === scope) && existsSync(node)) return
  process.stderr.write('Installing dependencies …\n')
  const { status, stdout, stderr, error } = pnpm(['install', '--frozen-lockfile', ...(scope === 'run' ? runOnly : [])])
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
    process.stderr.write('The dependencies could not be installed; the lines above say why.\n')
    process.exit(2)
  }
  writeFileSync(stampFile, JSON.stringify({ lock, scope }))
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}
