import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { specsFolder } from '../bundle.ts'

/** A repository of its own, with a release of the contract as it is. */
const root = join(specsFolder, '.vitest/contract-diff')
const gen = 'packages/api/src/gen'

function git(...args: string[]): void {
  const who = ['-c', 'user.name=specs', '-c', 'user.email=specs@conformance.invalid']
  execFileSync('git', [...who, ...args], { cwd: root })
}

beforeAll(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'specs/scripts'), { recursive: true })
  mkdirSync(join(root, '.changeset'))
  for (const file of ['bundle.ts', 'redocly.ts', 'diff.yaml', 'scripts/contract-diff.ts', 'package.json'])
    cpSync(join(specsFolder, file), join(root, 'specs', file))
  symlinkSync(join(specsFolder, 'node_modules'), join(root, 'specs/node_modules'))
  cpSync(join(specsFolder, '..', gen), join(root, gen), { recursive: true })
  cpSync(join(specsFolder, '../.changeset/config.json'), join(root, '.changeset/config.json'))
  writeFileSync(join(root, 'package.json'), '{"name":"root","private":true}')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'Release')
  git('tag', '@cdn/api@1.0.0')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Changes the contract, says what the changesets claim, and compares. */
function diff(change: (contract: Contract) => void, claim?: string, args: readonly string[] = []) {
  const file = join(root, gen, 'management.full.json')
  const before = readFileSync(file, 'utf8')
  const contract = JSON.parse(before) as Contract
  change(contract)
  writeFileSync(file, JSON.stringify(contract))
  const changeset = join(root, '.changeset/change.md')
  if (claim) writeFileSync(changeset, `---\n"@cdn/api": ${claim}\n---\n\nA change.\n`)
  const script = join(root, 'specs/scripts/contract-diff.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' })
  writeFileSync(file, before)
  rmSync(changeset, { force: true })
  return { status, stdout, stderr }
}
interface Contract {
  readonly paths: Record<string, Record<string, { responses: Record<string, object>; summary: string }>>
}

const watermark = '/videolibrary/{id}/watermark'

test('the same contract asks for nothing, since the last release', () => {
  const { status, stdout } = diff(() => {})
  expect(stdout).toBe('Since @cdn/api@1.0.0 the contract asks for none; the changesets claim none for @cdn/api.\n')
  expect(status).toBe(0)
})

test.each<[string, string, (contract: Contract) => void, string, string | undefined]>([
  [
    'a new operation',
    'minor',
    ({ paths }) => {
      paths['/new'] = { get: structuredClone(paths['/pullzone/{id}']?.['get']) as never }
    },
    'minor',
    'patch',
  ],
  ['an operation less', 'major', ({ paths }) => void delete paths[watermark]?.['put'], 'major', 'minor'],
  [
    'another summary',
    'patch',
    ({ paths }) => Object.assign(paths[watermark]?.['put'] ?? {}, { summary: 'New' }),
    'patch',
    undefined,
  ],
])('%s asks for %s', (_name, asked, change, enough, less) => {
  expect(diff(change, enough)).toMatchObject({ status: 0, stdout: expect.stringContaining(`asks for ${asked}`) })
  const { status, stdout } = diff(change, less)
  expect(status).toBe(1)
  expect(stdout).toContain(`\`pnpm changeset\`, and choose ${asked} for @cdn/api.`)
})

test.each<[string, readonly string[], string | undefined, string]>([
  ['an unknown commit', ['--base', 'nowhere'], undefined, 'name a commit that has a contract by --base REF'],
  ['an unknown option', ['--bas'], undefined, 'knows one option'],
  ['a changeset that is none', [], 'huge\nbroken', 'A file of .changeset/ cannot be read'],
])('%s is one sentence', (_name, args, claim, says) => {
  const { status, stderr } = diff(() => {}, claim, args)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(says)])
  expect(status).toBe(2)
})
