/**
 * Measures what the client adds to a program's bundle, and writes the table into README.md: `node scripts/sizes.ts`.
 * Minified sizes depend on esbuild alone; gzip differs a little from one zlib to another, so a test compares it to 1 %.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildResult, build, type PluginBuild } from 'esbuild'

const folder = join(import.meta.dirname, '..')
const readme = join(folder, 'README.md')
const region = /(<!-- sizes -->\n)[\s\S]*?(\n<!-- \/sizes -->)/

/** What programs import, by name. */
const programs: Readonly<Record<string, string>> = {
  'management client': 'createManagementClient',
  'management client with every middleware': 'createManagementClient, retry, timeout, hooks, unwrap',
  'logging client, with its limiter': 'createLoggingClient',
  readLogFile: 'readLogFile',
  readLogs: 'readLogs',
  everything: '*',
}

/** One line of the table; sizes in bytes. */
export interface Size {
  readonly program: string
  readonly minified: number
  readonly gzip: number
}

/**
 * Bundles a program that imports from the client.
 *
 * @param names what it imports, or `*`
 * @param effects replaces the generated list of reads
 */
export function bundle(
  names: string,
  effects?: readonly string[],
): Promise<BuildResult<{ metafile: true; write: false }>> {
  const what = names === '*' ? '*' : `{ ${names} }`
  return build({
    stdin: { contents: `export ${what} from './src/index.ts'`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    charset: 'utf8',
    metafile: true,
    write: false,
    plugins: effects
      ? [
          {
            name: 'effects',
            setup: ({ onLoad }: PluginBuild) =>
              onLoad({ filter: /management\.effects\.ts$/ }, () => ({
                contents: `export const reads = ${JSON.stringify(effects)}`,
              })),
          },
        ]
      : [],
  })
}

/** @returns the sizes of a bundle */
export function sizeOf(program: string, { outputFiles }: BuildResult<{ write: false }>): Size {
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  return { program, minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }
}

/** Measures all programs. */
export function measure(): Promise<Size[]> {
  return Promise.all(Object.entries(programs).map(async ([program, names]) => sizeOf(program, await bundle(names))))
}

/** Reads the table of the README. */
export async function readSizes(): Promise<Size[]> {
  const table = region.exec(await readFile(readme, 'utf8'))?.[0] ?? ''
  return [...table.matchAll(/^\| (.+?) +\| +([\d,]+) \| +([\d,]+) \|$/gm)].map(([, program = '', minified, gzip]) => ({
    program,
    minified: toNumber(minified),
    gzip: toNumber(gzip),
  }))
}

function toNumber(text = ''): number {
  return Number(text.replaceAll(',', ''))
}

function toTable(sizes: readonly Size[]): string {
  const width = Math.max(...sizes.map(({ program }) => program.length))
  const line = (program: string, minified: string, gzip: string) =>
    `| ${program.padEnd(width)} | ${minified.padStart(8)} | ${gzip.padStart(6)} |`
  return [
    line('imported', 'minified', 'gzip'),
    line('-'.repeat(width), '-------:', '-----:'),
    ...sizes.map(({ program, minified, gzip }) =>
      line(program, minified.toLocaleString('en'), gzip.toLocaleString('en')),
    ),
  ].join('\n')
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
