import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defined } from '@cdn/kit/defined'
import { copyRepository, repository } from '../copy.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: object
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A folder outside the workspace with the installed tarballs. */
export interface Installation {
  readonly folder: string
  /** The path of each tarball, by the name of its package. */
  readonly tarballs: Readonly<Record<string, string>>
  /** Returns the published manifest of a package. */
  manifest(name: string): Manifest
  /** Returns the path of the file that the installed package's `bin` names for a program. */
  program(bin: string): string
  close(): void
}

function pnpm(cwd: string, args: readonly string[]): void {
  const script = join(repository, 'scripts/pnpm.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')}: ${stdout}${stderr}`)
}

/**
 * Builds and packs all packages in a copy of the repository, like `pnpm tarballs`.
 *
 * @param folder parent of the folder `tarballs`
 * @returns the path of each tarball, by the name of its package
 */
function packTarballs(folder: string): Record<string, string> {
  const copy = copyRepository()
  execFileSync(process.execPath, ['scripts/tarballs.mjs', '--no-check'], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarballs = join(folder, 'tarballs')
  cpSync(join(copy, 'dist/tarballs'), tarballs, { recursive: true })
  rmSync(copy, { recursive: true })
  return Object.fromEntries(
    readdirSync(tarballs).map((file) => [
      file.replace(/^cdn-(.+)-\d+\.\d+\.\d+\.tgz$/, '@cdn/$1'),
      `file:${join(tarballs, file)}`,
    ]),
  )
}

/** Packs all packages and installs them in an empty folder. */
export function installTarballs(): Installation {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'))
  const tarballs = packTarballs(folder)
  // The packages are not in a registry, so their dependencies on each other are replaced by the tarballs.
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'installed', private: true, type: 'module', dependencies: tarballs }),
  )
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), JSON.stringify({ overrides: tarballs, pmOnFail: 'ignore' }))
  pnpm(folder, ['install', '--ignore-scripts', '--prefer-offline', '--no-lockfile'])
  const manifest = (name: string) => readManifest(join(folder, 'node_modules', name, 'package.json'))
  return {
    folder,
    tarballs,
    manifest,
    program(bin) {
      const name = defined(Object.keys(tarballs).find((one) => manifest(one).bin?.[bin]))
      return join(folder, 'node_modules', name, defined(manifest(name).bin?.[bin]))
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'))
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
  const there = readManifest(manifest).version
  if (there !== version)
    throw new Error(`engines say ${range}; tests/package.json has node${major} ${there}, not ${version}`)
  return join(dirname(manifest), 'bin/node')
}
