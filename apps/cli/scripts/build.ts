/** `pnpm build`: creates the shipped program in `dist/`: one entry, and parts that are loaded on demand. */
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { buildBundle } from '../../../scripts/bundle.ts'

const folder = join(import.meta.dirname, '..')

/** Packages that are not bundled. jmespath: its licence (MPL) requires separate source. tab: its package has no licence text. */
const external = ['@bomb.sh/tab', '@jmespath-community/jmespath']

/**
 * An import of a Node module evaluates all its exports, which loads unused modules: promises and streams for `fs`, workers for
 * `process`. That takes half of the time that commander adds to the start. `getBuiltinModule` avoids it.
 */
const lightImports: Plugin = {
  name: 'light-imports',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:/ }, ({ importer, path }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path, namespace: 'light' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'light' }, ({ path }) => {
      const builtIn = `process.getBuiltinModule('${path}')`
      // Commander uses this module only for commands in separate executables, which cdn does not have.
      const isUnused = path === 'node:child_process'
      const contents = isUnused
        ? `export default { spawn: (...args) => ${builtIn}.spawn(...args) }`
        : `const builtIn = ${builtIn}
export default builtIn
export const { EventEmitter, stripVTControlCharacters } = builtIn`
      return { contents }
    })
  },
}

/**
 * Builds the program.
 *
 * @param outdir output folder; its content is removed
 */
export function buildCli(outdir: string): Promise<void> {
  return buildBundle({ folder, outdir, main: './main.ts', external, plugins: [lightImports], minify: true })
}

if (import.meta.main) await buildCli(join(folder, 'dist'))
