import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** A program to bundle, and options of the bundle. */
export interface ProgramBundle {
  /** Folder of the package. Its entry is `src/bin.ts`. */
  readonly folder: string
  /** Output folder; its content is removed. */
  readonly outdir: string
  /** The module that the entry imports after it has checked the version of Node: a path from `src`, such as `./cli/main.ts`. */
  readonly main: string
  /** Packages that are not bundled: the bundle imports them. */
  readonly external?: string[]
  readonly minify?: boolean
}

/**
 * Bundles a program with its dependencies: `bin.js`, the main module, parts that are loaded on demand, and `LICENSES.txt` with the
 * licences of the bundled packages.
 *
 * @throws Error if a module cannot be bundled, or if a bundled package has no licence text and is neither Apache-2.0 nor MIT
 */
export async function buildBundle(program: ProgramBundle): Promise<void> {
  const { folder, outdir, main, external = [], minify = false } = program
  rmSync(outdir, { recursive: true, force: true })
  const shared = { ...forNode, absWorkingDir: folder, outdir, outbase: 'src', minify } as const
  // The entry reports a Node that is too old, so an old Node must be able to parse it.
  const entryOnly: Plugin = {
    name: 'entry-only',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path }) =>
        path === main ? { path: path.replace(/\.ts$/, '.js'), external: true } : undefined,
      )
    },
  }
  await build({ ...shared, target: 'node12.20', entryPoints: ['src/bin.ts'], plugins: [entryOnly] })
  const { metafile } = await build({
    ...shared,
    target: 'node22',
    entryPoints: [join('src', main)],
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    external,
    metafile: true,
    banner: withRequire,
  })
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf(folder, Object.keys(metafile.inputs)))
}

const forNode = { bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' } as const
/**
 * CommonJS packages load Node's modules with `require`, which an ES module does not have. `globalThis.process` is needed, because a
 * bundled module may have a variable `process` of its own.
 */
const withRequire = {
  js: "const require = globalThis.process.getBuiltinModule('node:module').createRequire(import.meta.url)",
}

/** Bundles a script with its dependencies, for processes that are started often. @param external packages that are not bundled */
export async function bundleScript(file: string, outdir: string, external: string[] = []): Promise<void> {
  await build({ ...forNode, entryPoints: [file], outdir, splitting: true, external, banner: withRequire })
}

function licencesOf(folder: string, inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []))
  const texts = [...packages].map(
    (path) => `${path.replace(/^.*node_modules\//, '')}\n\n${licenceOf(join(folder, path))}\n`,
  )
  return texts.sort().join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the licence of a package: its file, the text of its README from the licence heading on, or a line from its manifest. */
function licenceOf(folder: string): string {
  const files = readdirSync(folder)
  const file = files.find((entry) => /^licen[sc]e/i.test(entry))
  if (file) return readFileSync(join(folder, file), 'utf8').trim()
  const readme = files.find((entry) => /^readme/i.test(entry))
  const [section] = (readme && /^#+ licen[sc]e$.*/ims.exec(readFileSync(join(folder, readme), 'utf8'))) || []
  if (section && /Permission is hereby granted/.test(section)) return section.trim()
  const { license, author, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (license !== 'Apache-2.0' && license !== 'MIT') throw new Error(`${folder} is bundled but has no licence text`)
  return `${license} (text: see the other packages), by ${author?.name ?? author}, ${repository?.url}`
}
