import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { copyRepository, repository } from '../copy-repository.ts'
import { run } from '../run-program.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: object
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The tarballs of all packages, in a copy of the repository that `close` removes. */
export interface Tarballs {
  /** The path of each tarball, by the name of its package. */
  readonly paths: Readonly<Record<string, string>>
  close(): void
}

/** Builds and packs all packages in a copy of the repository, with the script that `pnpm tarballs` runs. */
export function packTarballs(): Tarballs {
  const copy = copyRepository()
  const script = [join(copy, 'scripts/tarballs.mjs')]
  execFileSync(process.execPath, script, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = join(copy, 'dist/tarballs')
  const named = readdirSync(folder).map((file) => [
    file.replace(/^cdn-(.+)-\d+\.\d+\.\d+\.tgz$/, '@cdn/$1'),
    join(folder, file),
  ])
  return { paths: Object.fromEntries(named), close: () => rmSync(copy, { recursive: true }) }
}

/** `npm` is what users have. `pnpm` is faster, and hides packages that are not a dependency. */
type Manager = 'npm' | 'pnpm'

/**
 * Installs packages in a folder, from the cache if possible, without running their scripts.
 *
 * @param args more arguments, such as paths of tarballs
 */
export async function installIn(cwd: string, manager: Manager, args: readonly string[]): Promise<void> {
  const quiet = ['install', '--prefer-offline', '--ignore-scripts']
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), JSON.stringify({ pmOnFail: 'ignore' }))
  const { env } = process // it can name the registry or a proxy
  const npm = [...quiet, '--no-audit', '--no-fund']
  const { code, out, err } =
    manager === 'pnpm'
      ? await run(process.execPath, [join(repository, 'scripts/pnpm.mjs'), ...quiet, ...args], { cwd, env })
      : await run('npm', [...npm, ...args], { cwd, env })
  if (code !== 0) throw new Error(`${manager} cannot install ${args} in ${cwd}, exit ${code}: ${out}${err}`)
}

const require = createRequire(import.meta.url)

/**
 * Returns the oldest Node that an `engines` range includes.
 *
 * @param range a range such as `>=22.15`
 * @returns the path of the binary
 * @throws Error if tests/package.json does not have this version, so that the range and its test are changed together
 */
export function oldestNode(range: string): string {
  const [, major, minor = '0', patch = '0'] = /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? []
  const version = `${major}.${minor}.${patch}`
  const manifest = require.resolve(`node${major}/package.json`)
  const { version: there }: Manifest = JSON.parse(readFileSync(manifest, 'utf8'))
  if (there !== version)
    throw new Error(`engines say ${range}; tests/package.json has node${major} ${there}, not ${version}`)
  return join(dirname(manifest), 'bin/node')
}
