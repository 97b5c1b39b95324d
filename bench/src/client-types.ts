import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defined } from '@cdn/kit/defined'
import { type Each, mapEach } from './rates.ts'
import { digits, type Measurement } from './row.ts'

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const operations = 100
const rounds = 5

/** Measures the time of `tsc` for calls of a contract with 100 operations, and compares it with bare openapi-fetch. */
export const clientTypes: Measurement = {
  name: 'client-types',
  async run() {
    const folder = mkdtempSync(join(import.meta.dirname, '../.types-'))
    try {
      // The compiler reads the declarations of the published package and does not check its sources.
      run(
        [fileURLToPath(new URL('../../scripts/build-package.mjs', import.meta.url))],
        join(folder, '../../packages/api'),
      )
      write(folder, 'contract.ts', contract())
      write(folder, 'ours.ts', `${ours}${calls}`)
      write(folder, 'bare.ts', `${bare}${calls}`)
      const [our, theirs] = compile(folder, ['ours', 'bare'])
      return [
        {
          what: `tsc, calls of a contract of ${operations} operations`,
          ours: `${digits(our)} s`,
          peer: `openapi-fetch bare ${digits(theirs)} s`,
          bound: 'at most 0.3 s more',
          met: our - theirs <= 0.3,
        },
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

const ours = `import type { Client } from 'openapi-fetch'
import { unwrap } from '../../packages/api/dist/index.js'
import type { paths } from './contract.ts'
declare const client: Client<paths>
export const name = (await unwrap(client.GET('/area1/{id}/thing', { params: { path: { id: 1 } } }))).Name
`
const bare = `import type { Client } from 'openapi-fetch'
import type { paths } from './contract.ts'
declare const client: Client<paths>
`
const calls = `const params = { path: { id: 1 } }
export const a = (await client.GET('/area0/{id}/thing', { params })).data?.Name
export const b = (await client.GET('/area42/{id}/thing', { params })).data?.Name
export const c = await client.POST('/area7/{id}/thing', { params, body: { Hostname: 'a' } })
export const d = await client.DELETE('/area24/{id}/thing', { params })
`

/** Generates paths in the form of openapi-typescript. */
function contract(): string {
  const response = 'headers: { [name: string]: unknown }'
  const methods = ['get', 'post', 'delete'].map((method) => {
    const content = method === 'get' ? 'content: { "application/json": Record }' : 'content?: never'
    const body =
      method === 'post'
        ? 'requestBody: { content: { "application/json": { Hostname: string } } }'
        : 'requestBody?: never'
    const parameters = 'parameters: { query?: never; header?: never; path: { id: number | bigint }; cookie?: never }'
    return `${method}: { ${parameters}; ${body}; responses: { 200: { ${response}; ${content} }; 404: { ${response}; content?: never } } }`
  })
  const paths = Array.from(
    { length: operations },
    (_, n) =>
      `"/area${n}/{id}/thing": { ${methods.join('; ')}; put?: never; options?: never; head?: never; patch?: never; trace?: never }`,
  )
  return `interface Record { Id: number | bigint; Name: string | null }\nexport interface paths {\n${paths.join('\n')}\n}\n`
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

/** Returns the fastest compilation of each program in seconds. The programs are compiled alternately. */
function compile<const Names extends readonly string[]>(folder: string, names: Names): Each<Names, number> {
  const best = names.map(() => Number.POSITIVE_INFINITY)
  for (const name of names) {
    const config = { extends: '../../tsconfig.base.json', compilerOptions: { types: [] }, files: [`${name}.ts`] }
    write(folder, `tsconfig.${name}.json`, JSON.stringify(config))
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, name] of names.entries()) {
      const begun = performance.now()
      run([tsc, '--project', join(folder, `tsconfig.${name}.json`)])
      best[index] = Math.min(defined(best[index]), (performance.now() - begun) / 1000)
    }
  }
  return mapEach(names, (_, index) => defined(best[index]))
}

function run(args: readonly string[], cwd?: string): void {
  const { status, stdout } = spawnSync(process.execPath, args, { cwd })
  if (status !== 0) throw new Error(String(stdout))
}
