// `pnpm tarballs`: builds the published packages and packs them into dist/tarballs. `--no-check` skips the type check.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, pnpm, root } from './install.mjs'

/** Published packages, each after its dependencies. */
const published = ['packages/api', 'packages/emulator', 'packages/conformance', 'apps/logs-exporter', 'apps/cli']

const out = join(root, 'dist/tarballs')
const unchecked = process.argv.includes('--no-check')

/** @param {string} folder folder of a package */
function build(folder) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [, ...args] = scripts.build.split(' ')
  return spawnSync(node, [...args, ...(unchecked ? ['--noCheck'] : [])], { cwd: folder, stdio: 'inherit' })
}

mkdirSync(out, { recursive: true })
for (const path of published) {
  const folder = join(root, path)
  for (const step of [() => build(folder), () => pnpm(['pack', '--pack-destination', out], { cwd: folder })]) {
    const { status, stderr } = step()
    if (status === 0) continue
    console.error(`Cannot pack ${path}.\n${stderr ?? ''}`)
    process.exit(1)
  }
}
console.log(out)
