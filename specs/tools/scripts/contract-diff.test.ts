import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { specsFolder } from '../bundle.ts'

/** Folder of a separate repository that has a release of the current contract. */
const root = join(specsFolder, '.vitest/contract-diff')
const gen = 'packages/api/src/gen'

function git(...args: string[]): void {
  const who = ['-c', 'user.name=specs', '-c', 'user.email=specs@conformance.invalid']
  execFileSync('git', [...who, ...args], { cwd: root })
}

beforeAll(() => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'specs'), { recursive: true })
  mkdirSync(join(root, '.changeset'))
  for (const file of ['tools', 'management', 'logging', 'package.json'])
    cpSync(join(specsFolder, file), join(root, 'specs', file), { recursive: true })
  symlinkSync(join(specsFolder, 'node_modules'), join(root, 'specs/node_modules'))
  mkdirSync(join(root, gen), { recursive: true })
  for (const name of ['management', 'logging'])
    cpSync(join(specsFolder, '..', gen, `${name}.full.json`), join(root, gen, `${name}.full.json`))
  cpSync(join(specsFolder, '../.changeset/config.json'), join(root, '.changeset/config.json'))
  writeFileSync(join(root, 'package.json'), '{"name":"root","private":true}')
  writeFileSync(manifest(), '{"version":"1.0.0"}')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'Release')
  git('tag', '@cdn/api@1.0.0')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The manifest of the published package. */
function manifest(): string {
  return join(root, 'packages/api/package.json')
}

/** Changes the contract, writes a changeset, and compares. */
function diff(change: (contract: Contract) => void, claim?: string, args: readonly string[] = []) {
  const file = join(root, gen, 'management.full.json')
  const before = readFileSync(file, 'utf8')
  const contract: Contract = JSON.parse(before)
  change(contract)
  writeFileSync(file, JSON.stringify(contract))
  const changeset = join(root, '.changeset/change.md')
  if (claim) writeFileSync(changeset, `---\n"@cdn/api": ${claim}\n---\n\nA change.\n`)
  const script = join(root, 'specs/tools/scripts/contract-diff.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' })
  writeFileSync(file, before)
  rmSync(changeset, { force: true })
  return { status, stdout, stderr }
}
interface Contract {
  readonly paths: Record<string, Record<string, { responses: Record<string, object>; summary: string }>>
}

const watermark = '/videolibrary/{id}/watermark'

test('an unchanged contract requires nothing since the last release', () => {
  const { status, stdout } = diff(() => {})
  expect(stdout).toBe('Since @cdn/api@1.0.0 the contract requires none; the changesets claim none for @cdn/api.\n')
  expect(status).toBe(0)
})

test.each<{ name: string; bump: string; change: (contract: Contract) => void; less: string | undefined }>([
  {
    name: 'a new operation',
    bump: 'minor',
    change: ({ paths }) => {
      paths['/new'] = { get: structuredClone(defined(paths['/pullzone/{id}']?.['get'])) }
    },
    less: 'patch',
  },
  {
    name: 'a removed operation',
    bump: 'major',
    change: ({ paths }) => void delete defined(paths[watermark])['put'],
    less: 'minor',
  },
  {
    name: 'another summary',
    bump: 'patch',
    change: ({ paths }) => Object.assign(defined(paths[watermark]?.['put']), { summary: 'New' }),
    less: undefined,
  },
])('$name requires $bump', ({ bump, change, less }) => {
  expect(diff(change, bump)).toMatchObject({ status: 0, stdout: expect.stringContaining(`requires ${bump}`) })
  const { status, stdout } = diff(change, less)
  expect(status).toBe(1)
  expect(stdout).toContain(`run \`pnpm changeset\` and choose ${bump} for @cdn/api.`)
})

test('before 1.0.0, a removed operation requires minor', () => {
  writeFileSync(manifest(), '{"version":"0.1.0"}')
  const { stdout } = diff(({ paths }) => void delete defined(paths[watermark])['put'], 'minor')
  writeFileSync(manifest(), '{"version":"1.0.0"}')
  expect(stdout).toContain('requires minor; the changesets claim minor')
})

test('a new interface requires minor', () => {
  mkdirSync(join(root, 'specs/stream'))
  writeFileSync(join(root, 'specs/stream/openapi.yaml'), '')
  try {
    const { stdout } = diff(() => {})
    expect(stdout).toContain('minor  stream # interface added')
    expect(stdout).toContain('requires minor')
  } finally {
    rmSync(join(root, 'specs/stream'), { recursive: true })
  }
})

test.each<[string, readonly string[], string | undefined, string]>([
  ['an unknown commit', ['--base', 'nowhere'], undefined, 'choose a commit with a contract: --base REF'],
  ['an unknown option', ['--bas'], undefined, 'Unknown option'],
  ['one file', ['a.json'], undefined, 'with two OpenAPI files'],
  ['a missing file', ['a.json', 'b.json'], undefined, 'Cannot compare a.json: the file does not exist.'],
  ['an invalid changeset', [], 'huge\nbroken', 'A file of .changeset/ cannot be read'],
])('%s is refused in one sentence', (_name, args, claim, says) => {
  const { status, stderr } = diff(() => {}, claim, args)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(says)])
  expect(status).toBe(2)
})
