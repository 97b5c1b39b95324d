import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A change of the source, as a mistake would make it. */
export interface Mutation {
  /** The file, relative to `src/logs`. */
  readonly file: string
  /** Text that stands in it once, and what stands there instead. */
  readonly from: string
  readonly to: string
}

const source = new URL('../../src/logs/', import.meta.url)

/**
 * Loads a module whose source was changed.
 *
 * @param entry the module, relative to `src/logs`
 * @returns its exports
 * @throws Error where the text does not stand in the file exactly once: then the test looks at nothing
 */
export async function loadMutant<Module>(entry: string, { file, from, to }: Mutation): Promise<Module> {
  const path = fileURLToPath(new URL(file, source))
  const text = await readFile(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must hold this once: ${from}`)
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, source))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, (module) =>
            module.path === path ? { contents: text.replace(from, () => to), loader: 'ts' } : undefined,
          ),
      },
    ],
  })
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}
