// `pnpm contract:diff [REF]`: rates each change of the contract since a commit, by default the last release of @cdn/api, or HEAD before
// the first release. Redocly cannot rate all changes: read the others in `git diff REF -- packages/api/src/gen`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, root } from './install.mjs'

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout
const ref = process.argv[2] ?? (git('tag', '--list', '@cdn/api@*', '--sort=-creatordate').split('\n')[0] || 'HEAD')
const fileOf = (name) => `packages/api/src/gen/${name}.full.json`
if (!git('show', `${ref}:${fileOf('logging')}`)) {
  console.error(`${ref} has no contract: expected a commit or a tag, such as origin/main.`)
  process.exit(2)
}
const folder = join(root, 'dist/contract')
mkdirSync(folder, { recursive: true })
const [config, before] = [join(folder, 'redocly.yaml'), join(folder, 'before.json')]
writeFileSync(config, 'extends: [diff-recommended]\n')
for (const name of ['management', 'logging']) {
  writeFileSync(before, git('show', `${ref}:${fileOf(name)}`))
  const redocly = join(root, 'specs/node_modules/@redocly/cli/bin/cli.js')
  const args = [redocly, 'diff', before, join(root, fileOf(name)), '--config', config, '--fail-on', 'none']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  process.exitCode ||= spawnSync(node(), args, { stdio: 'inherit', env }).status ?? 1
}
