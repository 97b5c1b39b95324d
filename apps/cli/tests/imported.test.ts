/** Operations of imported contracts. They have other media types, unreviewed effects, and a separate interface. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contract, contracts, type Operation, type Schema } from '@cdn/api/contract'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findOperation } from '../src/commands/api/match.ts'
import { readTarget } from '../src/commands/api/options.ts'
import { fetchFrom, runCli, type Setting } from './support/cli.ts'

const { management } = contracts
const base: Operation = {
  interface: 'management',
  name: 'export-things',
  method: 'get',
  path: '/things/export',
  area: 'Pull Zone',
  summary: 'Export things',
  effect: 'read',
  assumed: false,
  source: 'supplement',
  schemes: ['AccessKey'],
  scopes: [],
  parameters: [],
  responses: [],
}

function responding(name: string, content: Record<string, Schema>, more: Partial<Operation> = {}): Operation {
  return { ...base, name, responses: [{ status: '200', description: 'Done.', content }], ...more }
}

const imported: readonly Operation[] = [
  responding('binary', { 'application/octet-stream': {} }),
  responding('either', { 'text/plain': {}, 'application/json': {} }),
  responding(
    'assumed',
    { 'application/json': {} },
    { method: 'post', path: '/things/assumed', effect: 'write', assumed: true },
  ),
]
// Safe: the list is an array at run time. The tests add operations to the contract.
const operations = management.operations as Operation[]
/** The name's type allows only the interfaces that exist outside of tests. */
const name = 'stream' as 'management'
beforeEach(() => void operations.push(...imported))
afterEach(() => void operations.splice(operations.length - imported.length))

const env = { CDN_ACCESS_KEY: 'k', CDN_MANAGEMENT_URL: 'https://m.example' }
const bytes = Uint8Array.from([0, 255, 27, 91, 50, 74, 10])

function respondWith(body: Uint8Array<ArrayBuffer> | string, type: string) {
  const requests: Request[] = []
  const fetch = fetchFrom((request) => {
    requests.push(request)
    return new Response(body, { headers: { 'Content-Type': type } })
  })
  const run = (line: string, setting: Setting = {}) => runCli(line.split(' '), { env, fetch, ...setting })
  return { requests, run }
}

describe('a binary response', () => {
  const createFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cdn-binary-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  test('is saved in a file, which it replaces', async () => {
    const { run } = respondWith(bytes, 'application/octet-stream')
    const folder = await createFolder()
    await writeFile(join(folder, 'a.bin'), 'old and longer than the new one')
    expect(await run(`pull-zone binary --output-file ${folder}/a.bin`)).toEqual({ code: 0, out: '', err: '' })
    expect(new Uint8Array(await readFile(join(folder, 'a.bin')))).toEqual(bytes)
    expect(await readdir(folder)).toEqual(['a.bin'])
  })

  test('that is truncated leaves an existing file unchanged', async () => {
    const folder = await createFolder()
    await writeFile(join(folder, 'a.bin'), 'old')
    const fetch = fetchFrom(() => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(bytes),
        pull: (controller) => controller.error(new Error('reset')),
      })
      return new Response(body, { headers: { 'Content-Type': 'application/octet-stream' } })
    })
    const { run } = respondWith('', '')
    expect((await run(`pull-zone binary --output-file ${folder}/a.bin`, { fetch })).code).toBe(1)
    expect(await readFile(join(folder, 'a.bin'), 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['a.bin'])
  })

  test('goes to a pipe unchanged, and not to a terminal', async () => {
    const { run, requests } = respondWith(bytes, 'application/octet-stream')
    expect((await run('pull-zone binary')).out).toBe(new TextDecoder().decode(bytes))
    const terminal = await run('pull-zone binary', { columns: 80 })
    expect(terminal).toMatchObject({ code: 2, out: '', err: expect.stringContaining('give --output-file FILE') })
    expect(requests).toHaveLength(1)
  })

  test('that cannot be saved is reported in one sentence', async () => {
    const { run } = respondWith(bytes, 'application/octet-stream')
    const { code, err } = await run('pull-zone binary --output-file /nonexistent/a')
    expect([code, err]).toEqual([1, 'cdn: /nonexistent/a cannot be written: the folder does not exist\n'])
  })
})

test('JSON is requested and printed if text is offered next to it', async () => {
  const { run, requests } = respondWith('{"a":[1,2]}', 'application/json')
  expect((await run('pull-zone either --query a[1]')).out).toBe('2\n')
  expect(requests[0]?.headers.get('Accept')).toBe('application/json')
})

test('an operation with an assumed effect asks for confirmation', async () => {
  const { run, requests } = respondWith('{}', 'application/json')
  expect(await run('pull-zone assumed')).toEqual({
    code: 2,
    out: '',
    err: 'cdn: Export things: POST /things/assumed on m.example. The effect of this operation has not been reviewed. Without a terminal for a prompt, confirm with --yes.\n',
  })
  expect(requests).toEqual([])
  expect((await run('pull-zone assumed --yes')).code).toBe(0)
  expect((await run('pull-zone assumed --help')).out).toContain('has not been reviewed')
})

test('an imported interface is a group of its own', async () => {
  const stream: Contract = {
    ...management,
    interface: name,
    title: 'Stream API',
    source: 'supplement',
    areas: [{ name: 'Videos', unspecified: false }],
    operations: [responding('list', { 'application/json': {} }, { interface: name, area: 'Videos' })],
  }
  Object.assign(contracts, { stream })
  try {
    expect((await runCli(['--help'])).out).toMatch(/Imported interfaces:\n(?: {2}.+\n)*? {2}stream +Stream API\n/)
    expect((await runCli(['stream', 'videos', 'list', '--help'])).out).toContain(
      '# Export things\n  cdn stream videos list\n',
    )
  } finally {
    Reflect.deleteProperty(contracts, 'stream')
  }
})

test('an imported interface uses its own address and credential, never that of the account', async () => {
  const stream: Contract = {
    ...management,
    interface: name,
    source: 'supplement',
    areas: [{ name: 'Videos', unspecified: false }],
    schemes: [{ name: 'LibraryKey', kind: 'key', header: 'AccessKey', variable: 'CDN_STREAM_KEY' }],
    operations: [
      responding('list', { 'application/json': {} }, { interface: name, area: 'Videos', schemes: ['LibraryKey'] }),
    ],
  }
  Object.assign(contracts, { stream })
  try {
    const missing = await runCli(['stream', 'videos', 'list'], { env })
    expect(missing).toEqual({
      code: 3,
      out: '',
      err: 'cdn: Missing credential of the interface stream. Run cdn auth login --interface stream, or set CDN_STREAM_KEY.\n',
    })
    const home = await mkdtemp(join(tmpdir(), 'cdn-imported-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const saved = { HOME: home }
    const login = 'auth login --no-check --interface stream --stream-url https://s.example/base'
    await runCli('auth login --no-check'.split(' '), { env: saved, input: 'ACCOUNT' })
    expect((await runCli(login.split(' '), { env: saved, input: 'STREAM' })).code).toBe(0)
    expect(JSON.parse((await runCli(['auth', 'status'], { env: saved })).out)).toMatchObject({
      credential: 'API key',
      streamUrl: 'https://s.example/base',
    })
    // A new key of the account replaces what belongs to the account, and nothing else.
    const again = 'auth login --no-check --bearer --logging-url https://l.example'
    expect((await runCli(again.split(' '), { env: saved, input: 'TOKEN' })).code).toBe(0)
    expect((await runCli('auth login --no-check'.split(' '), { env: saved, input: 'RENEWED' })).code).toBe(0)
    expect(JSON.parse(await readFile(join(home, '.config/cdn/profiles.json'), 'utf8'))).toEqual({
      default: { CDN_ACCESS_KEY: 'RENEWED', CDN_STREAM_KEY: 'STREAM', CDN_STREAM_URL: 'https://s.example/base' },
    })
  } finally {
    Reflect.deleteProperty(contracts, 'stream')
  }
})

describe('cdn api with imported contracts', () => {
  // Contracts that are really imported would fit some of the paths, too.
  const foreign = Object.entries(contracts).filter(([, { source }]) => source !== 'spec')
  beforeEach(() => {
    for (const [owner] of foreign) Reflect.deleteProperty(contracts, owner)
  })
  afterEach(() => void Object.assign(contracts, Object.fromEntries(foreign)))

  /** Adds interfaces with the given paths. Each takes every method and has its own server. */
  function importPaths(paths: Readonly<Record<string, readonly string[]>>, header = 'AccessKey') {
    for (const [owner, list] of Object.entries(paths)) {
      const of = { interface: owner as 'management' }
      const schemes = [{ name: 'Key', kind: 'key', header, variable: `CDN_${owner.toUpperCase()}_KEY` }] as const
      const parametersOf = (path: string) =>
        [...path.matchAll(/\{(.+?)\}/g)].map(([, name = '']) => ({ ...parameter, name }))
      const operationsOf = list.flatMap((path) =>
        (['get', 'delete'] as const).map((method) =>
          responding(
            owner,
            {},
            { ...of, method, path, effect: 'read', schemes: ['Key'], parameters: parametersOf(path) },
          ),
        ),
      )
      const contract: Contract = {
        ...management,
        ...of,
        source: 'supplement',
        schemes,
        operations: operationsOf,
        publicUrl: `https://${owner}.example`,
      }
      Object.assign(contracts, { [owner]: contract })
      onTestFinished(() => void Reflect.deleteProperty(contracts, owner))
    }
  }
  const parameter = { in: 'path', required: true, description: '', schema: { type: 'string' }, source: 'spec' } as const
  const wide = { astorage: ['/{zone}/{path}/{file}'], errors: ['/{a}/{b}', '/{a}/b/{c}'] }
  const stream = { stream: ['/library/{id}/videos/{video}', '/library/{id}/{any}/all'] }
  const send = (line: string, owner?: string, force = false) => {
    const [first = '', second] = line.split(' ')
    const { method, path } = readTarget(first, second)
    const { operation } = findOperation(method, path, { force, interface: owner })
    return `${operation.interface} ${operation.path}`
  }

  test('the template with the most literal segments wins over all interfaces', () => {
    importPaths({ ...wide, ...stream, another: ['/library/{a}/{b}/{c}'] })
    expect(send('/library/1/x/y')).toBe('another /library/{a}/{b}/{c}')
    expect(send('DELETE /library/1/videos/abc')).toBe('stream /library/{id}/videos/{video}')
    expect(send('/library/1/x/all')).toBe('stream /library/{id}/{any}/all')
  })

  test('paths of the platform keep their host', () => {
    importPaths({ ...wide, ...stream })
    expect(send('/pullzone/2001')).toBe('management /pullzone/{id}')
    expect(send('DELETE videolibrary/1/watermark')).toBe('management /videolibrary/{id}/watermark')
    expect(send('/06-17-26/2002.log')).toBe('logging /{date}/{pullZoneId}.log')
    expect(send('v2/pullzones/1/logs')).toBe('logging /v2/pullzones/{pullZoneId}/logs')
    // With --force, an unknown path goes to the management interface, whatever was imported.
    expect(send('DELETE /pullzone/5/edgerules/abc', undefined, true)).toBe('management /pullzone/5/edgerules/abc')
  })

  test.each([
    ['DELETE /pullzone/5/edgerules/abc', 'astorage'],
    ['/dnszone/7', 'errors'],
    ['/x/b/y', 'astorage or errors'],
  ])('%s is not sent to a template that fits nearly every path', (line, owner) => {
    importPaths({ ...wide, ...stream })
    const advice = ` To send it to an interface that takes any such path: --interface ${owner}. To send it without this check: --force.`
    expect(() => send(line)).toThrow(advice)
  })

  test('--interface selects such a template', () => {
    importPaths({ ...wide, ...stream })
    expect(send('/pics/cats/2026/a.png', 'astorage')).toBe('astorage /{zone}/{path}/{file}')
    expect(send('/library/1/videos/abc', 'astorage')).toBe('astorage /{zone}/{path}/{file}')
    expect(send('/x/b/y', 'errors')).toBe('errors /{a}/b/{c}')
  })

  test('equally literal templates of two interfaces are refused', () => {
    importPaths({ ...stream, twin: ['/library/{a}/videos/{b}'] })
    const message = '/library/1/videos/2 is a path of several interfaces: choose one with --interface: stream, twin.'
    for (const force of [false, true]) expect(() => send('/library/1/videos/2', undefined, force)).toThrow(message)
    expect(send('/library/1/videos/2', 'twin')).toBe('twin /library/{a}/videos/{b}')
  })

  test('the path alone chooses the interface: another one does not get a method that it lacks', () => {
    importPaths({ stream: ['/{a}/1', '/videolibrary/{a}/{b}'] })
    expect(() => send('DELETE /videolibrary/1')).toThrow('/videolibrary/1 takes GET, not DELETE.')
  })

  test('a header name of a contract that is invalid in HTTP is one sentence', async () => {
    importPaths(stream, 'X-/')
    expect(await runCli(['api', 'library/1/videos/2'])).toMatchObject({
      code: 1,
      err: 'cdn: The contract of stream names an invalid header: X-/\n',
    })
  })
})
