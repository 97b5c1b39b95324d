/** After the import of an interface with its own host, base path, credentials and media types, all checks still pass. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { compile, evaluate, runIn } from '../run-in.ts'

let sandbox: Sandbox
let said: string
beforeAll(() => {
  sandbox = createSandbox()
  said = importParcels()
}, 300_000)
afterAll(() => sandbox.close())

function importParcels(...options: string[]): string {
  const file = join(import.meta.dirname, 'parcels.yaml')
  const script = 'specs/tools/scripts/import-contract.ts'
  const { code, output } = runIn(sandbox.folder, '.', [script, file, '--as', 'parcels', ...options])
  expect(code, output).toBe(0)
  return output
}

function interfaceOf(): Record<string, unknown> {
  const script = `import { contracts } from '@cdn/api/contract'
    const { source, publicUrl, schemes, areas, operations } = contracts.parcels
    const rows = operations.map(({ name, effect, assumed, schemes, source }) => [name, effect, assumed, schemes.join(), source].join(' '))
    console.log(JSON.stringify({ source, publicUrl, schemes, areas: areas.map(({ name }) => name), operations: rows }))`
  return evaluate(sandbox.folder, 'tests', script)
}

test('the summary names server, credentials, effects, and changes', () => {
  expect(said).toContain('10 operations were written to specs/parcels/openapi.yaml')
  expect(said).toContain('Server: https://parcels.invalid/api/v2, or the one in CDN_PARCELS_URL.')
  expect(said).toContain('Credentials: CDN_PARCELS_ACCESS_KEY, CDN_PARCELS_TOKEN.')
  expect(said).toContain('Effects are assumed (5 read, 2 write, 3 destructive)')
  expect(said).toContain('state the credential X-Parcel-Key as a header')
})

test('the model has the interface, all of it supplement', () => {
  expect(interfaceOf()).toEqual({
    source: 'supplement',
    publicUrl: 'https://parcels.invalid/api/v2',
    schemes: [
      { name: 'ParcelKey', kind: 'key', header: 'X-Parcel-Key', variable: 'CDN_PARCELS_ACCESS_KEY' },
      { name: 'Session', kind: 'bearer', header: 'Authorization', variable: 'CDN_PARCELS_TOKEN' },
    ],
    areas: ['Parcels', 'Labels', 'Reports'],
    operations: [
      'list-parcels read true ParcelKey,Session supplement',
      'create-parcel write true ParcelKey,Session supplement',
      'get-parcel read true ParcelKey,Session supplement',
      'delete-parcel destructive true ParcelKey,Session supplement',
      'issue-certificate-of-delivery destructive true ParcelKey,Session supplement',
      'close-parcel destructive true ParcelKey,Session supplement',
      'download-label read true Session supplement',
      'upload-label write true ParcelKey,Session supplement',
      'get-report-of-day read true ParcelKey,Session supplement',
      'get-status read true  supplement',
    ],
  })
})

test('its types have paths, fields, kinds and bodies', () => {
  const program = `import type { paths } from '../packages/api/src/gen/parcels.ts'
type Parcel = paths['/parcels/{parcel-id}']['get']['responses'][200]['content']['application/json']
export function weigh(parcel: Parcel): number {
  if (parcel.content.kind === 'box') return parcel.content.weight ?? 0
  return parcel.content.pages ?? 0
}
export const label: paths['/parcels/{parcel-id}/label']['put']['requestBody']['content']['application/octet-stream'] = new Uint8Array()
// @ts-expect-error: no such state
export const state: Parcel['state'] = 'lost'
`
  sandbox.write('tests/parcels.ts', program)
  expect(compile(sandbox.folder, ['tests/parcels.ts'], sandbox.write)).toBe('')
})

test('lint and formatter have no findings', () => {
  const lint = runIn(sandbox.folder, 'specs', ['tools/scripts/lint.ts'])
  expect(lint.code, lint.output).toBe(0)
  const biome = 'node_modules/@biomejs/biome/bin/biome'
  const format = runIn(sandbox.folder, '.', [biome, 'check', 'specs', 'packages/api'])
  expect(format.code, format.output).toBe(0)
})

test('the generated files equal those of `pnpm generate`', async () => {
  const before = await changes()
  expect(before).toContain('packages/api/src/gen/parcels.ts')
  expect((await sandbox.run('pnpm generate')).code).toBe(0)
  expect(await changes()).toBe(before)
})

test('the mock is checked for it only on request, and then every statement holds', () => {
  const script = `import { planOf } from './src/run/plan.ts'
    const { checks } = planOf({ target: 'mock' })
    console.log(JSON.stringify(checks.filter(({ id }) => id.includes('parcels')).length))`
  expect(evaluate(sandbox.folder, 'packages/conformance', script)).toBe(0)
  const args = ['run', '--target', 'mock', '--interface', 'parcels', '--out', 'dist/mock']
  const { code, output } = runIn(sandbox.folder, '.', ['packages/conformance/src/bin.ts', ...args])
  expect(code, output).toBe(0)
  const { checks }: { checks: { id: string }[] } = JSON.parse(sandbox.read('dist/mock/report.json'))
  expect(checks.length).toBeGreaterThan(25)
  expect(checks.filter(({ id }) => !id.startsWith('mock.parcels.'))).toEqual([])
}, 120_000)

test('the tests of the contract ignore it', () => {
  const vitest = 'node_modules/vitest/vitest.mjs'
  const run = (folder: string, ...files: string[]) =>
    runIn(sandbox.folder, folder, [vitest, 'run', '--testTimeout=180000', '--hookTimeout=180000', ...files])
  // Only these tests of the contract run here; `pnpm try-imports` runs all of them.
  const { code, output } = run('specs', 'tools/document.test.ts', '-t', '^(?!.*detect)')
  expect(code, output).toBe(0)
}, 300_000)

test('a newer version keeps the decisions of a reviewer, also with another server', () => {
  const review = 'specs/tools/scripts/review-effects.ts'
  const set = ['--set', 'get-status=read', '--set', 'close-parcel=write']
  expect(runIn(sandbox.folder, '.', [review, 'parcels', ...set]).output).toContain(
    '2 decisions recorded, 11 statements stay',
  )
  const output = importParcels('--server', 'http://127.0.0.1:9/other')
  expect(output).toContain('2 decisions of an earlier review still apply.')
  expect(output).toContain('0 operations are new, 0 are gone.')
  const { publicUrl, operations } = interfaceOf()
  expect(publicUrl).toBe('http://127.0.0.1:9/other')
  expect(operations).toContain('close-parcel write false ParcelKey,Session supplement')
  expect(operations).toContain('delete-parcel destructive true ParcelKey,Session supplement')
}, 300_000)

test('a live run breaks and meets each constraint of its reads after their review', () => {
  const reads = ['list-parcels', 'get-parcel', 'download-label', 'get-report-of-day', 'get-status']
  const decisions = reads.flatMap((name) => ['--set', `${name}=read`])
  runIn(sandbox.folder, '.', ['specs/tools/scripts/review-effects.ts', 'parcels', ...decisions])
  const coverage = ['packages/conformance/tests/campaigns/coverage.ts', '--interface', 'parcels']
  const { stdout } = runIn(sandbox.folder, '.', coverage)
  expect(stdout).toMatch(/^(\d+) constraints of requests: \1 broken, \1 met\n$/)
}, 120_000)

test('the removal of the contract leaves the files of before', async () => {
  const { code, output } = runIn(sandbox.folder, '.', ['specs/tools/scripts/import-contract.ts', '--remove', 'parcels'])
  expect([code, output]).toEqual([0, 'specs/parcels and all files generated from it were removed.\n'])
  expect((await sandbox.run('git reset -q; git status --porcelain -- specs packages/api/src apps docs')).output).toBe(
    '',
  )
}, 300_000)

/** Returns the names and changes of all files that differ from the first commit. */
async function changes(): Promise<string> {
  return (
    await sandbox.run('git add --intent-to-add . && git diff -- . ":!tests/parcels.ts" ":!tsconfig.programs.json"')
  ).output
}
