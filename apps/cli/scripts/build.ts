/** `pnpm build`: creates the shipped program in `dist/`: one entry, parts that are loaded on demand, and the manual page. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { build, type Plugin } from 'esbuild'
import { writeManualPage } from './man.ts'

const folder = join(import.meta.dirname, '..')

/**
 * Packages that are not bundled. jmespath: its licence (MPL) requires separate source. tab: its package has no licence text. The
 * emulator and the conformance suite are optional and loaded on demand.
 */
const external = ['@bomb.sh/tab', '@jmespath-community/jmespath', '@cdn/emulator', '@cdn/conformance']

/**
 * Keeps the entry small, so that `cdn --version` reads only one file. The entry includes only the version and the Node version
 * range from package.json. All other modules stay imports.
 */
const entryOnly: Plugin = {
  name: 'entry-only',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /package\.json$/ }, ({ path }) => {
      const { version, engines } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version, engines }), loader: 'json' }
    })
    onResolve({ filter: /^\.\/start\.ts$/ }, () => ({ path: './start.js', external: true }))
  },
}

/** Replacements for the Node modules that commander imports. */
const commanderImports: Readonly<Record<string, string>> = {
  // Commander uses this module only for commands in separate executables, which cdn does not have.
  'node:child_process':
    "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) }",
  'node:events': "export const { EventEmitter } = process.getBuiltinModule('node:events')",
  'node:fs': "export default process.getBuiltinModule('node:fs')",
  'node:path': "export default process.getBuiltinModule('node:path')",
  'node:process': 'export default process',
  'node:util': "export const { stripVTControlCharacters } = process.getBuiltinModule('node:util')",
}

/**
 * An import of a Node module evaluates all its exports, which loads unused modules: promises and streams for `fs`, workers for
 * `process`. That takes half of the time that commander adds to the start. `getBuiltinModule` avoids it.
 */
const lightImports: Plugin = {
  name: 'light-imports',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:/ }, ({ importer, path }) =>
      /[\\/]commander[\\/]/.test(importer) && path in commanderImports ? { path, namespace: 'light' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'light' }, ({ path }) => ({ contents: defined(commanderImports[path]) }))
  },
}

/**
 * Builds the program.
 *
 * @param outdir output folder; its content is removed
 */
export async function buildCli(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true })
  const shared = {
    absWorkingDir: folder,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    logLevel: 'warning',
  } as const
  // The entry reports a Node that is too old, so an old Node must be able to parse it.
  await build({ ...shared, target: 'node12.20', entryPoints: ['src/bin.ts'], plugins: [entryOnly] })
  const { metafile } = await build({
    ...shared,
    entryPoints: ['src/start.ts'],
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    external,
    plugins: [lightImports],
    metafile: true,
  })
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)))
}

/** The licence texts of the bundled packages. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []))
  const texts = [...packages].map((name) => {
    const root = join(folder, name)
    const file = readdirSync(root).find((entry) => /^licen[sc]e/i.test(entry))
    if (!file) throw new Error(`${name} is bundled but has no licence file`)
    return `${name.replace(/^.*node_modules\//, '')}\n\n${readFileSync(join(root, file), 'utf8').trim()}\n`
  })
  return texts.sort().join(`\n${'-'.repeat(80)}\n\n`)
}

if (import.meta.main) {
  await buildCli(join(folder, 'dist'))
  await writeManualPage(join(folder, 'dist/cdn.1'))
}
