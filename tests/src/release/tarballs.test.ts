/** The published packages work outside the workspace, with the oldest Node that each package supports. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defined } from '@cdn/kit/defined'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository } from '../copy.ts'
import { type Installation, installTarballs, type Manifest, oldestNode } from './pack.ts'

/** Before a release, all test runners and compilers are tested; otherwise the oldest and newest compiler and the newest vitest. */
const isRelease = process.env['CDN_RELEASE'] === '1'

let installed: Installation
let projects: string
beforeAll(() => {
  installed = installTarballs()
  projects = mkdtempSync(join(tmpdir(), 'projects-'))
}, 240_000)
afterAll(() => {
  installed.close()
  rmSync(projects, { recursive: true, force: true })
})

const names = ['@cdn/api', '@cdn/emulator', '@cdn/conformance', '@cdn/logs-exporter', '@cdn/cli']

function nodeOf(name: string): string {
  return oldestNode(installed.manifest(name).engines.node)
}

/** Runs a script in the installation, with an empty environment and the oldest Node that the package supports. */
function run(name: string, args: readonly string[]): string {
  return execFileSync(nodeOf(name), args, { cwd: installed.folder, env: {}, encoding: 'utf8', timeout: 180_000 })
}

test('no manifest refers to the workspace', () => {
  for (const name of names) {
    const { dependencies = {}, bin = {}, exports = {} }: Manifest = installed.manifest(name)
    expect(JSON.stringify({ dependencies, bin, exports }), name).not.toMatch(/workspace:|\/src\//)
  }
})

test.each(['@cdn/api', '@cdn/emulator', '@cdn/conformance'])('every entry of %s can be imported', (name) => {
  const { exports = {} } = installed.manifest(name)
  // The fixture for vitest needs vitest, which users install themselves.
  const entries = Object.keys(exports).filter(
    (entry) => !['./vitest', './cli'].includes(entry) && !entry.endsWith('.json'),
  )
  expect(entries.length).toBeGreaterThan(0)
  const imports = entries.map((entry) => `await import(${JSON.stringify(join(name, entry))})`).join('\n')
  writeFileSync(join(installed.folder, 'entries.mjs'), `${imports}\nconsole.log('imported')`)
  expect(run(name, ['entries.mjs'])).toBe('imported\n')
})

test.each(['typescript57', ...(isRelease ? ['typescript59'] : []), 'typescript'])(
  'the types of @cdn/api compile with %s, no library check left out',
  (compiler) => {
    const program = `
    import { createLoggingClient, createManagementClient, unwrap } from '@cdn/api'
    import * as contract from '@cdn/api/contract'
    import * as batches from '@cdn/api/batches'
    const zone = await unwrap(createManagementClient({ accessKey: 'k' }).GET('/pullzone/{id}', { params: { path: { id: 1 } } }))
    const name: string | null | undefined = zone.Name
    export { batches, contract, createLoggingClient, name }`
    writeFileSync(join(installed.folder, 'types.mts'), program)
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--module', 'nodenext']
    const nodeTypes = ['--types', 'node', '--typeRoots', join(repository, 'tests/node_modules/@types')]
    const tsc = join(repository, 'tests/node_modules', compiler, 'bin/tsc')
    expect(compile([tsc, ...options, ...nodeTypes, '--skipLibCheck', 'false', 'types.mts'])).toBe('')
  },
)

/** Returns the output of a compiler, even if the compiler exits with an error. */
function compile(args: readonly string[]): string {
  return spawnSync(process.execPath, args, { cwd: installed.folder, encoding: 'utf8' }).stdout
}

test('cdn-emulator serves, and the client reads from it', async () => {
  const program = installed.program('cdn-emulator')
  const emulator = spawn(nodeOf('@cdn/emulator'), [program, '--json', '--port', '0'], {
    cwd: installed.folder,
    env: {},
  })
  try {
    const [line] = await once(createInterface({ input: emulator.stdout }), 'line')
    const { managementUrl, accessKey }: { managementUrl: string; accessKey: string } = JSON.parse(line)
    const script = `
      import { createManagementClient } from '@cdn/api'
      const client = createManagementClient(${JSON.stringify({ baseUrl: managementUrl, accessKey })})
      const { data } = await client.GET('/pullzone/{id}', { params: { path: { id: 2001 } } })
      console.log(data.Id)`
    writeFileSync(join(installed.folder, 'call.mjs'), script)
    expect(run('@cdn/api', ['call.mjs'])).toBe('2001\n')
  } finally {
    emulator.kill()
  }
})

test('cdn-conformance runs checks', () => {
  const program = installed.program('cdn-conformance')
  const printed = run('@cdn/conformance', [program, 'run', '--target', 'mock'])
  expect(printed).toContain('The mock conforms: each check that ran passed')
})

test('the checks run in a vitest project of one file', async () => {
  const emulator = spawn(nodeOf('@cdn/emulator'), [installed.program('cdn-emulator'), '--json', '--port', '0'])
  const folder = join(projects, 'own-checks')
  try {
    const [line] = await once(createInterface({ input: emulator.stdout }), 'line')
    const { managementUrl, loggingUrl, fixtures, env } = JSON.parse(line)
    mkdirSync(folder)
    for (const [name, target] of [
      ['@cdn', join(installed.folder, 'node_modules/@cdn')],
      ['vitest', join(repository, 'tests/node_modules/vitest')],
    ] as const) {
      mkdirSync(join(folder, 'node_modules'), { recursive: true })
      symlinkSync(target, join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
    const file = `
      import { afterAll, test } from 'vitest'
      import { registerChecks } from '@cdn/conformance/vitest'
      await registerChecks({ test, afterAll }, ${JSON.stringify({ managementUrl, loggingUrl, fixtures: 'fixtures.json' })})`
    writeFileSync(join(folder, 'platform.test.mjs'), file)
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--testNamePattern', 'get-pull-zone|get-video-library']
    const { status, output } = runIn(folder, args, { env })
    expect(status, output).toBe(0)
    expect(output).toMatch(/Tests +[1-9]\d* passed/)
  } finally {
    emulator.kill()
  }
})

test.each([
  ['@cdn/cli', 'cdn'],
  ['@cdn/logs-exporter', 'cdn-logs-exporter'],
])('%s: %s prints its help', (name, bin) => {
  expect(run(name, [installed.program(bin), '--help'])).toContain(bin)
})

test.each([
  ['@cdn/emulator', 'cdn-emulator'],
  ['@cdn/conformance', 'cdn-conformance'],
  ['@cdn/cli', 'cdn'],
  ['@cdn/logs-exporter', 'cdn-logs-exporter'],
])('%s: on a Node that is too old, %s prints one sentence', (name, bin) => {
  const node = oldestNode('>=20.10')
  const { status, stdout, stderr } = spawnSync(node, [installed.program(bin), '--version'], { encoding: 'utf8' })
  const { engines } = installed.manifest(name)
  const sentence = `${bin}: Node 20.10.0 is too old; expected Node ${engines.node}\n`
  expect([status, stdout, stderr]).toEqual([2, '', sentence])
})

/** Creates a project with the emulator and the given dependencies. npm installs them without lenient options. */
function createProject(name: string, devDependencies: Record<string, string>, files: Record<string, string>): string {
  const folder = join(projects, name)
  const dependencies = Object.fromEntries(
    ['@cdn/api', '@cdn/emulator'].map((name) => [name, defined(installed.tarballs[name])]),
  )
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, dependencies, devDependencies }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const options = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--strict-peer-deps', '--ignore-scripts']
  const { status, stdout, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return folder
}

function runIn(folder: string, args: readonly string[], { node = process.execPath, env = {} } = {}) {
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env },
  })
  return { status, stdout, output: stdout + stderr }
}

/** Requests the newest log entry and the list of zones, and prints the statuses. */
const ask = `
  const { fetch, managementUrl, loggingUrl, fixtures } = await createEmulator()
  const headers = { AccessKey: fixtures.credentials.accessKey }
  const logs = await fetch(new URL('v2/pullzones/' + fixtures.loggedZoneId + '/logs?limit=1', loggingUrl), { headers })
  const zones = await fetch(new URL('pullzone', managementUrl), { headers })
  const statuses = [logs.status, zones.status].join(' ')`

test.each(isRelease ? ['3', '4', '5'] : ['5'])('vitest %s: the fixture of the README', (major) => {
  const file = `
    import { expect, test as base } from 'vitest'
    import { emulatorFixture } from '@cdn/emulator/vitest'
    const test = base.extend(emulatorFixture({ violations: 'fail' }))
    test('reads the newest entries', async ({ emulator: { fetch, loggingUrl, fixtures } }) => {
      const headers = { AccessKey: fixtures.credentials.accessKey }
      const path = 'v2/pullzones/' + fixtures.loggedZoneId + '/logs?limit=3&to=2026-06-17T14:30:00Z'
      expect((await fetch(new URL(path, loggingUrl), { headers })).status).toBe(200)
    })`
  const folder = createProject(`vitest-${major}`, { vitest: `^${major}` }, { 'logs.test.mjs': file })
  const { status, output } = runIn(folder, ['node_modules/vitest/vitest.mjs', 'run'])
  expect(status, output).toBe(0)
  expect(output).toMatch(/1 passed/)
})

test.each(isRelease ? ['30'] : [])('jest %s: by import, with native ES modules', (major) => {
  const file = `
    test('reads the newest entry', async () => {
      const { createEmulator } = await import('@cdn/emulator')
      ${ask}
      expect(statuses).toBe('200 200')
    })`
  const folder = createProject('jest', { jest: `^${major}` }, { 'logs.test.js': file })
  const env = { NODE_OPTIONS: '--experimental-vm-modules' }
  const { status, output } = runIn(folder, ['node_modules/jest/bin/jest.js'], { env })
  expect(status, output).toBe(0)
  expect(output).toMatch(/1 passed/)
})

test('CommonJS: require, on the oldest Node too', () => {
  const file = `
    const { createEmulator } = require('@cdn/emulator')
    async function main() { ${ask}
      console.log(statuses) }
    main()`
  writeFileSync(join(installed.folder, 'main.cjs'), file)
  for (const node of [process.execPath, oldestNode('>=22.15')])
    expect(runIn(installed.folder, ['main.cjs'], { node })).toMatchObject({ status: 0, output: '200 200\n' })
})

test('esbuild: bundles as ESM and as CommonJS that need no other file', async () => {
  const file = `
    import { createEmulator } from '@cdn/emulator'
    async function main() { ${ask}
      console.log(statuses) }
    main()`
  writeFileSync(join(installed.folder, 'main.mjs'), file)
  const formats = { esm: 'bundle.mjs', cjs: 'bundle.cjs' } as const
  for (const format of ['esm', 'cjs'] as const)
    await build({
      absWorkingDir: installed.folder,
      entryPoints: ['main.mjs'],
      outfile: join(projects, formats[format]),
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
    expect(readFileSync(join(projects, bundle), 'utf8').includes(installed.folder)).toBe(false)
    expect(runIn(projects, [bundle])).toMatchObject({ status: 0, output: '200 200\n' })
  }
})
