import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defined } from '@cdn/kit/defined'
import { build } from 'esbuild'
import { type Each, mapEach } from '../map-each.ts'
import { digits, type Measurement, type Row } from '../row.ts'

/** The measured imports. `gzip` is the maximum bundle size in bytes, `ms` the maximum import time. */
const subjects = [
  { what: 'management client', code: "export { createManagementClient } from '@cdn/api'", gzip: 8_000, ms: 10 },
  {
    what: 'logging client and readLogs',
    code: "export { createLoggingClient, readLogs } from '@cdn/api'",
    gzip: 12_300,
    ms: 10,
  },
  { what: 'openapi-fetch bare', code: "export { default } from 'openapi-fetch'" },
  { what: 'ky', code: "export { default } from 'ky'" },
  { what: 'octokit core', code: "export * from '@octokit/core'" },
  { what: 'cloudflare', code: "export { default } from 'cloudflare'" },
]
const runs = 15

/** Measures how much the client and its peers add to the size of a minified bundle and to the start time of a program. */
export const clientSizes: Measurement = {
  name: 'client-sizes',
  async run() {
    const folder = mkdtempSync(join(import.meta.dirname, '../../.sizes-'))
    try {
      const bare = write(folder, 'bare', '')
      const programs = await Promise.all(
        subjects.map(async (subject) => ({ ...subject, code: await bundle(subject.code) })),
      )
      const files = programs.map(({ what, code }) => write(folder, what.replaceAll(' ', '-'), code))
      const [bareMs, ...times] = start([bare, ...files])
      return programs.map(({ what, code, gzip, ms }, index): Row => {
        const size = gzipSync(code, { level: 9 }).length
        const importMs = defined(times[index]) - bareMs
        return {
          what: `size and import: ${what}`,
          ours: `${digits(size)} bytes gzip, ${digits(importMs)} ms`,
          peer: `bare Node ${digits(bareMs)} ms`,
          bound: gzip ? `at most ${gzip} bytes and ${ms} ms` : 'informational',
          met: !gzip || (size <= gzip && importMs <= ms),
        }
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    write: false,
  })
  return defined(outputFiles[0]).text
}

function write(folder: string, name: string, code: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return file
}

/** Returns the fastest start of each program in milliseconds. The programs run alternately. */
function start<const Files extends readonly string[]>(files: Files): Each<Files, number> {
  const best = files.map(() => Number.POSITIVE_INFINITY)
  for (let run = 0; run < runs; run++) {
    for (const [index, file] of files.entries()) {
      const begun = performance.now()
      spawnSync(process.execPath, [file])
      best[index] = Math.min(defined(best[index]), performance.now() - begun)
    }
  }
  return mapEach(files, (_, index) => defined(best[index]))
}
