// `pnpm contract:diff [REF]`: rates each change of the contract since a commit, by default the last release of @cdn/api. What Redocly
// cannot rate is read in `git diff REF -- packages/api/src/gen`.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node, root } from './install.mjs'

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
const ref = process.argv[2] ?? (git('tag', '--list', '@cdn/api@*', '--sort=-creatordate').split('\n')[0] || 'HEAD')
const folder = mkdtempSync(join(tmpdir(), 'contract-'))
writeFileSync(join(folder, 'redocly.yaml'), 'extends: [diff-recommended]\n')
for (const name of ['management', 'logging']) {
  const file = `packages/api/src/gen/${name}.full.json`
  const [before, after] = [join(folder, `${name}.json`), join(root, file)]
  writeFileSync(before, git('show', `${ref}:${file}`))
  const args = ['diff', before, after, '--config', join(folder, 'redocly.yaml'), '--fail-on', 'none']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const redocly = join(root, 'specs/node_modules/@redocly/cli/bin/cli.js')
  console.log(`\n${name}, since ${ref}:`)
  process.exitCode ||= spawnSync(node, [redocly, ...args], { stdio: 'inherit', env }).status ?? 1
}
rmSync(folder, { recursive: true })
