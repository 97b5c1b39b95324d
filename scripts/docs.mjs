// `pnpm docs:build`: writes the reference of both interfaces to `dist/site/`: one page per interface, which loads no other files.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, node, root } from './install.mjs'

ensureInstalled('all')
const out = join(root, 'dist/site')
const redocly = join(root, 'specs/node_modules/@redocly/cli/bin/cli.js')
const interfaces = ['management', 'logging']

for (const name of interfaces) {
  const contract = join(root, `packages/api/src/gen/${name}.full.json`)
  const args = ['build-docs', contract, '--output', join(out, `${name}.html`), '--inlineBundle', '--lint-config', 'off']
  // Redocly does not run in `specs`, because the lint rules there are not for the generated contract.
  const options = { cwd: root, encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off' } }
  const { status, stdout, stderr } = spawnSync(node(), [redocly, ...args], options)
  if (status === 0) continue
  process.stderr.write(`${stdout}${stderr}`)
  process.exit(1)
}
const links = interfaces.map((name) => `<li><a href="${name}.html">${name}</a></li>`).join('')
writeFileSync(
  join(out, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Reference</title><ul>${links}</ul>\n`,
)
console.log('dist/site/index.html')
