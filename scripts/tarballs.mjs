// `pnpm tarballs`: builds and packs what is published, into dist/tarballs. `--no-check` leaves the types to another run.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, pnpm, root } from './install.mjs'

/** Each after those that it uses. */
const published = ['packages/api', 'packages/emulator', 'packages/conformance', 'apps/logs-exporter', 'apps/cli']

const out = join(root, 'dist/tarballs')
const unchecked = process.argv.includes('--no-check')

/** @param {string} folder of a package */
function build(folder) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [program, ...args] = scripts.build.split(' ')
  const compiler = ['node_modules/typescript/bin/tsc', ...args, ...(unchecked ? ['--noCheck'] : [])]
  return spawnSync(node, program === 'tsc' ? compiler : args, { cwd: folder, stdio: 'inherit' })
}

mkdirSync(out, { recursive: true })
for (const path of published) {
  const folder = join(root, path)
  for (const step of [() => build(folder), () => pnpm(['pack', '--pack-destination', out], { cwd: folder })]) {
    const { status, stderr } = step()
    if (status === 0) continue
    console.error(`${path} could not be packed.\n${stderr ?? ''}`)
    process.exit(1)
  }
}
console.log(out)
