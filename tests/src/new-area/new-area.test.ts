/** An area that the document did not name, as docs/extending.md brings it in: all readers of the contract have it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPage } from '../docs/run-page.ts'
import { createSandbox, type Sandbox } from '../docs/sandbox.ts'
import { compile, runIn, startIn, startMock } from '../run-in.ts'

const key = 'k'
let sandbox: Sandbox
let faults: string[]
beforeAll(async () => {
  sandbox = createSandbox()
  faults = await runPage('docs/extending.md', sandbox)
}, 180_000)
afterAll(() => sandbox.close())

function report(target: string) {
  return JSON.parse(sandbox.read(`reports/${target}/report.json`)) as {
    requirements: { id: string; outcome: string; section: string; ground: string }[]
    checks: { id: string; outcome: string; message?: string }[]
  }
}

test('the page does what it says', () => {
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

test('the mock is held to each stated status', () => {
  const { checks } = report('mock')
  const of = (name: string) => checks.filter(({ id }) => id.startsWith(`mock.${name}.`))
  expect(of('list-certificates').map(({ id }) => id.split('.')[2])).toEqual(['200', '401', 'no-credential'])
  expect(of('order-certificate').length).toBeGreaterThanOrEqual(8)
  expect(of('delete-certificate').map(({ id }) => id.split('.')[2])).toEqual(['204', '401', '404', 'no-credential'])
  expect(checks.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
})

test('laws: those of the operation with a handler pass, the others are skipped with the reason', () => {
  const { checks } = report('emulator')
  const of = (name: string) => checks.filter(({ id }) => id.split(/[./]/).includes(name))
  expect(of('list-certificates').length).toBeGreaterThanOrEqual(4)
  expect(of('list-certificates').filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  const others = [...of('order-certificate'), ...of('delete-certificate')]
  expect(others.length).toBeGreaterThanOrEqual(8)
  expect(others.filter(({ outcome }) => outcome !== 'skip')).toEqual([])
  const reasons = others.map(({ message }) => message)
  expect(reasons).toContain('the emulator does not have order-certificate yet: it has no handler of that name')
  expect(reasons).toContain('the fixtures have no value for {id}')
})

test('rows of the report: one a requirement, with its outcome', () => {
  const rows = new Map(report('emulator').requirements.map((row) => [row.id, row]))
  expect(rows.get('management.list-certificates.200')).toMatchObject({
    outcome: 'pass',
    section: '4.5',
    ground: 'document',
  })
  expect(rows.get('management.order-certificate.201')).toMatchObject({ outcome: 'skip', ground: 'document' })
  expect(sandbox.read('reports/emulator/index.html')).toContain('management.delete-certificate.204')
})

test('the emulator answers what it has, and 501 to the rest, once the credentials are good', async () => {
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

test('commands: they run, check their arguments and ask before something is lost', async () => {
  const { ready, stop } = await startMock(sandbox.folder)
  const env = { CDN_MANAGEMENT_URL: String(ready['url']), CDN_ACCESS_KEY: key }
  const cdn = (...args: string[]) => runIn(sandbox.folder, '.', ['apps/cli/src/bin.ts', 'certificates', ...args], env)
  try {
    expect(cdn('list-certificates', '--page', '1').code).toBe(0)
    expect(cdn('list-certificates', '--per-page', '4').code).toBe(2)
    expect(cdn('order-certificate', '--hostname', 'a.invalid', '--key-type', 'rsa').code).toBe(0)
    expect(cdn('delete-certificate', '7', '--yes').code).toBe(0)
    expect(cdn('delete-certificate', '7').code).toBe(2)
  } finally {
    stop()
  }
})

test('the tests of the packages ask for nothing more', () => {
  const vitest = 'node_modules/vitest/vitest.mjs'
  const run = (folder: string, ...args: string[]) =>
    runIn(sandbox.folder, folder, [vitest, 'run', '--testTimeout=60000', ...args])
  for (const { code, output } of [
    run('specs', 'document.test.ts', 'scripts/readme.test.ts'),
    run('packages/api', 'scripts', '-t', 'committed|table in README'),
    run('packages/emulator', 'src/http/dispatch.test.ts', '-t', 'handler'),
    run('packages/conformance', 'src/plan.test.ts', 'src/mutants/mutants.test.ts', 'src/probes', '-t', '^(?!.*apart)'),
  ])
    expect(code, output).toBe(0)
})
