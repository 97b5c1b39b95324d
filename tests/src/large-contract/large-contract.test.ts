/** A contract of 100 operations more goes through everything that is made of a contract. bench/ has its times. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyRepository } from '../copy.ts'
import { compile, evaluate, runIn, runLaws, startMock } from '../run-in.ts'
import { writeContract } from './write-contract.ts'

let copy: string
let names: readonly string[]
beforeAll(() => {
  copy = copyRepository()
  write('tests/large.ts', writeContract(copy))
  for (const [folder, script] of [
    ['specs', 'scripts/readme.ts'],
    ['packages/api', 'scripts/generate.ts'],
  ] as const) {
    const { code, output } = runIn(copy, folder, [script])
    expect(code, output).toBe(0)
  }
  const script = `import { operations } from '@cdn/api/contract'; console.log(JSON.stringify(operations.map(({ name }) => name)))`
  const before = evaluate(repositoryOf(), 'tests', script) as string[]
  names = (evaluate(copy, 'tests', script) as string[]).filter((name) => !before.includes(name))
}, 120_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function repositoryOf(): string {
  return join(import.meta.dirname, '../../..')
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
}

test('it has 100 operations, and the lint finds nothing', () => {
  expect(names).toHaveLength(100)
  const redocly = 'node_modules/@redocly/cli/bin/cli.js'
  const { code, output } = runIn(copy, 'specs', [redocly, 'lint', '--config', 'redocly.yaml'])
  expect(code, output).toBe(0)
})

test('every operation can be called with types, and wrong calls do not compile', () => {
  const program = readFileSync(join(copy, 'tests/large.ts'), 'utf8')
  expect(program.match(/await client\./g)?.length).toBeGreaterThanOrEqual(104)
  expect(compile(copy, ['tests/large.ts'], write)).toBe('')
})

test('the mock answers every stated status of each, and refuses bodies of the wrong shape', () => {
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

test('each has laws, which are skipped where the emulator has no handler', () => {
  const { outcomes, messages } = runLaws(copy, names)
  expect(Object.keys(outcomes)).toEqual(['skip'])
  expect(outcomes['skip']).toBeGreaterThan(400)
  expect(messages).toContain('the emulator does not have list-cache-rule yet: it has no handler of that name')
})

test('each is a command', { timeout: 60_000 }, async () => {
  const { ready, stop } = await startMock(copy)
  const env = { CDN_MANAGEMENT_URL: String(ready['url']), CDN_ACCESS_KEY: 'k' }
  const cdn = (...args: string[]) => runIn(copy, '.', ['apps/cli/src/bin.ts', 'cache-rule', ...args], env)
  try {
    const help = cdn('--help').stdout
    for (const name of names.filter((name) => name.endsWith('cache-rule'))) expect(help).toContain(name)
    const targets = JSON.stringify([{ Address: { Host: 'a.invalid', Port: null } }])
    for (const args of [
      ['list-cache-rule', '--page', '1', '--per-page', '100'],
      ['search-cache-rule', '--state', 'on', '--state', 'off', '--ids', '1'],
      ['create-cache-rule', '--body', JSON.stringify({ Id: 1, Name: 'a', Targets: JSON.parse(targets) })],
      ['change-cache-rule', '7', '--body', '{"Name":null}'],
      ['match-cache-rule', '7', '--body', '{"Kind":"range","From":1}'],
      ['upload-cache-rule-icon', '7', '--body', '@package.json'],
      ['delete-cache-rule', '7', '--yes'],
    ]) {
      const { code, output } = cdn(...args)
      expect(code, `${args.join(' ')}: ${output}`).toBe(0)
    }
    expect(cdn('list-cache-rule', '--per-page', '4').code).toBe(2)
  } finally {
    stop()
  }
})
