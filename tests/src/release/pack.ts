import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyRepository, repository } from '../copy.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: object
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A folder outside of the workspace in which the tarballs are installed. */
export interface Installation {
  readonly folder: string
  /** The manifest of a package as it was published. */
  manifest(name: string): Manifest
  /** The file of a program, as a shell would find it. */
  program(bin: string): string
  close(): void
}

const { packageManager } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  packageManager: string
}

function pnpm(cwd: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npx', ['--yes', '--prefer-offline', packageManager, ...args], {
    cwd,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')}: ${stdout}${stderr}`)
}

/**
 * Builds and packs all packages in a copy of the repository, as `pnpm tarballs` does, and installs them where nothing else is.
 */
export function installTarballs(): Installation {
  const copy = copyRepository()
  const folder = mkdtempSync(join(tmpdir(), 'installed-'))
  execFileSync(process.execPath, ['scripts/tarballs.mjs', '--no-check'], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  cpSync(join(copy, 'dist/tarballs'), join(folder, 'tarballs'), { recursive: true })
  rmSync(copy, { recursive: true })
  const files = readdirSync(join(folder, 'tarballs'))
  const tarballs = Object.fromEntries(
    files.map((file) => [
      file.replace(/^cdn-(.+)-\d+\.\d+\.\d+\.tgz$/, '@cdn/$1'),
      `file:${join(folder, 'tarballs', file)}`,
    ]),
  )
  // Nothing of these is on a registry, so what one of them needs of another is the tarball, too.
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'installed', private: true, type: 'module', dependencies: tarballs }),
  )
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), JSON.stringify({ overrides: tarballs, pmOnFail: 'ignore' }))
  pnpm(folder, ['install', '--ignore-scripts', '--prefer-offline', '--no-lockfile'])
  const manifest = (name: string) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest
  return {
    folder,
    manifest,
    program(bin) {
      const [name, { bin: files }] = Object.keys(tarballs)
        .map((name) => [name, manifest(name)] as const)
        .find(([, { bin: files }]) => files?.[bin]) ?? ['', manifest('@cdn/api')]
      return join(folder, 'node_modules', name, files?.[bin] ?? '')
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const require = createRequire(import.meta.url)

/**
 * The oldest Node that an `engines` names.
 *
 * @param range `>=22.15` and the like
 * @returns the binary of that very version
 * @throws Error where tests/package.json has none, so that a range and its proof change together
 */
export function oldestNode(range: string): string {
  const [, major, minor = '0', patch = '0'] = /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? []
  const version = `${major}.${minor}.${patch}`
  const manifest = require.resolve(`node${major}/package.json`)
  const there = (JSON.parse(readFileSync(manifest, 'utf8')) as Manifest).version
  if (there !== version)
    throw new Error(`engines say ${range}; tests/package.json has node${major} ${there}, not ${version}`)
  return join(dirname(manifest), 'bin/node')
}
