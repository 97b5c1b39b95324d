/** Adds a new area as docs/extending.md describes. Then everything that reads the contract includes the area. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPage } from '../docs/run-page.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { type ContractChecksRun, compile, runContractChecks, runIn, startIn, startMock } from '../run-in.ts'

const key = 'k'
let sandbox: Sandbox
let faults: string[]
beforeAll(async () => {
  sandbox = createSandbox()
  faults = await runPage('docs/extending.md', sandbox)
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

test('contract checks: those of the operation with a handler pass, the others are skipped; each requirement has a row', () => {
  const { checks, requirements, page } = runContractChecks(sandbox.folder, names)
  const of = (name: string) => checks.filter(({ id }) => id.split(/[./]/).includes(name))
  expect(of('list-certificates').length).toBeGreaterThanOrEqual(4)
  expect(of('list-certificates').filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  const others = [...of('order-certificate'), ...of('delete-certificate')]
  expect(others.length).toBeGreaterThanOrEqual(8)
  expect(others.filter(({ outcome }) => outcome !== 'skip')).toEqual([])
  const reasons = others.map(({ message }) => message)
  expect(reasons).toContain('the emulator does not implement order-certificate yet: it has no handler of that name')
  expect(reasons).toContain('the fixtures have no value for {id}')
  const rows = new Map(requirements.map((row) => [row.id, row]))
  expect(rows.get('management.list-certificates.200')).toMatchObject({
    outcome: 'pass',
    section: '4.5',
    source: 'spec',
  })
  expect(rows.get('management.order-certificate.201')).toMatchObject({ outcome: 'skip', source: 'spec' })
  expect(page).toContain('management.delete-certificate.204')
})

test('with valid credentials, the emulator answers implemented operations, and 501 to the others', async () => {
  const { ready, stop } = await startIn(sandbox.folder, '.', ['packages/emulator/src/bin.ts', '--json', '--port', '0'])
  try {
    const send = async (method: string, path: string, accessKey = String(ready['accessKey']), body?: string) => {
      const headers = { AccessKey: accessKey, 'Content-Type': 'application/json' }
      return await fetch(new URL(path, String(ready['managementUrl'])), { method, headers, body: body ?? null })
    }
    expect(await (await send('GET', 'certificates?page=3')).json()).toMatchObject({ CurrentPage: 3, Items: [] })
    expect((await send('GET', 'certificates?perPage=4')).status).not.toBe(200)
    const order = '{"Hostname":"a.invalid","KeyType":"rsa"}'
    expect((await send('POST', 'certificates', undefined, order)).status).toBe(501)
    expect((await send('POST', 'certificates', undefined, '{"Hostname":""}')).status).toBe(400)
    expect((await send('DELETE', 'certificates/7')).status).toBe(501)
    expect((await send('DELETE', 'certificates/7', 'wrong')).status).toBe(401)
  } finally {
    stop()
  }
})

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
  const vitest = 'node_modules/vitest/vitest.mjs'
  const run = (folder: string, ...args: string[]) =>
    runIn(sandbox.folder, folder, [vitest, 'run', '--testTimeout=180000', ...args])
  // `pnpm walk-through` runs all tests.
  for (const { code, output } of [
    run('specs', 'tools/document.test.ts', '-t', 'state every fact|names everything|names a place once'),
    run('packages/mutants', 'src/mutants.test.ts'),
  ])
    expect(code, output).toBe(0)
})
