/** The checks as tests of other runners: the oldest and the newest vitest. Each writes reports and history. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runIn } from './run-in.ts'

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))
const passing = 'management.authentication.missing'
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adapters-'))
})
afterAll(() => rm(root, { recursive: true }))

async function project(name: string, packages: Readonly<Record<string, string>>, text: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(join(folder, 'node_modules/@cdn'), { recursive: true })
  for (const [own, installed] of Object.entries(packages))
    await symlink(join(modules, installed), join(folder, 'node_modules', own))
  await writeFile(join(folder, 'checks.test.mjs'), text)
  return folder
}

const deployment = JSON.stringify({ target: 'emulator', only: [passing] })
const suite = { '@cdn/conformance': '@cdn/conformance' }
const vitest = `import { afterAll, test } from 'vitest'
import { registerChecks } from '@cdn/conformance/vitest'
await registerChecks({ test, afterAll }, ${deployment})`

test.each([
  [
    'vitest 3',
    { ...suite, vitest: 'vitest3' },
    vitest,
    ['node_modules/vitest/vitest.mjs', 'run'],
    'vitest',
    /Tests +[1-9]\d* passed/,
  ],
  [
    'vitest 5',
    { ...suite, vitest: 'vitest' },
    vitest,
    ['node_modules/vitest/vitest.mjs', 'run'],
    'vitest',
    /Tests +[1-9]\d* passed/,
  ],
] as const)('%s', async (name, packages, text, args, out, passed) => {
  const folder = await project(name.replace(/\W/, '-'), packages, text)
  const { code, output } = runIn(folder, '.', args)
  expect(code, output).toBe(0)
  expect(output).toMatch(passed)
  expect(await readdir(join(folder, 'reports', out))).toContain('junit.xml')
  expect(JSON.parse(await readFile(join(folder, `reports/${out}.jsonl`), 'utf8'))).toMatchObject({
    kind: 'run',
    run: { status: 'complete', exitCode: 0, target: 'emulator' },
  })
})
