/**
 * Each package alone: installs its tarball in an empty folder with an empty cache, by npm, pnpm and bun, and uses it as its README
 * says, on the oldest Node that it supports and on the newest. Prints one line per installation.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
import { transform } from 'esbuild'
import { repository } from '../copy.ts'
import { blocksOf } from '../docs/markdown.ts'
import { type Ended, type Manifest, oldestNode, packTarballs, run, start } from './pack.ts'

const require = createRequire(import.meta.url)
const newest = join(dirname(require.resolve('node26/package.json')), 'bin/node')
const bun = join(dirname(require.resolve('bun/package.json')), 'bin/bun.exe')

/** The command by which each package manager installs a tarball, with a cache in the folder. */
const managers: Readonly<Record<string, (folder: string, tarball: string) => readonly [string, ...string[]]>> = {
  npm: (folder, tarball) => ['npm', 'install', '--no-audit', '--no-fund', '--cache', join(folder, 'cache'), tarball],
  pnpm: (folder, tarball) => [
    ...([process.execPath, join(repository, 'scripts/pnpm.mjs'), 'add', tarball] as const),
    ...['--store-dir', join(folder, 'store'), `--config.cache-dir=${join(folder, 'cache')}`],
  ],
  bun: (_, tarball) => [bun, 'add', tarball],
}

/** A folder with one installed package, and how to run programs there. */
interface Place {
  readonly folder: string
  readonly readme: string
  /** Runs a program of the package, or a line of a shell. */
  shell(line: string): Promise<Ended>
  /** Runs a TypeScript example. */
  example(text: string): Promise<Ended>
  /** Starts `cdn-emulator`, reads its first line, and stops it. */
  serve(): Promise<Ended>
}

/** What the README of each package says. */
const uses: Readonly<Record<string, (place: Place) => Promise<readonly Ended[]>>> = {
  // The examples name a zone of the reader. Other blocks are parts of programs.
  '@cdn/api': ({ readme, example }) =>
    inOrder([...readme.matchAll(/(?<=<!-- examples\/[\w-]+\.ts -->\n```ts\n).*?(?=```)/gs)], ([text]) =>
      example(text.replace(/\b42\b/g, '2002').replace(/\b7\b/g, '2004')),
    ),
  '@cdn/emulator': async ({ readme, example, serve }) => [
    await example(blocksOf(readme).find(({ language }) => language === 'ts')?.text ?? 'throw new Error("no example")'),
    await serve(),
  ],
  '@cdn/conformance': ({ shell }) =>
    inOrder(['run --target emulator', 'list --json'], (args) => shell(`cdn-conformance ${args}`)),
  '@cdn/cli': ({ readme, shell }) => inOrder(readme.match(/^cdn (?:logs|pull-zone|api) .*/gm) ?? ['false'], shell),
  '@cdn/logs-exporter': async ({ folder, shell }) => {
    const config = { zones: ['2002'], accessKey: { env: 'CDN_ACCESS_KEY' }, sink: { type: 'files', path: './logs' } }
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config))
    const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs
    const range = [end - hourMs, end].map((ms) => new Date(ms).toISOString())
    const hour = `--from ${range[0]} --to ${range[1]}`
    const commands = ['config check', `backfill ${hour}`, 'status', `verify ${hour}`]
    const ended = await inOrder(commands, (command) => shell(`cdn-logs-exporter ${command} --config config.yaml`))
    return [await shell('cdn-logs-exporter --help'), ...ended]
  },
}

async function inOrder<Item>(items: readonly Item[], use: (item: Item) => Promise<Ended>): Promise<Ended[]> {
  const ended: Ended[] = []
  for (const item of items) ended.push(await use(item))
  return ended
}

const tarballs = packTarballs()
const emulator = await createEmulator({ clock: 'real' })
const { managementUrl, loggingUrl } = await emulator.listen()
const platform = {
  CDN_MANAGEMENT_URL: managementUrl.origin,
  CDN_LOGGING_URL: loggingUrl.origin,
  CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
}
const failures: string[] = []
let count = 0
try {
  for (const [name, use] of Object.entries(uses))
    for (const manager of Object.keys(managers)) await tryOut(name, use, manager)
} finally {
  await emulator.close()
  tarballs.close()
}
for (const failure of failures) console.error(failure)
process.exitCode = failures.length > 0 ? 1 : 0
console.log(
  `${Object.keys(uses).length} packages, ${Object.keys(managers).length} package managers, oldest and newest Node: ${count - failures.length} of ${count} uses of packages that were installed alone with an empty cache`,
)

/** Installs a package once, and uses it on both versions of Node. */
async function tryOut(name: string, use: (place: Place) => Promise<readonly Ended[]>, manager: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'alone-'))
  try {
    const [program, ...args] = managers[manager]?.(folder, tarballs.paths[name] ?? '') ?? ['false']
    // The home is empty, too. The other variables say how this machine reaches a registry.
    const env = { ...process.env, HOME: folder, BUN_INSTALL_CACHE_DIR: join(folder, 'cache') }
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), JSON.stringify({ pmOnFail: 'ignore' }))
    const begun = Date.now()
    const installed = await run(program, args, { cwd: folder, env })
    const seconds = ((Date.now() - begun) / 1000).toFixed(1)
    const manifest = readManifest(folder, name)
    for (const node of [manifest ? oldestNode(manifest.engines.node) : newest, newest]) {
      const version = (await run(node, ['--version'])).out.trim()
      const ended = manifest ? await use(placeOf(folder, name, node)) : [installed]
      const wrong = ended.filter(({ code }) => code !== 0)
      count++
      if (wrong.length > 0 || ended.length === 0)
        failures.push(
          `${name}, ${manager}, ${version}: ${wrong.map(({ out, err }) => out.slice(-500) + err.slice(-500)).join('\n')}`,
        )
      console.log(
        `${name}, ${manager} (${seconds} s), Node ${version}: ${ended.length - wrong.length} of ${ended.length}`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readManifest(folder: string, name: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
}

function placeOf(folder: string, name: string, node: string): Place {
  const PATH = [join(folder, 'node_modules/.bin'), dirname(node), process.env['PATH']].join(delimiter)
  const env = { ...platform, HOME: folder, PATH }
  return {
    folder,
    readme: readFileSync(join(folder, 'node_modules', name, 'README.md'), 'utf8'),
    shell: (line) => run('/bin/sh', ['-c', line], { cwd: folder, env }),
    async example(text) {
      mkdirSync(join(folder, 'examples'), { recursive: true })
      const file = join(folder, 'examples/example.mjs')
      writeFileSync(file, (await transform(text, { loader: 'ts', format: 'esm' })).code)
      // Some examples take a token. The command line refuses two credentials.
      return run(node, [file], { cwd: folder, env: { ...env, CDN_BEARER_TOKEN: emulator.fixtures.credentials.bearer } })
    },
    async serve() {
      const served = await start(join(folder, 'node_modules/.bin/cdn-emulator'), ['--json', '--port', '0'], { env })
      const code = JSON.parse(served.line || '{}').managementUrl ? await served.stop() : 1
      return { code: code === 130 ? 0 : code, out: served.line, err: '' }
    },
  }
}
