/** Each published package works when it is installed alone, outside the workspace, with the oldest Node that it supports. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { version as vitestVersion } from 'vitest/node'
import { repository } from '../copy.ts'
import { runCdn } from './cdn-cases.ts'
import { runExporterCases } from './exporter-cases.ts'
import {
  type Installation,
  installAlone,
  installIn,
  oldestNode,
  packTarballs,
  run,
  runScript,
  start,
  type Tarballs,
} from './pack.ts'

/** Before a release: all versions of Node, test runners and compilers, and all command lines. Otherwise a few of each. */
const isRelease = process.env['CDN_RELEASE'] === '1'

const libraries = ['@cdn/api', '@cdn/emulator', '@cdn/conformance']
const programs = { '@cdn/cli': 'cdn', '@cdn/logs-exporter': 'cdn-logs-exporter' } as const
const names = [...libraries, ...Object.keys(programs)]

let tarballs: Tarballs
let folder: string
const installations: Record<string, Installation> = {}
let emulator: Emulator
let managementUrl: string
let loggingUrl: string
beforeAll(async () => {
  tarballs = packTarballs()
  folder = mkdtempSync(join(tmpdir(), 'installed-'))
  for (const name of names) {
    const manager = name in programs ? 'npm --global' : isRelease || name !== '@cdn/conformance' ? 'npm' : 'pnpm'
    installations[name] = await installAlone(folder, name, tarballOf(name), manager)
  }
  emulator = await createEmulator({ clock: 'real', traffic: { zones: 1, rowsPerSecond: 0.05 } })
  const addresses = await emulator.listen()
  managementUrl = addresses.managementUrl.href
  loggingUrl = addresses.loggingUrl.href
}, 240_000)
afterAll(async () => {
  await emulator.close()
  tarballs.close()
  rmSync(folder, { recursive: true, force: true })
})

function tarballOf(name: string): string {
  const path = tarballs.paths[name]
  if (path === undefined) throw new Error(`no tarball of ${name}`)
  return path
}

function installed(name: string): Installation {
  const installation = installations[name]
  if (!installation) throw new Error(`${name} is not installed`)
  return installation
}

/** Runs a script in the folder of an installed package, and returns its output. */
async function runIn(name: string, args: readonly string[], node = installed(name).oldest): Promise<string> {
  const { code, out, err } = await runScript(installed(name).folder, args, { node })
  expect({ args, code, err }).toMatchObject({ args, code: 0 })
  return out
}

/** The versions of Node that a package is tested with. */
function nodesOf(name: string): string[] {
  return [installed(name).oldest, ...(isRelease ? [process.execPath] : [])]
}

test.each(names)('%s: publint reports no problem in the packed tarball', async (name) => {
  const tarball = new Uint8Array(readFileSync(tarballOf(name))).buffer
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
})

test.each(names)('%s: the tarball has code, types, a licence, no tests, and no reference to the workspace', (name) => {
  const contents = createPackageFromTarballData(readFileSync(tarballOf(name)))
  const root = `/node_modules/${name}/`
  const files = contents.listFiles().map((file) => file.replace(root, ''))
  const allowed =
    /^(package\.json|CHANGELOG\.md|config\.schema\.json|README\.md|LICENSE|dist\/(LICENSES\.txt|cdn\.1|.+(\.js|\.js\.map|\.d\.ts|\.json)))$/
  expect(files.filter((file) => !allowed.test(file) || /\.test\./.test(file))).toEqual([])
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md']))
  const { bin = {}, man = [], exports = {}, dependencies = {}, peerDependencies = {} } = installed(name).manifest
  const named = [...Object.values(bin), ...man, ...(JSON.stringify(exports).match(/\.\/dist[^"]+/g) ?? [])]
  const isPacked = (file: string) => files.some((one) => matchesGlob(one, file.replace('./', '')))
  expect(named.filter((file) => !isPacked(file))).toEqual([])
  expect(JSON.stringify({ bin, exports, dependencies, peerDependencies })).not.toMatch(/workspace:|\/src\//)
  expect(Object.keys(dependencies).filter((one) => one.startsWith('@cdn/'))).toEqual([])
  // A program that is not in the bundle is optional.
  for (const file of files.filter((file) => /\.(js|d\.ts)$/.test(file)))
    expect(contents.readFile(root + file), file).not.toMatch(/\b(from|import) ?\(? ?['"]@cdn\/(?!conformance\/cli)/)
})

test.each(names)(
  '%s: the packed README names the oldest Node, and its links work outside of the repository',
  (name) => {
    const contents = createPackageFromTarballData(readFileSync(tarballOf(name)))
    const root = `/node_modules/${name}/`
    const readme = contents.readFile(`${root}README.md`)
    const { engines } = installed(name).manifest
    expect(readme).toMatch(new RegExp(`Node ${engines.node.replace('>=', '')} (and|or) later`))
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)|<(?:a|img)[^>]+(?:href|src)="([^"]+)"/g)].map(
      ([, a, b]) => a ?? b ?? '',
    )
    const files = contents.listFiles().map((file) => file.replace(root, ''))
    expect(links.filter((link) => !/^(https:|#)/.test(link) && !files.includes(link))).toEqual([])
  },
)

test.each(Object.keys(programs))('%s: every bundled package has its licence text in the tarball', (name) => {
  const contents = createPackageFromTarballData(readFileSync(tarballOf(name)))
  const licences = contents.readFile(`/node_modules/${name}/dist/LICENSES.txt`)
  for (const bundled of ['ajv', 'json-schema-traverse'])
    expect(licences).toMatch(new RegExp(`^${bundled}\\n\\n.+`, 'm'))
})

test.each(libraries)('%s: every entry can be imported', async (name) => {
  const { exports = {} } = installed(name).manifest
  // The fixture for vitest needs vitest, which users install themselves.
  const entries = Object.keys(exports).filter(
    (entry) => !['./vitest', './cli'].includes(entry) && !entry.endsWith('.json'),
  )
  expect(entries.length).toBeGreaterThan(0)
  const imports = entries.map((entry) => `await import(${JSON.stringify(join(name, entry))})`).join('\n')
  writeFileSync(join(installed(name).folder, 'entries.mjs'), `${imports}\nconsole.log('imported')`)
  for (const node of nodesOf(name)) expect(await runIn(name, ['entries.mjs'], node)).toBe('imported\n')
})

test('@cdn/api: both layers of each contract are entries, for generators of other languages', async () => {
  const file = `
    import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    const { resolve } = createRequire(import.meta.url)
    const read = (name) => JSON.parse(readFileSync(resolve('@cdn/api/openapi/' + name + '.json'), 'utf8'))
    const idOf = (name) => read(name).paths['/pullzone']?.get.operationId ?? 'none'
    console.log(['management', 'management.spec'].map(idOf).join(), read('logging').openapi, read('logging.spec').openapi)`
  writeFileSync(join(installed('@cdn/api').folder, 'contracts.mjs'), file)
  for (const node of nodesOf('@cdn/api'))
    expect(await runIn('@cdn/api', ['contracts.mjs'], node)).toBe('listPullZones,none 3.1.0 3.1.0\n')
})

test.each(libraries)('%s: the types are right for importers', async (name) => {
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(name))))
  if (!analysis.types) throw new Error('The tarball holds no types')
  // Two problems are expected. The package is ESM only, so CommonJS must use `import()`. Old compilers ignore `exports`.
  const problems = analysis.problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  expect(problems).toEqual([])
})

/** Returns the output of a compiler for a file in the folder of an installed package. Libraries are checked, too. */
async function compile(name: string, file: string, text: string, compiler: string, module: string): Promise<string> {
  writeFileSync(join(installed(name).folder, file), text)
  const tsc = join(repository, 'tests/node_modules', compiler, 'bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--module', module]
  const nodeTypes = ['--types', 'node', '--typeRoots', join(repository, 'tests/node_modules/@types')]
  return (await runScript(installed(name).folder, [tsc, ...options, ...nodeTypes, '--skipLibCheck', 'false', file])).out
}

const compilers = isRelease ? ['typescript57', 'typescript59', 'typescript'] : ['typescript57', 'typescript']

test.each(compilers)('@cdn/api: the types compile with %s, no library check left out', async (compiler) => {
  const program = `
    import { createLoggingClient, createManagementClient, unwrap } from '@cdn/api'
    import * as contract from '@cdn/api/contract'
    import * as batches from '@cdn/api/batches'
    const zone = await unwrap(createManagementClient({ accessKey: 'k' }).GET('/pullzone/{id}', { params: { path: { id: 1 } } }))
    const name: string | null | undefined = zone.Name
    export { batches, contract, createLoggingClient, name }`
  expect(await compile('@cdn/api', 'types.mts', program, compiler, 'nodenext')).toBe('')
})

// docs: "Import and require" in packages/api/README.md.
test.each([
  ...(isRelease ? ([['typescript57', 'nodenext', /TS1479/]] as const) : []),
  ...(isRelease ? ([['typescript59', 'nodenext', /^$/]] as const) : []),
  ...(isRelease ? ([['typescript', 'node16', /TS1479/]] as const) : []),
  ['typescript', 'nodenext', /^$/],
] as const)('@cdn/api: a CommonJS module with %s and module %s', async (compiler, module, errors) => {
  const program = `
    import { createManagementClient } from '@cdn/api'
    export const client = createManagementClient({ accessKey: 'k' })`
  expect(await compile('@cdn/api', 'types.cts', program, compiler, module)).toMatch(errors)
})

test('@cdn/api: require() on the oldest Node that supports it here, and on no older one', async () => {
  const { folder: cwd, oldest } = installed('@cdn/api')
  writeFileSync(join(cwd, 'main.cjs'), "console.log(typeof require('@cdn/api').createClient)")
  const outputs = [process.execPath, oldestNode('>=22.15'), oldest].map((node) =>
    runScript(cwd, ['main.cjs'], { node }),
  )
  const [newest, middle, old] = await Promise.all(outputs)
  expect([newest?.out, middle?.out]).toEqual(['function\n', 'function\n'])
  expect(old?.err).toContain('ERR_REQUIRE_ESM')
})

test.each(isRelease ? compilers : ['typescript'])(
  '@cdn/emulator: the types compile with %s, and refuse what is wrong',
  async (compiler) => {
    const program = `
    import { createEmulator, type Emulator } from '@cdn/emulator'
    const emulator: Emulator = await createEmulator({ clock: 'real' })
    export const zone: string = emulator.fixtures.loggedZoneId
    // @ts-expect-error: the name of a fault is checked
    emulator.faults.add('no-such-fault')`
    expect(await compile('@cdn/emulator', 'types.mts', program, compiler, 'nodenext')).toBe('')
  },
)

test('cdn-emulator serves, and the client reads from it', async () => {
  const { folder: cwd, oldest: node, program } = installed('@cdn/emulator')
  const served = await start(node, [program('cdn-emulator'), '--json', '--port', '0'], { cwd })
  const { managementUrl: baseUrl, accessKey }: { managementUrl: string; accessKey: string } = JSON.parse(served.line)
  const script = `
    import { createManagementClient } from '@cdn/api'
    const client = createManagementClient(${JSON.stringify({ baseUrl, accessKey })})
    const { data } = await client.GET('/pullzone/{id}', { params: { path: { id: 2001 } } })
    console.log(data.Id)`
  writeFileSync(join(installed('@cdn/api').folder, 'call.mjs'), script)
  expect(await runIn('@cdn/api', ['call.mjs'])).toBe('2001\n')
  expect([0, 130]).toContain(await served.stop())
})

test.each(isRelease ? ['mock', 'emulator'] : ['mock'])('cdn-conformance checks the %s', async (target) => {
  const program = installed('@cdn/conformance').program('cdn-conformance')
  expect(await runIn('@cdn/conformance', [program, 'run', '--target', target])).toContain(
    'conforms: each check that ran passed',
  )
})

test('cdn-conformance lists the checks, without a warning of an old Node', async () => {
  const { folder: cwd, oldest: node, program } = installed('@cdn/conformance')
  const { out, err } = await runScript(cwd, [program('cdn-conformance'), 'list', '--json'], { node })
  expect(JSON.parse(out).length).toBeGreaterThan(100)
  expect(err).toBe('')
})

test('the checks run in a vitest project of one file', async () => {
  const { credentials, ...ids } = emulator.fixtures
  const project = join(folder, 'own-checks')
  for (const [name, target] of [
    ['@cdn/conformance', join(installed('@cdn/conformance').folder, 'node_modules/@cdn/conformance')],
    ['vitest', join(repository, 'tests/node_modules/vitest')],
  ] as const) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true })
    symlinkSync(target, join(project, 'node_modules', name))
  }
  writeFileSync(
    join(project, 'fixtures.json'),
    JSON.stringify({ ...ids, watermarkFile: undefined, credentials: { accessKey: 'KEY' } }),
  )
  const file = `
    import { afterAll, test } from 'vitest'
    import { registerChecks } from '@cdn/conformance/vitest'
    await registerChecks({ test, afterAll }, ${JSON.stringify({ managementUrl, loggingUrl, fixtures: 'fixtures.json' })})`
  writeFileSync(join(project, 'platform.test.mjs'), file)
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--testNamePattern', 'get-pull-zone|get-video-library']
  const { code, out, err } = await runScript(project, args, { env: { KEY: credentials.accessKey } })
  expect(code, out + err).toBe(0)
  expect(out).toMatch(/Tests +[1-9]\d* passed/)
})

/** Prints what a test ran, so that the log shows how much it covers. */
async function report(counts: string, nodes: readonly string[]): Promise<void> {
  const versions = await Promise.all(nodes.map(async (node) => (await run(node, ['--version'])).out.trim()))
  process.stdout.write(`${counts}, Node ${versions.join(' and ')}\n`)
}

test('cdn: every command and every output format', async () => {
  const nodes = nodesOf('@cdn/cli')
  const env = {
    CDN_MANAGEMENT_URL: managementUrl,
    CDN_LOGGING_URL: loggingUrl,
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
    XDG_CONFIG_HOME: join(folder, 'config'),
    SHELL: '/bin/sh',
  }
  const program = join(installed('@cdn/cli').folder, 'bin/cdn')
  const counts = await Promise.all(
    nodes.map((node) => runCdn(program, { node, env, cwd: mkdtempSync(join(folder, 'cdn-')), isShort: !isRelease })),
  )
  await report(counts.join(' and '), nodes)
})

test('cdn-logs-exporter: every command, sink and format of segments', async () => {
  const nodes = nodesOf('@cdn/logs-exporter')
  const platform = {
    loggingUrl,
    zone: '10001',
    accessKey: emulator.fixtures.credentials.accessKey,
  }
  const program = join(installed('@cdn/logs-exporter').folder, 'bin/cdn-logs-exporter')
  report(await runExporterCases(program, platform, { nodes, isShort: !isRelease, parent: folder }), nodes)
})

test.each([['@cdn/emulator', 'cdn-emulator'], ['@cdn/conformance', 'cdn-conformance'], ...Object.entries(programs)])(
  '%s: on a Node that is too old, %s prints one sentence',
  async (name, bin) => {
    const { engines } = installed(name).manifest
    const sentence = `${bin}: Node 20.10.0 is too old; expected Node ${engines.node}. To install it: npm install --global node@24\n`
    const ended = await run(oldestNode('>=20.10'), [installed(name).program(bin), '--version'])
    expect(ended).toEqual({ code: 2, out: '', err: sentence })
  },
)

/** Creates a project with the emulator and one more package, without lenient options. Before a release, npm installs them. */
async function createProject(
  name: string,
  devDependencies: Record<string, string>,
  files: Record<string, string>,
): Promise<string> {
  const project = join(folder, name)
  const dependencies = { '@cdn/emulator': `file:${tarballOf('@cdn/emulator')}` }
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, dependencies, devDependencies }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text)
  await installIn(
    project,
    isRelease ? 'npm' : 'pnpm',
    isRelease ? ['--strict-peer-deps'] : ['--strict-peer-dependencies'],
  )
  return project
}

/** Requests the newest log entry and the list of zones, and prints the statuses. */
const ask = `
  const { fetch, managementUrl, loggingUrl, fixtures } = await createEmulator()
  const headers = { AccessKey: fixtures.credentials.accessKey }
  const logs = await fetch(new URL('v2/pullzones/' + fixtures.loggedZoneId + '/logs?limit=1', loggingUrl), { headers })
  const zones = await fetch(new URL('pullzone', managementUrl), { headers })
  const statuses = [logs.status, zones.status].join(' ')`

test.each(isRelease ? ['^3', '^4', '^5'] : [vitestVersion])('vitest %s: the fixture of the README', async (range) => {
  const file = `
    import { expect, test as base } from 'vitest'
    import { emulatorFixture } from '@cdn/emulator/vitest'
    const test = base.extend(emulatorFixture({ violations: 'fail' }))
    test('reads the newest entries', async ({ emulator: { fetch, loggingUrl, fixtures } }) => {
      const headers = { AccessKey: fixtures.credentials.accessKey }
      const path = 'v2/pullzones/' + fixtures.loggedZoneId + '/logs?limit=3&to=2026-06-17T14:30:00Z'
      expect((await fetch(new URL(path, loggingUrl), { headers })).status).toBe(200)
    })`
  const project = await createProject(`vitest ${range}`, { vitest: range }, { 'logs.test.mjs': file })
  const { code, out, err } = await runScript(project, ['node_modules/vitest/vitest.mjs', 'run'])
  expect(code, out + err).toBe(0)
  expect(out).toMatch(/1 passed/)
})

test.each(isRelease ? ['30'] : [])('jest %s: by import, with native ES modules', async (major) => {
  const file = `
    test('reads the newest entry', async () => {
      const { createEmulator } = await import('@cdn/emulator')
      ${ask}
      expect(statuses).toBe('200 200')
    }, 60_000)`
  const project = await createProject('jest', { jest: `^${major}` }, { 'logs.test.js': file })
  const env = { NODE_OPTIONS: '--experimental-vm-modules' }
  const { code, out, err } = await runScript(project, ['node_modules/jest/bin/jest.js'], { env })
  expect(code, out + err).toBe(0)
  expect(out + err).toMatch(/1 passed/)
})

test('CommonJS: require, on the oldest Node too', async () => {
  const file = `
    const { createEmulator } = require('@cdn/emulator')
    async function main() { ${ask}
      console.log(statuses) }
    main()`
  writeFileSync(join(installed('@cdn/emulator').folder, 'main.cjs'), file)
  for (const node of [process.execPath, installed('@cdn/emulator').oldest])
    expect(await runIn('@cdn/emulator', ['main.cjs'], node)).toBe('200 200\n')
})

test('esbuild: bundles as ESM and as CommonJS that need no other file', async () => {
  const file = `
    import { createEmulator } from '@cdn/emulator'
    async function main() { ${ask}
      console.log(statuses) }
    main()`
  const { folder: cwd } = installed('@cdn/emulator')
  writeFileSync(join(cwd, 'main.mjs'), file)
  const formats = { esm: 'bundle.mjs', cjs: 'bundle.cjs' } as const
  for (const format of ['esm', 'cjs'] as const)
    await build({
      absWorkingDir: cwd,
      entryPoints: ['main.mjs'],
      outfile: join(folder, formats[format]),
      bundle: true,
      platform: 'node',
      format,
      logLevel: 'error',
      // CommonJS modules in the bundle load Node's modules by `require`, which an ES module does not have.
      ...(format === 'esm' && {
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
      }),
    })
  for (const bundle of Object.values(formats)) {
    expect(readFileSync(join(folder, bundle), 'utf8').includes(cwd)).toBe(false)
    expect(await runScript(folder, [bundle])).toMatchObject({ code: 0, out: '200 200\n' })
  }
})
