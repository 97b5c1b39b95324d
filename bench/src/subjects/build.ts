import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A subject that was compiled to JavaScript, like a published package. */
export interface Built {
  readonly file: string
  remove(): Promise<void>
}

/** Defines `require`, because CommonJS modules in the bundle need it. */
const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }

/** Builds `subjects/<name>.ts`. Without a build, Node would strip the types at run time, which needs about 25 MiB. */
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
