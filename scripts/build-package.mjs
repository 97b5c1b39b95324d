// `pnpm build` in the folder of a package: compiles the package into dist/. packages/kit is not published, so the modules of
// packages/kit that the package uses are copied into dist/kit. Arguments are passed to the compiler.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { root } from './install.mjs'

const folder = process.cwd()
const dist = join(folder, 'dist')
const kit = join(root, 'packages/kit')
const usesKit = '@cdn/kit' in (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies ?? {})

/** @param {string} cwd folder of the package */
function compile(cwd) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '--project', 'tsconfig.build.json', ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

rmSync(dist, { recursive: true, force: true })
if (usesKit) compile(kit)
compile(folder)
if (usesKit) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (/\.(js|d\.ts)$/.test(entry.name)) writeFileSync(file, withinDist(readFileSync(file, 'utf8'), dirname(file)))
  }
}

/**
 * Replaces imports of packages/kit by imports of the copy in dist/kit.
 *
 * @param {string} text text of a module
 * @param {string} from folder of the module
 */
function withinDist(text, from) {
  return text.replaceAll(/(['"])@cdn\/kit\/([\w-]+)\1/g, (_match, quote, name) => {
    const target = join(dist, 'kit', `${name}.js`)
    if (!existsSync(join(kit, 'dist', `${name}.js`))) throw new Error(`packages/kit has no ${name}`)
    for (const end of ['.js', '.js.map', '.d.ts']) cpSync(join(kit, 'dist', name + end), join(dist, 'kit', name + end))
    const path = relative(from, target).split(sep).join('/')
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
}
