import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Miniflare } from 'miniflare'
import { launchBrowser } from '../chromium.ts'
import type { Setting } from './suite.ts'

/** Error message by test name; empty for a passed test. */
export type Results = Record<string, string>

/** A JavaScript runtime in which the tests of the client run. */
export interface Runtime {
  readonly name: string
  /** Whether the runtime reports that a connection was refused. The client's README has the same information. */
  readonly provesUnsent: boolean
  /** @param code the suite as one module that exports `run` */
  run(code: string, setting: Setting): Promise<Results>
}

const require = createRequire(import.meta.url)
const inPackage = (name: string, file: string) => join(dirname(require.resolve(`${name}/package.json`)), file)

export const runtimes: readonly Runtime[] = [
  { name: 'Node 20', provesUnsent: true, run: process(inPackage('node20', 'bin/node')) },
  { name: 'Node 22', provesUnsent: true, run: process(inPackage('node22', 'bin/node')) },
  { name: 'Node 24', provesUnsent: true, run: process(globalThis.process.execPath) },
  { name: 'Bun', provesUnsent: true, run: process(inPackage('bun', 'bin/bun.exe')) },
  { name: 'Deno', provesUnsent: true, run: process(inPackage('deno', 'deno'), ['run', '--allow-net', '--allow-env']) },
  { name: 'workerd', provesUnsent: false, run: inWorker },
  { name: 'Chromium', provesUnsent: false, run: inBrowser },
]

function process(binary: string, flags: readonly string[] = []): Runtime['run'] {
  return async (code, setting) => {
    const folder = await mkdtemp(join(tmpdir(), 'runtime-'))
    const file = join(folder, 'suite.mjs')
    await writeFile(file, `${code}\nconsole.log(JSON.stringify(await run(${JSON.stringify(setting)})))\n`)
    try {
      // The environment is empty, because variables for Node must not reach the runtime.
      const { stdout } = await promisify(execFile)(binary, [...flags, file], { env: {}, timeout: 150_000 })
      return JSON.parse(stdout)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
}

async function inWorker(code: string, setting: Setting): Promise<Results> {
  const handler = 'export default { fetch: async (request) => Response.json(await run(await request.json())) }'
  const flare = new Miniflare({ modules: true, script: `${code}\n${handler}`, compatibilityDate: '2026-07-01' })
  try {
    const response = await flare.dispatchFetch('http://suite/', { method: 'POST', body: JSON.stringify(setting) })
    return JSON.parse(await response.text())
  } finally {
    await flare.dispose()
  }
}

async function inBrowser(_code: string, setting: Setting): Promise<Results> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`${setting.oddUrl}/`)
    // The code is a text, because vitest would rewrite an import inside a function.
    return await page.evaluate(`import('/suite.js').then(({ run }) => run(${JSON.stringify(setting)}))`)
  } finally {
    await browser.close()
  }
}
