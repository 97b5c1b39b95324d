// `pnpm tarballs`: builds the published packages and packs them into dist/tarballs. Each tarball installs alone.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pnpm, root } from './install.mjs'

const out = join(root, 'dist/tarballs')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const path of ['packages/api', 'packages/emulator', 'packages/conformance', 'apps/logs-exporter', 'apps/cli']) {
  const cwd = join(root, path)
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const [, ...build] = scripts.build.split(' ')
  for (const step of [
    () => spawnSync(process.execPath, build, { cwd, stdio: 'inherit' }),
    () => pnpm(['pack', '--pack-destination', out], { cwd }),
  ]) {
    const { status, stderr } = step()
    if (status === 0) continue
    console.error(`Cannot pack ${path}.\n${stderr ?? ''}`)
    process.exit(1)
  }
}
console.log(out)
