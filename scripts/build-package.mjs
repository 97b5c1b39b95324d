// `pnpm build` in the folder of a library: compiles the package into dist/, together with the modules that it uses of other packages
// of the workspace. These modules go to dist/NAME, and imports of `@cdn/NAME` refer to them. So each tarball installs alone, with its types.
// Arguments are passed to the compiler.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { root } from './install.mjs'

const folder = process.cwd()
const self = basename(folder)
const dist = join(folder, 'dist')
const emitted = join(folder, 'dist.tmp')

rmSync(dist, { recursive: true, force: true })
rmSync(emitted, { recursive: true, force: true })
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const args = [compiler, '--project', 'tsconfig.build.json']
const { status } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], { cwd: folder, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// The compiler writes each package to packages/NAME/src.
renameSync(join(emitted, 'packages', self, 'src'), dist)
for (const name of readdirSync(join(emitted, 'packages')))
  if (name !== self) renameSync(join(emitted, 'packages', name, 'src'), join(dist, name))
rmSync(emitted, { recursive: true })

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  if (/\.(js|d\.ts)$/.test(entry.name)) writeFileSync(file, withinDist(readFileSync(file, 'utf8'), dirname(file)))
}

/**
 * Replaces imports of packages of the workspace by imports of their copies in dist.
 *
 * @param {string} text text of a module
 * @param {string} from folder of the module
 */
function withinDist(text, from) {
  return text.replaceAll(
    /(?<=\b(?:from|import)\b[ (]*(['"]))@cdn\/(\w+)((?:\/[\w-]+)*)(?=\1)/g,
    (_match, _quote, name, path) => {
      const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
      const source = exports[`.${path}`] ?? exports['./*']?.replace('*', path.slice(1))
      const target = join(dist, name === self ? '' : name, String(source).replace('./src/', '').replace(/\.ts$/, '.js'))
      if (!existsSync(target)) throw new Error(`${from} imports @cdn/${name}${path}, which is not in dist`)
      const inside = relative(from, target).split(sep).join('/')
      return inside.startsWith('.') ? inside : `./${inside}`
    },
  )
}
