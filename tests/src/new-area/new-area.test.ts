/** Adds a new area as docs/extending.md describes. Then everything that reads the contract includes the area. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPage } from '../docs/run-page.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { type ContractChecksRun, compile, runContractChecks, runIn, startIn, startMock } from '../run-in.ts'

const key = 'k'
let sandbox: Sandbox
let faults: string[]
let written: string[]
beforeAll(async () => {
  sandbox = createSandbox()
  faults = await runPage('docs/extending.md', sandbox)
  written = await writtenCode(sandbox)
}, 600_000)
afterAll(() => sandbox.close())

const names = ['list-certificates', 'order-certificate', 'delete-certificate']

test('the commands of the page work', () => {
  expect(faults).toEqual([])
})

test('types: its calls compile, and wrong ones do not', () => {
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
  expect(compile(sandbox.folder, ['tests/program.ts'], sandbox.write)).toBe('')
})

test('the mock is checked for each stated status', () => {
  const { checks }: ContractChecksRun = JSON.parse(sandbox.read('reports/mock/report.json'))
  const of = (name: string) => checks.filter(({ id }) => id.startsWith(`mock.${name}.`))
  expect(of('list-certificates').map(({ id }) => id.split('.')[2])).toEqual(['200', '401', 'no-credential'])
  expect(of('order-certificate').length).toBeGreaterThanOrEqual(8)
  expect(of('delete-certificate').map(({ id }) => id.split('.')[2])).toEqual(['204', '401', '404', 'no-credential'])
  expect(checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
})

test('contract checks pass without a fixture: the suite creates certificates; each requirement has a row', () => {
  const { checks, requirements, page } = runContractChecks(sandbox.folder, names)
  const of = (name: string) => checks.filter(({ id }) => id.split(/[./]/).includes(name))
  expect(of('list-certificates').length).toBeGreaterThanOrEqual(4)
  expect(of('list-certificates').filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  const others = [...of('order-certificate'), ...of('delete-certificate')]
  expect(others.length).toBeGreaterThanOrEqual(8)
  expect(others.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip')).toEqual([])
  const rows = new Map(requirements.map((row) => [row.id, row]))
  expect(rows.get('management.list-certificates.200')).toMatchObject({
    outcome: 'pass',
    section: '4.5',
    source: 'spec',
  })
  for (const id of [
    'order-certificate.201',
    'order-certificate.effect',
    'delete-certificate.204',
    'delete-certificate.effect',
  ])
    expect(rows.get(`management.${id}`), id).toMatchObject({ outcome: 'pass' })
  expect(page).toContain('management.delete-certificate.204')
})

test('with valid credentials, the emulator creates, lists and deletes, and starts with the items of a file', async () => {
  const args = ['--json', '--port', '0', '--state', 'certificates-state.yaml']
  const { ready, stop } = await startIn(sandbox.folder, '.', ['packages/emulator/src/bin.ts', ...args])
  try {
    const send = async (method: string, path: string, body?: string, accessKey = String(ready['accessKey'])) => {
      const headers = { AccessKey: accessKey, 'Content-Type': 'application/json' }
      return await fetch(new URL(path, String(ready['managementUrl'])), { method, headers, body: body ?? null })
    }
    const list = async () => await (await send('GET', 'certificates?page=1&perPage=5')).json()
    const first = { Id: 7, Hostname: 'a.example', ExpiresAt: null }
    expect(await list()).toEqual({ Items: [first], CurrentPage: 1, TotalItems: 1, HasMoreItems: false })
    expect((await send('GET', 'certificates?perPage=4')).status).toBe(400)
    const order = '{"Hostname":"b.example","KeyType":"rsa"}'
    expect((await send('POST', 'certificates', '{"Hostname":""}')).status).toBe(400)
    expect((await send('POST', 'certificates', order, 'wrong')).status).toBe(401)
    const created = await send('POST', 'certificates', order)
    const second = { Id: expect.any(Number), Hostname: 'b.example', ExpiresAt: null }
    expect([created.status, await created.json()]).toEqual([201, second])
    expect((await list()).Items).toEqual([first, second])
    expect((await send('DELETE', 'certificates/7', undefined, 'wrong')).status).toBe(401)
    expect([(await send('DELETE', 'certificates/7')).status, (await send('DELETE', 'certificates/7')).status]).toEqual([
      204, 404,
    ])
    expect((await list()).Items).toEqual([second])
  } finally {
    stop()
  }
})

test('no file of TypeScript is written except the facts, an example and generated files', () => {
  expect(written).toEqual(['packages/api/examples/certificates.ts'])
})

test('a nested area: the client creates, reads, changes and deletes zones and records in the emulator', async () => {
  const nested = createSandbox()
  try {
    expect(await runPage('tests/src/new-area/dns-zone.md', nested)).toEqual([])
    expect(await writtenCode(nested)).toEqual(['packages/api/examples/dns-zone.ts'])
    const { code, output } = runIn(nested.folder, 'specs', [
      vitest,
      'run',
      '--testTimeout=180000',
      'tools/facts.test.ts',
      '-t',
      facts,
    ])
    expect(code, output).toBe(0)
  } finally {
    nested.close()
  }
}, 600_000)

const vitest = 'node_modules/vitest/vitest.mjs'
const facts = 'state every fact|names everything|names a place once'

/** Returns the new and changed files of TypeScript, without generated ones and the table of facts. */
async function writtenCode({ run }: Sandbox): Promise<string[]> {
  const { output } = await run('git ls-files --modified --others --exclude-standard')
  return output.split('\n').filter((file) => file.endsWith('.ts') && !/\/gen\/|^specs\/tools\/tests\/facts/.test(file))
}

test('commands: they run, check their arguments and ask for confirmation before a deletion', async () => {
  const { ready, stop } = await startMock(sandbox.folder)
  const env = { CDN_MANAGEMENT_URL: String(ready['url']), CDN_ACCESS_KEY: key }
  const cdn = (...args: string[]) => runIn(sandbox.folder, '.', ['apps/cli/src/bin.ts', 'certificates', ...args], env)
  try {
    expect(cdn('list', '--page', '1').code).toBe(0)
    expect(cdn('list', '--per-page', '4').code).toBe(2)
    expect(cdn('order', '--hostname', 'a.invalid', '--key-type', 'rsa').code).toBe(0)
    expect(cdn('delete', '7', '--yes').code).toBe(0)
    expect(cdn('delete', '7').code).toBe(2)
  } finally {
    stop()
  }
})

test('the tests of the contract and of the mutants pass', () => {
  const run = (folder: string, ...args: string[]) =>
    runIn(sandbox.folder, folder, [vitest, 'run', '--testTimeout=180000', ...args])
  // `pnpm walk-through` runs all tests.
  for (const { code, output } of [
    run('specs', 'tools/facts.test.ts', '-t', facts),
    run('packages/conformance', 'tests/mutants/mutants.test.ts'),
  ])
    expect(code, output).toBe(0)
})
