/** `pnpm build`: the program as it is shipped, one entry and parts that are loaded when they are needed, in `dist/`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const folder = join(import.meta.dirname, '..')

/** Stays a dependency: its licence (MPL) asks for its source in its own form. The other two are loaded when called. */
const external = ['@jmespath-community/jmespath', '@cdn/emulator', '@cdn/conformance']

/**
 * What the entry is made of: of the package's description the version alone, and everything else by its name only, so that
 * nothing but one small file is read for `cdn --version`.
 */
const entryOnly: Plugin = {
  name: 'entry-only',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
    onResolve({ filter: /^\.\/start\.ts$/ }, () => ({ path: './start.js', external: true }))
  },
}

/**
 * Builds the program.
 *
 * @param outdir where to; what is there is removed
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
  await build({ ...shared, entryPoints: ['src/bin.ts'], plugins: [entryOnly] })
  const { metafile } = await build({
    ...shared,
    entryPoints: ['src/start.ts'],
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    external,
    metafile: true,
  })
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)))
}

/** The licence texts of what is bundled. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []))
  const texts = [...packages].map((name) => {
    const root = join(folder, name)
    const file = readdirSync(root).find((entry) => /^licen[sc]e/i.test(entry))
    if (!file) throw new Error(`${name} is bundled and has no licence file`)
    return `${name.replace(/^.*node_modules\//, '')}\n\n${readFileSync(join(root, file), 'utf8').trim()}\n`
  })
  return texts.sort().join(`\n${'-'.repeat(80)}\n\n`)
}

if (import.meta.main) await buildCli(join(folder, 'dist'))
