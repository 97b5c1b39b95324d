/** `pnpm contract:diff`: what the changes of the contract mean for semver, held against what the changesets claim. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import readChangesets from '@changesets/read'
import { type Interface, interfaces, specsFolder } from '../bundle.ts'
import { redocly } from '../redocly.ts'

const root = join(specsFolder, '..')
/** The package whose types are the contract. */
const published = '@cdn/api'

/** From nothing to what breaks a caller. */
const bumps = ['none', 'patch', 'minor', 'major'] as const
export type Bump = (typeof bumps)[number]

function largest(all: readonly Bump[]): Bump {
  return bumps[Math.max(0, ...all.map((bump) => bumps.indexOf(bump)))] ?? 'none'
}

/** What `redocly diff --format json` prints, as far as it is read here. */
interface Report {
  readonly bump?: Bump
  readonly changes: readonly {
    readonly path: string
    readonly kind: string
    readonly impact: Bump
    readonly property?: string
  }[]
}

async function compare(name: Interface, ref: string): Promise<Report> {
  const file = `packages/api/src/gen/${name}.full.json`
  const scratch = await mkdtemp(join(tmpdir(), 'contract-'))
  try {
    const base = join(scratch, `${name}.json`)
    await writeFile(base, git(['show', `${ref}:${file}`]))
    const options = ['--config', 'diff.yaml', '--fail-on', 'none', '--format', 'json']
    const { stdout, stderr } = await redocly(['diff', base, join(root, file), ...options], specsFolder)
    if (!stdout.startsWith('{')) throw new Error(stderr)
    return JSON.parse(stdout) as Report
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function git(args: readonly string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch {
    throw new RangeError(
      `git cannot do \`git ${args.join(' ')}\` here; name a commit that has a contract by --base REF.`,
    )
  }
}

/** The last release, or where there is none the last commit. */
function lastRelease(): string {
  return git(['tag', '--list', `${published}@*`, '--sort=-creatordate']).split('\n')[0] || 'HEAD'
}

async function changesets() {
  return await readChangesets(root).catch((error: Error) => {
    throw new RangeError(`A file of .changeset/ cannot be read: ${error.message.split('\n')[0]}`)
  })
}

async function compareContracts(args: readonly string[]): Promise<number> {
  const [option, ref = lastRelease(), ...rest] = args
  if ((option !== undefined && (option !== '--base' || args.length < 2)) || rest.length > 0)
    throw new RangeError('contract:diff knows one option, --base REF, with a commit or a tag.')
  const reports = await Promise.all(interfaces.map((name) => compare(name, ref)))
  for (const [index, { changes }] of reports.entries())
    for (const { path, kind, impact, property } of changes)
      console.log(`${impact}  ${interfaces[index]} ${path} ${kind}${property ? `: ${property}` : ''}`)
  const asked = largest(reports.map(({ bump = 'none' }) => bump))
  const releases = (await changesets()).flatMap((changeset) => changeset.releases)
  const claimed = largest(releases.filter(({ name }) => name === published).map(({ type }) => type))
  const isEnough = bumps.indexOf(claimed) >= bumps.indexOf(asked)
  console.log(`Since ${ref} the contract asks for ${asked}; the changesets claim ${claimed} for ${published}.`)
  if (!isEnough) console.log(`That is too little: \`pnpm changeset\`, and choose ${asked} for ${published}.`)
  return isEnough ? 0 : 1
}

try {
  process.exitCode = await compareContracts(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof RangeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
