/**
 * `pnpm contract:diff`: prints the semver effect of the contract's changes and compares it with the changesets.
 * `pnpm contract:diff OLD NEW` compares two files.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import readChangesets from '@changesets/read'
import { interfaces, specsFolder } from '../bundle.ts'
import { bumps, type Change, compareContracts, maxBump } from '../diff/compare.ts'
import { importContract } from '../import/contract.ts'
import type { Json } from '../import/json.ts'
import { readForeign } from '../import/read.ts'
import { runScript } from '../run-script.ts'

const root = join(specsFolder, '..')
const gen = 'packages/api/src/gen'
/** The package that publishes the types of the contract. */
const published = '@cdn/api'
const usage = 'pnpm contract:diff [--base REF], or pnpm contract:diff OLD NEW with two OpenAPI files'

function git(args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch {
    throw new RangeError(`git cannot run \`git ${args.join(' ')}\` here; choose a commit with a contract: --base REF.`)
  }
}

/** Returns the tag of the last release, or `HEAD` before the first release. */
function lastRelease(): string {
  return git(['tag', '--list', `${published}@*`, '--sort=-creatordate']).split('\n')[0] || 'HEAD'
}

function interfacesAt(ref: string): string[] {
  const files = git(['ls-tree', '--name-only', ref, `${gen}/`]).split('\n')
  const names = files.flatMap((file) => /([^/]+)\.full\.json$/.exec(file)?.[1] ?? [])
  if (names.length === 0) throw new RangeError(`${ref} has no contract; choose a commit with a contract: --base REF.`)
  return names
}

async function compareWith(ref: string, name: string, before: readonly string[]): Promise<Change[]> {
  if (!before.includes(name)) return [{ impact: 'minor', path: '#', kind: 'interface added' }]
  if (!interfaces.includes(name)) return [{ impact: 'major', path: '#', kind: 'interface removed' }]
  const file = `${gen}/${name}.full.json`
  const after = JSON.parse(readFileSync(join(root, file), 'utf8'))
  return await compareContracts(JSON.parse(git(['show', `${ref}:${file}`])), after)
}

function print(changes: readonly Change[], name = ''): void {
  for (const { path, kind, impact, property } of changes)
    console.log(`${impact}  ${name}${path} ${kind}${property ? `: ${property}` : ''}`)
}

/** Compares the contract with the contract of a commit. Returns 1 if the version bump of the changesets is too small. */
async function compareRepository(ref: string): Promise<number> {
  const before = interfacesAt(ref)
  const names = [...new Set([...interfaces, ...before])]
  const all = await Promise.all(names.map((name) => compareWith(ref, name, before)))
  for (const [index, changes] of all.entries()) print(changes, `${names[index]} `)
  const impact = maxBump(all.flat().map((change) => change.impact))
  const { version } = JSON.parse(readFileSync(join(root, gen, '../../package.json'), 'utf8'))
  // Before version 1.0.0, semver has no bump for breaking changes.
  const needed = impact === 'major' && version.startsWith('0.') ? 'minor' : impact
  const changesets = await readChangesets(root).catch((error: Error) => {
    throw new RangeError(`A file of .changeset/ cannot be read: ${error.message.split('\n')[0]}`)
  })
  const releases = changesets.flatMap((changeset) => changeset.releases)
  const claimed = maxBump(releases.filter(({ name }) => name === published).map(({ type }) => type))
  const isEnough = bumps.indexOf(claimed) >= bumps.indexOf(needed)
  console.log(`Since ${ref} the contract requires ${needed}; the changesets claim ${claimed} for ${published}.`)
  if (!isEnough) console.log(`That is too little: run \`pnpm changeset\` and choose ${needed} for ${published}.`)
  return isEnough ? 0 : 1
}

/** Compares two files. It reads them in the same way as an import. */
async function compareFiles(old: string, current: string): Promise<number> {
  const changes = await compareContracts(await readContract(old), await readContract(current))
  print(changes)
  console.log(`${basename(old)} to ${basename(current)}: ${maxBump(changes.map(({ impact }) => impact))}`)
  return 0
}

async function readContract(file: string): Promise<Json> {
  try {
    const options = { name: 'compared', source: '', names: new Map<string, string>(), namespace: '' }
    return importContract((await readForeign(file)).foreign, options).contract
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RangeError(`Cannot compare ${basename(file)}: ${error.message}.`)
  }
}

await runScript(usage, async (args) => {
  const options = { base: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [old, current, ...more] = positionals
  if (more.length > 0 || (old !== undefined && (current === undefined || values.base !== undefined)))
    throw new RangeError(`Expected ${usage}.`)
  return old !== undefined && current !== undefined
    ? await compareFiles(old, current)
    : await compareRepository(values.base ?? lastRelease())
})
