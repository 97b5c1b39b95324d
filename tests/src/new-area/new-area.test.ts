/**
 * A changed contract takes effect everywhere, without code: first two new areas, one as docs/new-area.md describes and one with nested
 * items; then a changed fact. All tests use one copy of the repository, in this order.
 */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runPage } from '../docs/run-page.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { compile, evaluate, runIn, startEmulator } from '../run-in-copy.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = createSandbox()
})
afterAll(() => sandbox.close())

const run = (folder: string, ...args: string[]) => runIn(sandbox.folder, folder, args)

function edit(file: string, from: string | RegExp, to: string): void {
  const before = sandbox.read(file)
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  sandbox.write(file, after)
}

function generate(): void {
  const { code, output } = run('packages/api', 'scripts/generate.ts')
  expect(code, output).toBe(0)
}

/**
 * Runs checks of the copy, each on a new emulator, without a network.
 *
 * @param names `x-name`s, or other parts of the ids of checks
 * @returns the ids of the checks that fail, and the number of those that pass
 */
function check(names: readonly string[]) {
  return evaluate<{ wrong: string[]; passed: number }>(
    sandbox.folder,
    'tests',
    `
    import { createEmulator } from '@cdn/emulator'
    import { createPlan, runCheck, sessionOn } from '@cdn/conformance'
    const names = ${JSON.stringify(names)}
    const { signal } = new AbortController()
    const wrong = []
    let passed = 0
    const shared = new Map()
    for (const check of createPlan().checks.filter(({ id }) => id.split(/[./]/).some((part) => names.includes(part)))) {
      const { result } = await runCheck(check, { ...sessionOn(await createEmulator()), shared }, { signal })
      if (result.outcome === 'pass') passed++
      else if (result.outcome !== 'skip') wrong.push(check.id)
    }
    console.log(JSON.stringify({ wrong, passed }))`,
  )
}

describe('new areas', { timeout: 600_000 }, () => {
  test('the first area is written as docs/new-area.md says, without code', async () => {
    expect(await runPage('docs/new-area.md', sandbox)).toEqual([])
    const { output } = await sandbox.run('git ls-files --modified --others --exclude-standard')
    const written = output.split('\n').filter((file) => file.endsWith('.ts'))
    expect(written.filter((file) => !/\/gen\/|^tests\/snippet-/.test(file))).toEqual([])
  })

  test('the second area, with nested items, passes the lint', () => {
    cpSync(join(import.meta.dirname, 'dns-zone.yaml'), join(sandbox.folder, 'specs/management/dns-zone.yaml'))
    edit('specs/management/openapi.yaml', /( {2}- name: DNS Zone\n) {4}x-unspecified:\n.*\n/, '$1')
    const chapter = readFileSync(join(import.meta.dirname, 'dns-zone.md'), 'utf8')
    edit('specs/SPEC.md', '## §5', `${chapter}## §5`)
    const paths = {
      '': 'zones',
      '/availability': 'availability',
      '/{id}': 'zone',
      '/{zoneId}/records': 'records',
      '/{zoneId}/records/{id}': 'record',
    }
    const links = Object.entries(paths).map(([path, key]) => `  /dnszone${path}:\n    $ref: dns-zone.yaml#/${key}\n`)
    edit('specs/management/openapi.yaml', '\npaths:\n', `\npaths:\n${links.join('')}`)
    const { code, output } = run('specs', 'tools/scripts/lint.ts')
    expect(code, output).toBe(0)
    generate()
  })

  test('have types: calls compile, wrong ones do not, and a client creates, reads, changes and deletes', async () => {
    const program = `import { createManagementClient } from '@cdn/api'
const client = createManagementClient({ accessKey: 'k' })
const { data } = await client.GET('/certificates', { params: { query: { page: 1 } } })
data?.Items[0]?.ExpiresAt?.toUpperCase()
await client.POST('/certificates', { body: { Hostname: 'a', KeyType: 'rsa' } })
await client.DELETE('/certificates/{id}', { params: { path: { id: 9007199254740993n } } })
// @ts-expect-error: no key of this type
await client.POST('/certificates', { body: { Hostname: 'a', KeyType: 'dsa' } })
// @ts-expect-error: not issued yet, so null
data?.Items[0]?.ExpiresAt.toUpperCase()
`
    sandbox.write('tests/program.ts', program)
    sandbox.write('tests/dns-zone.ts', readFileSync(join(import.meta.dirname, 'dns-zone.ts.txt'), 'utf8'))
    expect(compile(sandbox.folder, ['tests/program.ts', 'tests/dns-zone.ts'], sandbox.write)).toBe('')
    expect(await sandbox.run('node tests/dns-zone.ts')).toEqual({ code: 0, output: '' })
  })

  test('have a mock, which shows each stated status and refuses wrong bodies', () => {
    const suite = ['packages/conformance/src/bin.ts', 'run', '--target', 'mock']
    const { code, output } = run('.', ...suite, '--only', 'mock.*certificate*,mock.*dns*')
    expect(code, output).toBe(0)
    const report = sandbox.read('reports/mock/report.json')
    for (const id of ['list-certificates.200', 'order-certificate.400', 'delete-certificate.404'])
      expect(report).toContain(`"mock.${id}"`)
  })

  test('have checks, which pass on their emulator', () => {
    const nested = ['zone', 'record'].flatMap((item) =>
      [`list-dns-${item}s`].concat(['create', 'add', 'get', 'update', 'delete'].map((verb) => `${verb}-dns-${item}`)),
    )
    const { wrong, passed } = check([
      ...['list-certificates', 'order-certificate', 'delete-certificate', 'check-dns-domain'],
      ...nested,
    ])
    expect(wrong).toEqual([])
    expect(passed).toBeGreaterThan(60)
  })

  test('the first area has mutants, which its checks kill: here one per operator and operation, all in `pnpm test:full`', () => {
    const script = `
      import { operations } from '@cdn/api/contract'
      import { createPlan } from '@cdn/conformance'
      import { applicableMutants } from './mutants/all-mutants.ts'
      import { runMatrix, survivorsOf } from './mutants/matrix.ts'
      const names = operations.filter(({ area }) => area === 'Certificates').map(({ name }) => name)
      const all = applicableMutants.filter((mutant) => mutant.operations?.every((name) => names.includes(name)))
      const kinds = new Set()
      const isFirst = ({ id, operations: [name] = [] }) => kinds.size < kinds.add(id.split('.')[0] + name).size
      const chosen = ${propertyRuns(1) > 1} ? all : all.filter(isFirst)
      const checks = createPlan().checks.filter(({ id }) => id.split(/[./]/).some((part) => names.includes(part)))
      const survivors = survivorsOf(await runMatrix(chosen, { enough: true, checks })).map(({ id }) => id)
      console.log(JSON.stringify({ count: chosen.length, survivors }))`
    const { count, survivors } = evaluate<{ count: number; survivors: string[] }>(
      sandbox.folder,
      'packages/conformance/tests',
      script,
    )
    expect(survivors).toEqual([])
    expect(count).toBeGreaterThan(20)
  })

  test('a deletion that hits other items is accused, not the creation before it, whose response shows no id', () => {
    const script = `
      import { createPlan } from '@cdn/conformance'
      import { applicableMutants } from './mutants/all-mutants.ts'
      import { runMatrix } from './mutants/matrix.ts'
      const chosen = applicableMutants.filter(({ id }) => /^change.delete-dns-record.(other|every)-item$/.test(id))
      const checks = createPlan().checks.filter(({ id }) => /^management.delete-dns-record.(encoding|effect)$/.test(id))
      const { mutants } = await runMatrix(chosen, { checks })
      console.log(JSON.stringify(mutants.map(({ killedBy, verdict }) => [killedBy.length > 0, verdict.untrue])))`
    expect(evaluate(sandbox.folder, 'packages/conformance/tests', script)).toEqual([
      [true, []],
      [true, []],
    ])
  })

  test('have commands, which check their arguments and ask before a deletion', async () => {
    const { env, stop } = await startEmulator(sandbox.folder)
    const cdn = (...args: string[]) => runIn(sandbox.folder, '.', ['apps/cli/src/bin.ts', 'certificates', ...args], env)
    try {
      expect(cdn('order', '--help').stdout).toContain('(choices: "rsa", "ecdsa")')
      const { stdout } = cdn('order', '--hostname', 'a.invalid', '--key-type', 'rsa', '--query', 'Id')
      expect(cdn('list', '--page', '1').stdout).toContain('a.invalid')
      expect(cdn('order', '--hostname', 'a.invalid', '--key-type', 'dsa').code).toBe(2)
      expect(cdn('delete', stdout.trim()).code).toBe(2)
      expect(cdn('delete', stdout.trim(), '--yes').code).toBe(0)
    } finally {
      stop()
    }
  })
})

describe('a changed fact', { timeout: 600_000 }, () => {
  test('is refused by the lint, until the text of the spec states it, too', () => {
    edit('specs/logging/openapi.yaml', 'requests: 30', 'requests: 20')
    const { code, output } = run('specs', 'tools/scripts/lint.ts')
    const fault = expect.stringMatching(
      /^specs\/logging\/openapi\.yaml:\d+ {2}§8 does not have "20 in 10 seconds per pull zone"/m,
    )
    expect([code, output]).toEqual([1, fault])
    edit('specs/SPEC.md', '30 in 10 seconds', '20 in 10 seconds')
    edit('specs/logging/openapi.yaml', 'Requests beyond 30', 'Requests beyond 20')
    const corrected = run('specs', 'tools/scripts/lint.ts')
    expect(corrected.code, corrected.output).toBe(0)
  })

  test('changes client, emulator and suite', () => {
    generate()
    expect(evaluate(sandbox.folder, 'packages/conformance', countAccepted)).toEqual({ emulator: 20, client: 20 })
    expect(check(['rate-limit']).wrong).toEqual([])
  })
})

/** Prints how many of 40 requests at the same virtual time the emulator accepts, and how many the client's limiter starts. */
const countAccepted = `
  import { createEmulator } from '@cdn/emulator'
  import { createLimiter } from '@cdn/api'
  const { fetch, loggingUrl, fixtures } = await createEmulator()
  const url = new URL('/v2/pullzones/' + fixtures.loggedZoneId + '/logs', loggingUrl)
  const headers = { AccessKey: fixtures.credentials.accessKey }
  let emulator = 0
  let client = 0
  for (let sent = 0; sent < 40; sent++) if ((await fetch(url, { headers })).ok) emulator++
  const limiter = createLimiter({ now: () => 0, sleep: () => new Promise(() => {}) })
  for (let sent = 0; sent < 40; sent++) limiter.run(1, async () => void client++)
  await new Promise((resolve) => setImmediate(resolve))
  console.log(JSON.stringify({ emulator, client }))
`
