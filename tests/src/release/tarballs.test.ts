/**
 * Each published package works outside the workspace, with the oldest Node that it supports. One project has all packages, without
 * hoisting, so each package finds only its own dependencies. CI installs each package alone with npm.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { createInterface } from 'node:readline'
import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { hourMs } from '@cdn/kit/time'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repository } from '../copy-repository.ts'
import { run, runScript } from '../run-program.ts'
import { installIn, type Manifest, oldestNode, packTarballs, type Tarballs } from './pack.ts'

const libraries = ['@cdn/api', '@cdn/emulator', '@cdn/conformance']
const programs = {
  '@cdn/emulator': 'cdn-emulator',
  '@cdn/conformance': 'cdn-conformance',
  '@cdn/cli': 'cdn',
  '@cdn/logs-exporter': 'cdn-logs-exporter',
}
const names = [...new Set([...libraries, ...Object.keys(programs)])]

let tarballs: Tarballs
const folder = temporaryFolder()
let emulator: Emulator
let env: Record<string, string>

beforeAll(async () => {
  tarballs = packTarballs()
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${tarballOf(name)}`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await installIn(folder, 'pnpm', ['--config.hoist-pattern='])
  emulator = await createEmulator({ clock: 'real', traffic: { zones: 1, rowsPerSecond: 0.05 } })
  const { managementUrl, loggingUrl } = await emulator.listen()
  env = {
    CDN_MANAGEMENT_URL: managementUrl.origin,
    CDN_LOGGING_URL: loggingUrl.origin,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
}, 240_000)
afterAll(async () => {
  await emulator.close()
  tarballs.close()
})

function tarballOf(name: string): string {
  return assertDefined(tarballs.paths[name])
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
}

function programOf(name: string): string {
  const [file] = Object.values(manifestOf(name).bin ?? {})
  return join(folder, 'node_modules', name, assertDefined(file))
}

/** Runs the program of a package on the oldest Node that it supports, without a warning of Node. */
async function runProgram(name: string, ...args: string[]): Promise<string> {
  const node = oldestNode(manifestOf(name).engines.node)
  const { code, out, err } = await runScript(folder, [programOf(name), ...args], { node, env })
  expect({ args, code, warning: /Warning: |^ +at /m.exec(err)?.[0] }, err).toEqual({
    args,
    code: 0,
    warning: undefined,
  })
  return out
}

describe.each(names)('%s', (name) => {
  let tarball: Package
  beforeAll(() => {
    tarball = createPackageFromTarballData(readFileSync(tarballOf(name)))
  })
  const root = `/node_modules/${name}/`

  test('publint reports no problem', async () => {
    const { buffer } = new Uint8Array(readFileSync(tarballOf(name)))
    expect((await publint({ pack: { tarball: buffer }, strict: true })).messages).toEqual([])
  })

  test('the tarball has code, types, a licence, no tests, and no reference to the workspace', () => {
    const files = tarball.listFiles().map((file) => file.replace(root, ''))
    const allowed =
      /^(package\.json|CHANGELOG\.md|README\.md|LICENSE|dist\/(LICENSES\.txt|.+(\.js|\.js\.map|\.d\.ts|\.json)))$/
    expect(files.filter((file) => !allowed.test(file) || /\.test\./.test(file))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md']))
    const { bin = {}, exports = {}, dependencies = {}, peerDependencies = {} } = manifestOf(name)
    const named = [...Object.values(bin), ...(JSON.stringify(exports).match(/\.\/dist[^"]+/g) ?? [])]
    const isPacked = (file: string) => files.some((one) => matchesGlob(one, file.replace('./', '')))
    expect(named.filter((file) => !isPacked(file))).toEqual([])
    expect(JSON.stringify({ bin, exports, dependencies, peerDependencies })).not.toMatch(/workspace:|\/src\/|@cdn\//)
    expect(manifestOf(name)).not.toHaveProperty('devDependencies')
    expect(manifestOf(name)).not.toHaveProperty('scripts')
    for (const file of files.filter((one) => /\.(js|d\.ts)$/.test(one)))
      expect(tarball.readFile(root + file), file).not.toMatch(/\b(from|import) ?\(? ?['"]@cdn\/(?!conformance\/cli)/)
  })

  test('the README names the oldest Node, and its links work outside of the repository', () => {
    const readme = tarball.readFile(`${root}README.md`)
    expect(readme).toMatch(new RegExp(`Node ${manifestOf(name).engines.node.replace('>=', '')} (and|or) later`))
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)|<(?:a|img)[^>]+(?:href|src)="([^"]+)"/g)]
    const targets = links.map(([, markdown, html]) => markdown ?? html ?? '')
    const files = tarball.listFiles()
    expect(targets.filter((link) => !/^(https:|#)/.test(link) && !files.includes(root + link))).toEqual([])
  })
})

test.each(['@cdn/cli', '@cdn/logs-exporter'])('%s: every bundled package has its licence text', (name) => {
  const licences = createPackageFromTarballData(readFileSync(tarballOf(name))).readFile(
    `/node_modules/${name}/dist/LICENSES.txt`,
  )
  for (const bundled of ['ajv', 'json-schema-traverse'])
    expect(licences).toMatch(new RegExp(`^${bundled}\\n\\n.+`, 'm'))
})

describe.each(libraries)('%s', (name) => {
  test('every entry can be imported on the oldest Node', async () => {
    const entries = Object.keys(manifestOf(name).exports ?? {})
    // The adapter for vitest needs vitest, which users install themselves. The command line runs when it is imported.
    const imported = entries.filter((entry) => !['./vitest', './cli'].includes(entry) && !entry.endsWith('.json'))
    expect(imported.length).toBeGreaterThan(0)
    const text = imported.map((entry) => `await import(${JSON.stringify(join(name, entry))})`).join('\n')
    writeFileSync(join(folder, 'entries.mjs'), text)
    const node = oldestNode(manifestOf(name).engines.node)
    expect(await runScript(folder, ['entries.mjs'], { node })).toMatchObject({ code: 0, out: '' })
  })

  test('the types are right for importers', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(name))))
    if (!analysis.types) throw new Error('The tarball holds no types')
    // Two problems are expected. The package is ESM only, so CommonJS must use `import()`. Old compilers ignore `exports`.
    const problems = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(problems).toEqual([])
  })
})

test('both layers of each contract are entries, for generators of other languages', async () => {
  const file = `
    import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    const { resolve } = createRequire(import.meta.url)
    const read = (name) => JSON.parse(readFileSync(resolve('@cdn/api/openapi/' + name + '.json'), 'utf8'))
    const idOf = (name) => read(name).paths['/pullzone']?.get.operationId ?? 'none'
    console.log(['management', 'management.spec'].map(idOf).join(), read('logging').openapi, read('logging.spec').openapi)`
  writeFileSync(join(folder, 'contracts.mjs'), file)
  expect((await runScript(folder, ['contracts.mjs'])).out).toBe('listPullZones,none 3.1.0 3.1.0\n')
})

// The section "Import and require" of packages/api/README.md states these results.
test.each([
  ['typescript57', 'types.mts', /^$/],
  ['typescript', 'types.mts', /^$/],
  ['typescript', 'types.cts', /^$/],
] as const)('the types compile with %s in %s, also with a check of the libraries', async (compiler, file, errors) => {
  const text = `
    import { createLoggingClient, createManagementClient, paginate, readLogs, unwrap } from '@cdn/api'
    import { createEmulator } from '@cdn/emulator'
    export const client = createManagementClient({ accessKey: 'k' })
    // Helpers of a consumer that emits declarations: their types have names outside of the package.
    export const zones = () => paginate(client, '/pullzone')
    export const zone = () => unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 1 } } }))
    export const raw = () => client.GET('/pullzone')
    export const write = () => client.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id: 1 } }, body: { Hostname: 'a' } })
    export const page = () => createLoggingClient().GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
    export const rows = () => readLogs(createLoggingClient(), { pullZoneId: 1, from: 0, to: 1 })
    export async function name(): Promise<string | null> {
      const { data, error } = await client.GET('/pullzone/{id}', { params: { path: { id: 1 } } })
      if (error) throw new Error('no zone')
      return data.Name
    }
    export async function main(): Promise<string | null | undefined> {
      // @ts-expect-error: the name of a fault is checked
      (await createEmulator()).faults.add('no-such-fault')
      return (await client.GET('/pullzone/{id}', { params: { path: { id: 1 } } })).data?.Name
    }`
  writeFileSync(join(folder, file), text)
  const modules = join(repository, 'tests/node_modules')
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    'out',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--module',
    'nodenext',
  ]
  const nodeTypes = ['--types', 'node', '--typeRoots', join(modules, '@types'), '--skipLibCheck', 'false']
  const { out } = await runScript(folder, [join(modules, compiler, 'bin/tsc'), ...options, ...nodeTypes, file])
  expect(out).toMatch(errors)
})

test('require() works on the oldest Node that supports it for ES modules, and on no older one', async () => {
  writeFileSync(join(folder, 'main.cjs'), "console.log(typeof require('@cdn/api').createManagementClient)")
  const [newer, older] = await Promise.all(
    ['>=22.15', manifestOf('@cdn/api').engines.node].map((range) =>
      runScript(folder, ['main.cjs'], { node: oldestNode(range) }),
    ),
  )
  expect(newer?.out).toBe('function\n')
  expect(older?.err).toContain('ERR_REQUIRE_ESM')
})

test('esbuild bundles the emulator as ESM and as CommonJS that need no other file', async () => {
  const file = `
    import { createEmulator } from '@cdn/emulator'
    async function main() {
      const { fetch, managementUrl, fixtures } = await createEmulator()
      const headers = { AccessKey: fixtures.credentials.accessKey }
      console.log((await fetch(new URL('pullzone', managementUrl), { headers })).status)
    }
    main()`
  writeFileSync(join(folder, 'main.mjs'), file)
  // CommonJS modules in the bundle load Node's modules by `require`, which an ES module does not have.
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
  for (const [format, bundle] of [
    ['esm', 'bundle.mjs'],
    ['cjs', 'bundle.cjs'],
  ] as const) {
    const outfile = join(folder, 'bundles', bundle)
    const options = { bundle: true, platform: 'node', format, logLevel: 'error', outfile } as const
    await build({ ...options, absWorkingDir: folder, entryPoints: ['main.mjs'], ...(format === 'esm' && { banner }) })
    expect(readFileSync(outfile, 'utf8').includes(folder)).toBe(false)
    expect(await runScript(join(folder, 'bundles'), [bundle])).toMatchObject({ code: 0, out: '200\n' })
  }
})

test('cdn-emulator serves', async () => {
  const node = oldestNode(manifestOf('@cdn/emulator').engines.node)
  const child = spawn(node, [programOf('@cdn/emulator'), '--json', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(60_000) })
  const { managementUrl, accessKey }: Record<string, string> = JSON.parse(line)
  const response = await fetch(new URL('/pullzone/2001', managementUrl), {
    headers: { AccessKey: assertDefined(accessKey) },
  })
  expect(response.status).toBe(200)
  child.kill('SIGINT')
  const [code]: (number | null)[] = await once(child, 'exit')
  expect([0, 130]).toContain(code)
})

test('no package in the trees of the tarballs has an install script', () => {
  const files = globSync('node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json', { cwd: folder })
  expect(files.length).toBeGreaterThan(10)
  const hasScript = (file: string) => {
    const { scripts = {} }: { scripts?: object } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const hasGyp = existsSync(join(folder, dirname(file), 'binding.gyp')) // npm compiles it
    return hasGyp || ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
  }
  expect(files.filter(hasScript)).toEqual([])
})

test('cdn-conformance checks the mock, and without Prism says in one sentence that it is missing', async () => {
  const args = [
    programOf('@cdn/conformance'),
    'run',
    '--target',
    'mock',
    '--only',
    'mock.query-logs.*,mock.get-pull-zone.*',
  ]
  expect(await runScript(folder, args, { env })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^conformance: The target mock needs Prism, which is not installed: npm install .*\n$/m),
  })
  mkdirSync(join(folder, 'node_modules/@stoplight'))
  const prism = join(repository, 'packages/conformance/node_modules/@stoplight/prism-cli')
  symlinkSync(realpathSync(prism), join(folder, 'node_modules/@stoplight/prism-cli'))
  const { code, out, err } = await runScript(folder, args, { env })
  expect([code, out], `${out}${err}`).toEqual([0, expect.stringContaining('The mock conforms: ')])
  expect(err).toContain('Prism is listening on http://127.0.0.1:')
})

test('cdn reads, and prints every format', async () => {
  expect(JSON.parse(await runProgram('@cdn/cli', 'pull-zone', 'get', '2001', '-o', 'json'))).toMatchObject({ Id: 2001 })
  const query = ['logs', 'query', '10001', '--limit', '2', '-o']
  expect(JSON.parse(await runProgram('@cdn/cli', ...query, 'json'))).toHaveLength(2)
  for (const format of ['ndjson', 'csv', 'table'])
    expect((await runProgram('@cdn/cli', ...query, format)).trim().split('\n').length).toBeGreaterThan(1)
})

test.each([{ format: 'ndjson' }, { format: 'parquet' }])('cdn-logs-exporter exports $format', async ({ format }) => {
  const out = join(folder, format)
  mkdirSync(out)
  const config = join(out, 'config.yaml')
  const sink = { type: 'files', path: join(out, 'logs'), format }
  const settings = {
    loggingUrl: env['CDN_LOGGING_URL'],
    zones: ['10001'],
    window: '1h',
    ledger: join(out, 'state'),
    sink,
  }
  writeFileSync(config, JSON.stringify({ ...settings, listen: '127.0.0.1:0' }))
  const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs
  const range = ['--from', new Date(end - hourMs).toISOString(), '--to', new Date(end).toISOString()]
  const call = (...args: string[]) => runProgram('@cdn/logs-exporter', ...args, '--config', config)
  await call('backfill', ...range)
  expect(await call('verify', ...range)).toContain('No difference')
  expect(await call('status')).toContain('10001')
})

test.each(Object.entries(programs))('%s: on a Node that is too old, %s prints one sentence', async (name, bin) => {
  const { engines } = manifestOf(name)
  const sentence = `${bin}: Node 20.10.0 is too old; expected Node ${engines.node}. To install it: npm install --global node@24\n`
  const ended = await run(oldestNode('>=20.10'), [programOf(name), '--version'])
  expect(ended).toEqual({ code: 2, out: '', err: sentence })
})
