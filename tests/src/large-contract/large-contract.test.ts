/**
 * Everything that is generated from the contract works with many additional operations: 30, or up to 100 with a larger
 * CDN_PROPERTY_FACTOR. bench/ measures the times with 100.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository } from '../copy.ts'
import { compile, evaluate, runContractChecks, runIn, startMock } from '../run-in.ts'
import { writeContract } from './write-contract.ts'

const areas = Math.min(10, propertyRuns(3))

let copy: string
let names: readonly string[]
beforeAll(() => {
  copy = copyRepository()
  write('tests/large.ts', writeContract(copy, areas))
  const { code, output } = runIn(copy, 'packages/api', ['scripts/generate.ts'])
  expect(code, output).toBe(0)
  // Imported interfaces may have operations of the same names.
  const script = `import { contracts } from '@cdn/api/contract'; console.log(JSON.stringify(contracts.management.operations.map(({ name }) => name)))`
  const before = evaluate<string[]>(repositoryOf(), 'tests', script)
  names = evaluate<string[]>(copy, 'tests', script).filter((name) => !before.includes(name))
}, 300_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function repositoryOf(): string {
  return join(import.meta.dirname, '../../..')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
}

test('it has ten operations per area, and no lint findings', () => {
  expect(names).toHaveLength(10 * areas)
  const { code, output } = runIn(copy, 'specs', ['tools/scripts/lint.ts'])
  expect(code, output).toBe(0)
})

test('every operation can be called with types, and wrong calls do not compile', () => {
  const program = readFileSync(join(copy, 'tests/large.ts'), 'utf8')
  expect(program.match(/await client\./g)?.length).toBeGreaterThan(10 * areas)
  expect(compile(copy, ['tests/large.ts'], write)).toBe('')
})

test('the mock answers every stated status of each, and rejects invalid bodies', () => {
  const { code, output } = runIn(copy, 'packages/conformance', [
    'src/bin.ts',
    'run',
    '--target',
    'mock',
    '--out',
    'out',
  ])
  expect(code, output).toBe(0)
  const report = JSON.parse(readFileSync(join(copy, 'packages/conformance/out/report.json'), 'utf8'))
  const ids: string[] = report.checks.map(({ id }: { id: string }) => id)
  for (const name of names) expect(ids.filter((id) => id.startsWith(`mock.${name}.`)).length).toBeGreaterThan(4)
  expect(report.summary).toMatchObject({ failed: 0, errors: 0, skipped: 0 })
})

test('each has contract checks, which are skipped without a handler in the emulator', () => {
  const { outcomes, checks } = runContractChecks(copy, names)
  expect(Object.keys(outcomes)).toEqual(['skip'])
  expect(outcomes['skip']).toBeGreaterThan(40 * areas)
  expect(checks.map(({ message }) => message)).toContain(
    'the emulator does not implement list-cache-rule yet: it has no handler of that name',
  )
})

test('each is a command', { timeout: 300_000 }, async () => {
  const { ready, stop } = await startMock(copy)
  const env = { CDN_MANAGEMENT_URL: String(ready['url']), CDN_ACCESS_KEY: 'k' }
  const cdn = (...args: string[]) => runIn(copy, '.', ['apps/cli/src/bin.ts', 'cache-rule', ...args], env)
  try {
    const help = cdn('--help').stdout
    for (const name of names.filter((name) => name.endsWith('-cache-rule')))
      expect(help).toContain(` ${name.replace('-cache-rule', ' ')}`)
    const targets = JSON.stringify([{ Address: { Host: 'a.invalid', Port: null } }])
    for (const args of [
      ['list', '--page', '1', '--per-page', '100'],
      ['search', '--state', 'on', '--state', 'off', '--ids', '1'],
      ['create', '--body', JSON.stringify({ Id: 1, Name: 'a', Targets: JSON.parse(targets) })],
      ['change', '7', '--body', '{"Name":null}'],
      ['match', '7', '--body', '{"Kind":"range","From":1}'],
      ['upload-cache-rule-icon', '7', '--body', '@package.json'],
      ['delete', '7', '--yes'],
    ]) {
      const { code, output } = cdn(...args)
      expect(code, `${args.join(' ')}: ${output}`).toBe(0)
    }
    expect(cdn('list', '--per-page', '4').code).toBe(2)
  } finally {
    stop()
  }
})
