import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A subject as JavaScript, which is what a package on npm holds. */
export interface Built {
  readonly file: string
  remove(): Promise<void>
}

/** What CommonJS in a bundle asks for. */
const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }

/** Builds `subjects/<name>.ts`: types that are stripped while a program runs cost it some 25 MiB. */
export async function buildSubject(name: string): Promise<Built> {
  const folder = await mkdtemp(join(tmpdir(), 'subject-'))
  const file = join(folder, `${name}.mjs`)
  const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  await build({
    entryPoints: [source],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    logLevel: 'error',
  })
  return { file, remove: () => rm(folder, { recursive: true }) }
}
