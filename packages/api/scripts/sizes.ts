/**
 * Measures what the client adds to a program's bundle, and writes the table in README.md: `node scripts/sizes.ts`. Minified
 * sizes depend only on esbuild; gzip varies slightly with the zlib version, so the test allows 1 %.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defined } from '@cdn/kit/defined'
import { markdownTable } from '@cdn/kit/markdown-table'
import { type BuildResult, build, type PluginBuild } from 'esbuild'

const folder = join(import.meta.dirname, '..')
/** The file with the table, and the place of the table in it. */
export const readme = join(folder, 'README.md')
export const region = /(<!-- sizes -->\n)[\s\S]*?(\n<!-- \/sizes -->)/

const programs: Readonly<Record<string, string>> = {
  'management client': 'createManagementClient',
  'management client with every wrapper':
    'createManagementClient, withObserver, withTimeout, withIdleTimeout, withRetry, unwrap',
  'logging client, with its limiter': 'createLoggingClient',
  readLogFile: 'readLogFile',
  readLogs: 'readLogs',
  everything: '*',
}

/**
 * Bundles a program that imports from the client.
 *
 * @param names the names to import, or `*`
 * @param operations replaces the generated facts of the management interface's operations
 */
export function bundleProgram(
  names: string,
  operations?: object,
): Promise<BuildResult<{ metafile: true; write: false }>> {
  const what = names === '*' ? '*' : `{ ${names} }`
  const factsOf = (name: string) =>
    name === 'management' && operations ? { baseUrl: 'https://h.invalid', operations } : undefined
  return build({
    stdin: { contents: `export ${what} from './src/index.ts'`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    charset: 'utf8',
    metafile: true,
    write: false,
    plugins: [
      {
        name: 'facts',
        setup: ({ onLoad }: PluginBuild) =>
          onLoad({ filter: /\.client\.ts$/ }, ({ path }) => {
            const facts = factsOf(basename(path, '.client.ts'))
            return facts && { contents: `export const facts = ${JSON.stringify(facts)}` }
          }),
      },
    ],
  })
}

/** One line of the table; sizes in bytes. */
export type Size = ReturnType<typeof sizeOf>

/** @returns the sizes of a bundle */
export function sizeOf(program: string, { outputFiles }: BuildResult<{ write: false }>) {
  const bytes = defined(outputFiles[0]).contents
  return { program, minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }
}

export function measure(): Promise<Size[]> {
  return Promise.all(
    Object.entries(programs).map(async ([program, names]) => sizeOf(program, await bundleProgram(names))),
  )
}

function toTable(sizes: readonly Size[]): string {
  const inText = (bytes: number) => bytes.toLocaleString('en')
  const rows = sizes.map(({ program, minified, gzip }) => [program, inText(minified), inText(gzip)])
  return markdownTable(['imported', 'minified', 'gzip'], rows, [1, 2])
}

if (import.meta.main) {
  const text = await readFile(readme, 'utf8')
  const table = toTable(await measure())
  await writeFile(
    readme,
    text.replace(region, (_all, start, end) => `${start}${table}${end}`),
  )
  console.log(table)
}
