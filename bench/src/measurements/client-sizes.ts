import { gzipSync } from 'node:zlib'
import { assertDefined } from '@cdn/kit/assert-defined'
import { build } from 'esbuild'
import { digits, type Measurement, type Row } from '../row.ts'

/** The measured imports. `gzip` is the maximum size of the compressed bundle in bytes; without it, the size is informational. */
const bundles = [
  {
    what: 'management client with its defaults',
    code: "export { createManagementClient } from '@cdn/api'",
    gzip: 11_500,
  },
  {
    what: 'logging client and readLogs',
    code: "export { createLoggingClient, readLogs } from '@cdn/api'",
    gzip: 15_000,
  },
  { what: 'openapi-fetch bare', code: "export { default } from 'openapi-fetch'" },
  { what: 'ky', code: "export { default } from 'ky'" },
  { what: 'octokit core', code: "export * from '@octokit/core'" },
  { what: 'cloudflare', code: "export { default } from 'cloudflare'" },
]

/** Measures the size of a minified and compressed bundle with the client or with one of its peers. */
export const clientSizes: Measurement = {
  name: 'client-sizes',
  async run() {
    const rows = bundles.map(async ({ what, code, gzip }): Promise<Row> => {
      const size = await sizeOf(code)
      return {
        what: `size: ${what}`,
        ours: `${digits(size)} bytes gzip`,
        peer: gzip ? `without openapi-fetch ${digits(await sizeOf(code, ['openapi-fetch']))} bytes` : '',
        bound: gzip ? `at most ${gzip} bytes` : 'informational',
        met: !gzip || size <= gzip,
      }
    })
    return Promise.all(rows)
  },
}

async function sizeOf(contents: string, external: string[] = []): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    write: false,
    external,
  })
  return gzipSync(assertDefined(outputFiles[0]).contents, { level: 9 }).length
}
