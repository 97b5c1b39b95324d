// Installs missing dependencies. Plain JavaScript, because the machine's Node may be version 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Path of the Node that the workspace installs. It runs the programs and tests; the machine's Node runs only these scripts. */
const ownNode = join(root, 'node_modules/node/bin/node')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
/** Whether the machine's Node can run the suite, so that no other Node must be installed for it. Prism requires this version. */
const isRecent = major > 24 || (major === 24 && minor >= 18)

/** Returns the path of the Node that runs the programs: the workspace's, or else the machine's. Call it after `ensureInstalled`. */
export function node() {
  return existsSync(ownNode) ? ownNode : process.execPath
}

const stampFile = join(root, 'node_modules/.installed.json')
/** The pinned pnpm without its hash: Corepack compares the hash, but npx accepts only a name and a version. */
const [packageManager] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.split('+')

/** Arguments that install only the dependencies of a conformance run, without compiler, linter and generators. */
const runOnly = [
  ...['--prod', '--filter', 'cdn-toolkit', '--filter', '@cdn/conformance...'],
  ...(isRecent ? ['--no-optional'] : []),
]

/**
 * Runs the pinned version of pnpm. The machine may not have pnpm, so npx installs it. npx uses its cache if possible
 * (`--prefer-offline`), because a published version never changes. If the pinned pnpm itself runs this script, it is used directly:
 * this saves the seconds that npx needs.
 *
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function pnpm(args, options = {}) {
  const { npm_execpath: running = '', npm_config_user_agent: agent = '' } = process.env
  const isPinned = agent.startsWith(`${packageManager.replace('@', '/')} `) && existsSync(running)
  const [command, ...first] = !isPinned
    ? ['npx', '--yes', '--prefer-offline', packageManager]
    : /\.[cm]?js$/.test(running)
      ? [process.execPath, running]
      : [running]
  return spawnSync(command, [...first, ...args], { cwd: root, encoding: 'utf8', ...options })
}

/**
 * Installs the dependencies of a scope if they are missing or the lockfile has changed. Exits with code 2 if that fails.
 *
 * @param {'run' | 'all'} scope `run`: the dependencies of a conformance run; `all`: all dependencies
 */
export function ensureInstalled(scope) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex')
  const stamp = readStamp()
  if (stamp.lock === lock && (stamp.scope === 'all' || stamp.scope === scope) && hasNode(scope)) return
  process.stderr.write('Installing dependencies …\n')
  // If the user ran `pnpm install`, all dependencies may be there, and an installation of the smaller set would remove some.
  const isSmall = scope === 'run' && (stamp.scope === 'run' || !existsSync(join(root, 'node_modules')))
  const { status, stdout, stderr, error } = pnpm(['install', '--frozen-lockfile', ...(isSmall ? runOnly : [])])
  if (status !== 0) {
    process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
    process.stderr.write('Cannot install the dependencies; see the output above.\n')
    process.exit(2)
  }
  writeFileSync(stampFile, JSON.stringify({ lock, scope: isSmall ? 'run' : 'all' }))
}

function hasNode(scope) {
  return existsSync(ownNode) || (scope === 'run' && isRecent)
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}
