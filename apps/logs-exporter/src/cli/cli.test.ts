import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { hourMs } from '@cdn/kit/time'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig, readConfig } from '../config/read-config.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { runExporter } from './main.ts'
import { openRuntime } from './runtime.ts'

const bin = fileURLToPath(new URL('../bin.ts', import.meta.url))

let emulator: Emulator
let folder: string
let loggingUrl: string
let running: ChildProcess[] = []

beforeAll(async () => {
  emulator = await createEmulator({ clock: 'real', traffic: { zones: 1, rowsPerSecond: 0.05 } })
  loggingUrl = (await emulator.listen()).loggingUrl.href
})
afterAll(() => emulator.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exporter-cli-'))
})
afterEach(async () => {
  for (const worker of running) worker.kill('SIGKILL')
  running = []
  await rm(folder, { recursive: true, force: true })
})

/** Writes a configuration of one zone, with segments in `logs`. `changes` replace settings. */
async function configure(changes: object = {}, name = 'config.yaml'): Promise<string> {
  const path = join(folder, name)
  const settings = {
    loggingUrl,
    zones: ['10001'],
    ledger: join(folder, 'state'),
    sink: { type: 'files', path: join(folder, 'logs') },
    listen: '127.0.0.1:0',
    ...changes,
  }
  await writeFile(path, JSON.stringify(settings))
  return path
}

interface Started {
  readonly process: ChildProcess
  /** Resolves when the output contains the text, with all output of both streams so far. */
  said(text: string): Promise<string>
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const { accessKey } = emulator.fixtures.credentials
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, CDN_ACCESS_KEY: accessKey, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const texts = { out: '', err: '' }
  const heard: (() => void)[] = []
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    stream.on('data', (piece) => {
      texts[name] += piece
      for (const listener of heard) listener()
    })
  }
  return {
    process: child,
    said: (text) =>
      new Promise((resolve, reject) => {
        const check = () => (texts.out + texts.err).includes(text) && resolve(texts.out + texts.err)
        heard.push(check)
        check()
        child.on('close', () => reject(new Error(`It ended without saying ${text}: ${texts.err}`)))
      }),
    ended: once(child, 'close').then(([code]) => ({ code, ...texts })),
  }
}

const call = (args: readonly string[], env?: NodeJS.ProcessEnv) => start(args, env).ended

/** Runs `main` in this process. Not suitable for `run`, which logs to the standard error of the whole process. */
async function ask(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const texts = { out: '', err: '' }
  const out = { write: (text: string) => (texts.out += text) }
  const err = new PassThrough().on('data', (text) => (texts.err += text))
  const variables = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey, ...env }
  const code = await runExporter(args, { env: variables, out, err })
  return { code, ...texts }
}
const iso = (time: number) => new Date(time).toISOString()
const deliver = [{ type: 'stdout' }]
/** An hour that closed long ago. */
const past = () => {
  const from = Math.floor(Date.now() / hourMs) * hourMs - 3 * hourMs
  return ['--from', iso(from), '--to', iso(from + hourMs)]
}

test('0: backfill exports a range, verify finds no difference, status shows the range', async () => {
  const config = await configure()
  expect(await ask(['config', 'check', '--config', config])).toMatchObject({ code: 0, err: '' })
  const exported = await call(['backfill', '--config', config, ...past()])
  expect(exported.code).toBe(0)
  expect(exported.out).toMatch(
    new RegExp(
      `^zone 10001: exported ${past()[1]} to ${past()[3]}\\n\\d+ rows in \\d+ segments, [\\d.]+ k?B, [\\d.]+ s\\n$`,
    ),
  )
  expect(await readdir(join(folder, 'logs'), { recursive: true })).not.toEqual([])
  expect(await ask(['verify', '--config', config, ...past()])).toMatchObject({
    code: 0,
    out: expect.stringContaining('No difference in '),
  })
  const status = await ask(['status', '--config', config])
  expect(status.out).toContain(`zone 10001: backfilled 12 windows between ${past()[1]} and ${past()[3]}`)
  const { out } = await ask(['status', '--json', '--config', config])
  expect(JSON.parse(out)).toMatchObject({ zone: '10001', backfilled: { windows: 12, from: past()[1], to: past()[3] } })
})

test('every command finds zones by their names, and none fails because a zone is paused', async () => {
  const managementUrl = (await emulator.listen()).managementUrl.href
  const zones = { from: 'management', name: 'zone-*' }
  const config = await configure({ zones, managementUrl })
  const checked = await ask(['config', 'check', '--config', config])
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('the platform answers for ') })
  expect(checked.out).toContain(' paused (suspended, disabled or without logging)\n')
  const filled = await ask(['backfill', '--config', config, ...past()])
  expect(filled).toMatchObject({ code: 0, out: expect.stringContaining('zone 10001: exported ') })
  const status = await ask(['status', '--config', config])
  expect(status.out).toContain(
    `zone ${emulator.fixtures.suspendedZoneId}: paused (suspended, disabled or without logging)\n`,
  )
  const running = start(['run', '--config', config])
  await running.said('"running"')
  running.process.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0 })
  const none = await ask(['status', '--config', await configure({ zones: { ...zones, name: 'x' }, managementUrl })])
  expect(none.err).toContain('No pull zone matches the name "x".')
})

test('0: run --once exports what is closed, delivers it and ends', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end())).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const config = await configure({ margin: '70h', rechecks: [], deliver: [{ type: 'http', url }] })
  const ran = await ask(['run', '--once', '--config', config])
  const again = await ask(['run', '--once', '--config', config])
  server.close()
  expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^[1-9]\d* rows in \d+ segments, .* s\n$/) })
  expect(again.code).toBe(0)
  const [zone, delivery] = (await ask(['status', '--json', '--config', config])).out.split('\n')
  expect(JSON.parse(defined(zone))).toMatchObject({ backlog: 0 })
  expect(JSON.parse(defined(delivery))).toMatchObject({ segments: 0 })
})

test('backfill --dry-run names windows and requests, and exports nothing', async () => {
  const config = await configure()
  const range = ['--since', '1h', '--to', defined(past()[3])]
  const planned = await ask(['backfill', '--dry-run', '--config', config, ...range])
  expect(planned).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      `zone 10001: ${past()[1]} to ${past()[3]}: 12 windows to read, at least 1 request\nDry run: nothing was exported.`,
    ),
  })
  expect(await readdir(folder)).toEqual(['config.yaml'])
  await ask(['backfill', '--config', config, ...range])
  const done = await ask(['backfill', '--dry-run', '--config', config, ...range])
  expect(done.out).toContain('0 windows to read, at least 0 requests\n')
})

test('a delivery wakes when the ledger records a window', async () => {
  const config = await readConfig(await configure({ deliver: [{ type: 'http', url: loggingUrl }] }), {})
  const env = { CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
  const { engine, deliveries, close } = await openRuntime(config, { env, observe: () => {} })
  try {
    await engine.reader.synchronize('10001', new AbortController().signal)
    const recorded = defined(deliveries[0]).recorded()
    const window = { zone: '10001', from: 0, to: 1, rows: 0, nextRevision: 0, source: 'v2' as const }
    await engine.ledger.record({ ...window, checkedAt: 0, recheckDue: undefined })
    await recorded
  } finally {
    await close()
  }
})

test('config example is a valid configuration, config schema is the schema', async () => {
  const example = await ask(['config', 'example'])
  expect(parseConfig(example.out, 'example', {}).zones).toEqual(['123', '124'])
  const { out } = await ask(['config', 'schema'])
  expect(JSON.parse(out)).toMatchObject({ title: 'Configuration of cdn-logs-exporter' })
})

describe('config check does what run does before its first request', () => {
  const check = async (changes: object, ...options: string[]) =>
    ask(['config', 'check', ...options, '--config', await configure(changes)])

  test('it leaves nothing behind', async () => {
    expect(
      await check({ ledger: join(folder, 'a', 'state'), sink: { type: 'files', path: join(folder, 'b', 'logs') } }),
    ).toMatchObject({
      code: 0,
    })
    expect(await readdir(folder)).toEqual(['config.yaml'])
  })

  test('1: a port in use, or a receiver where nobody listens; --offline does not connect', async () => {
    const { host } = new URL(loggingUrl)
    expect(await check({ listen: host })).toMatchObject({ code: 1, err: expect.stringMatching(/listen: .* is in use/) })
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const origin = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    closed.close()
    const deliver = [{ type: 'http', url: `${origin}/?a`, name: 'search' }]
    const unreachable = await check({ deliver })
    expect(unreachable).toMatchObject({
      code: 1,
      err: `cdn-logs-exporter: ${origin} cannot be reached (ECONNREFUSED).\n`,
    })
    const offline = await check({ deliver, loggingUrl: 'http://127.0.0.1:1' }, '--offline')
    expect(offline).toMatchObject({ code: 0, out: expect.stringContaining('the network was not used\n') })
  })

  test('0: an exporter that runs with the configuration is no mistake, and stays undisturbed', async () => {
    const ledger = openLedger(join(folder, 'state'))
    await ledger.begin('77', 0) // a zone of another configuration
    const checked = await check({})
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('an exporter works with the ledger ') })
    await ledger.close()
    expect(await check({})).toMatchObject({ code: 0, out: expect.stringContaining('the ledger can be used') })
    const reopened = openLedger(join(folder, 'state'))
    expect(await reopened.position('77')).toBe(0)
    await reopened.close()
  })
})

test('status names the path of the missing ledger', async () => {
  const config = await configure()
  const status = await ask(['status', '--config', config])
  expect(status).toMatchObject({ code: 0, out: expect.stringContaining(`no ledger in ${join(folder, 'state')}.`) })
  expect(JSON.parse((await ask(['status', '--json', '--config', config])).out)).toEqual({ zone: '10001', gaps: [] })
})

test('1: status names a ledger that cannot be read', async () => {
  const config = await configure()
  const path = join(folder, 'state', 'ledger.sqlite')
  await mkdir(join(folder, 'state'))
  await writeFile(path, 'no database'.repeat(100))
  const expected = { code: 1, err: expect.stringMatching(/^cdn-logs-exporter: The ledger .* cannot be used \(.*\.\n$/) }
  expect(await ask(['status', '--config', config])).toMatchObject(expected)
  await rm(path)
  await symlink(path, path) // a path that exists, but that no user can open
  expect(await ask(['status', '--config', config])).toMatchObject(expected)
})

test('2: a secret of the sink is missing', async () => {
  const secret = { env: 'AWS_ACCESS_KEY_ID' }
  const credentials = { accessKeyId: secret, secretAccessKey: secret }
  const s3 = { type: 's3', endpoint: 'http://127.0.0.1:1', bucket: 'b', credentials }
  expect(await ask(['config', 'check', '--config', await configure({ sink: s3 })])).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: The environment variable AWS_ACCESS_KEY_ID must hold a secret; it is not set.\n',
  })
})

test('0: with a delivery to standard output, it holds only rows, each once also after a second backfill', async () => {
  const config = await configure({ deliver })
  const { code, out, err } = await call(['backfill', '--config', config, ...past()])
  expect(code).toBe(0)
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('requestId')
  expect(err).toContain('zone 10001: exported ')
  expect(await call(['backfill', '--config', config, ...past()])).toMatchObject({ code: 0, out: '' })
  expect((await ask(['status', '--config', config])).out).toContain('delivery stdout: all segments are sent\n')
})

test('1: a backfill ends when the reader of its output closes it', async () => {
  const from = Math.floor(Date.now() / hourMs) * hourMs - 60 * hourMs
  const range = ['--from', iso(from), '--to', iso(from + 55 * hourMs)]
  const filling = start(['backfill', '--config', await configure({ deliver }), ...range])
  filling.process.stdout?.once('data', () => filling.process.stdout?.destroy())
  const { code, err } = await filling.ended
  expect({ code, err }).toEqual({
    code: 1,
    err: 'cdn-logs-exporter: The reader of standard output closed it.\n',
  })
})

test.skipIf(!existsSync('/dev/full'))('1: standard output is on a full disk', async () => {
  const full = openSync('/dev/full', 'w')
  try {
    const config = await configure({ deliver })
    for (const args of [['--help'], ['backfill', '--config', config, ...past()]]) {
      const env = { ...process.env, CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey }
      const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', full, 'pipe'] })
      running.push(child)
      const said = text(defined(child.stderr))
      const [code] = await once(child, 'close')
      const err = 'cdn-logs-exporter: Standard output cannot be written (ENOSPC).\n'
      expect({ code, err: await said }).toEqual({ code: 1, err })
    }
  } finally {
    closeSync(full)
  }
})

test('a range with an open end is incomplete: 2 if the end lies in the future, else 1', async () => {
  const config = await configure()
  const hourAgo = iso(Date.now() - hourMs)
  const future = await ask(['backfill', '--config', config, '--from', hourAgo, '--to', iso(Date.now() + hourMs)])
  expect(future).toMatchObject({ code: 2, err: expect.stringMatching(/--to .* lies in the future; .*Z\.\n$/) })
  const now = await ask(['backfill', '--config', config, '--from', hourAgo, '--to', iso(Date.now() - 1_000)])
  expect(now).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^zone 10001: exported .*\nzone 10001: not closed yet: .*; repeat after .*\n/),
  })
})

test('0: help', async () => {
  expect(await ask(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: cdn-logs-exporter') })
})

test('1: a second exporter on the same ledger is refused, and the first continues; status can read at the same time', async () => {
  const config = await configure()
  const first = start(['run', '--config', config])
  const said = await first.said('"msg":"running"')
  const second = await call(['run', '--config', config])
  expect(second.code).toBe(1)
  expect(second.err).toContain('cannot be locked: another exporter works with it')
  expect(second.err).not.toContain('    at ')
  // The port is in use as well, but the message names the ledger.
  const { health } = JSON.parse(defined(said.split('\n').find((line) => line.includes('running'))))
  const third = await call(['run', '--config', await configure({ listen: new URL(health).host }, 'third.yaml')])
  expect(third).toMatchObject({ code: 1, err: expect.stringContaining('another exporter works with it') })
  expect((await ask(['status', '--json', '--config', config])).code).toBe(0)
  expect(first.process.exitCode).toBe(null)
  first.process.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)
})

test('two exporters with separate ledgers on one folder of segments: the first writer wins, no row is duplicated', async () => {
  const config = await configure()
  const configs = [config, await configure({ ledger: join(folder, 'other') }, 'other.yaml')]
  const codes = await Promise.all(
    configs.map(async (path) => (await call(['backfill', '--config', path, ...past()])).code),
  )
  expect(codes).toEqual([0, 0])
  const verified = await call(['verify', '--config', config, ...past()])
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('No difference in ') })
})

test('2: invalid command lines, configurations, secrets and addresses', async () => {
  expect(await call(['run'])).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: run needs --config FILE or the environment variable CDN_LOGS_EXPORTER_CONFIG.\n',
  })
  const path = join(folder, 'none.yaml')
  expect(await call(['run', '--config', path])).toMatchObject({
    code: 2,
    err: `cdn-logs-exporter: The configuration ${path} cannot be read (ENOENT).\n`,
  })
  const wrong = await call(['run', '--config', await configure({ window: '7m', zone: [] })])
  expect(wrong.code).toBe(2)
  expect(wrong.err.match(/config\.yaml:1: /g)).toHaveLength(2)
  const without = await call(['run', '--config', await configure()], { CDN_ACCESS_KEY: '' })
  expect(without).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: The environment variable CDN_ACCESS_KEY must hold a secret; it is empty.\n',
  })
  const listening = await call(['run', '--config', await configure({ listen: '192.0.2.1:80' })])
  expect(listening).toMatchObject({ code: 2, err: expect.stringContaining('cannot be used (EADDRNOTAVAIL)') })
  const broken = await ask(['config', 'check', '--config', await configure()], { CDN_ACCESS_KEY: 'se\ncret' })
  expect(broken).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: The environment variable CDN_ACCESS_KEY must hold a secret of one line; it has a line break.\n',
  })
})

test('a folder that can never be created: 2 for the sink, 1 for the ledger, with one sentence and at once', async () => {
  const link = join(folder, 'link')
  await symlink('/mnt/not-mounted/logs', link)
  const impossible = [link, join(link, 'below'), ...(existsSync('/proc/self') ? ['/proc/nope', '/proc/nope/logs'] : [])]
  for (const path of impossible) {
    const config = await configure({ sink: { type: 'files', path } })
    const err = expect.stringMatching(/^cdn-logs-exporter: The folder .* of the files sink cannot be created.*\.\n$/)
    expect(await ask(['config', 'check', '--config', config])).toMatchObject({ code: 2, err })
  }
  const ran = await call(['run', '--config', await configure({ sink: { type: 'files', path: link } })])
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(`The folder ${link}/.tmp of the files sink`) })
  for (const ledger of impossible) {
    const filled = await ask(['backfill', '--config', await configure({ ledger }), ...past()])
    const err = expect.stringMatching(/^cdn-logs-exporter: The (folder|ledger) [^\n]*\.\n$/)
    expect(filled).toMatchObject({ code: 1, err })
    expect(await ask(['config', 'check', '--config', await configure({ ledger })])).toMatchObject({ code: 1, err })
  }
})

test('1: a backfill of zones without logging, which is not a refused credential', async () => {
  const zone = defined(emulator.state.zones.get('10001'))
  const { logging } = zone
  zone.logging = 'disabled'
  try {
    expect(await ask(['backfill', '--config', await configure(), ...past()])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^zone 10001: failed: .* 404/),
    })
  } finally {
    zone.logging = logging
  }
})

test('1: the port of the daemon is in use, a transient error', async () => {
  const ran = await call(['run', '--config', await configure({ listen: new URL(loggingUrl).host })])
  expect(ran).toMatchObject({ code: 1, err: expect.stringMatching(/listen: .* is in use; .*\.\n$/) })
})

test('1: the message names an unreachable platform and the cause', async () => {
  const server = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Safe: the server listens on a port, not on a socket file.
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const zones = ['1', '2']
  const check = async (loggingUrl: string) =>
    ask(['config', 'check', '--config', await configure({ loggingUrl, zones })])
  const failing = await check(`http://${host}`)
  server.close()
  const closed = await check(`http://${host}`)
  const unknown = await check('http://nowhere.invalid')
  const of = (what: string) => `zones 1, 2: GET /v2/pullzones/{pullZoneId}/logs at ${host} ${what}\n`
  expect(failing).toMatchObject({ code: 1, out: expect.stringContaining(of('was answered 500')) })
  expect(closed).toMatchObject({ code: 1, out: expect.stringContaining(of('got no response (ECONNREFUSED)')) })
  expect(unknown).toMatchObject({
    code: 1,
    out: expect.stringMatching(/at nowhere\.invalid got no response \(.+\)\n$/),
  })
})

test('3: the platform refuses the credential, also at the start of the daemon', async () => {
  const config = await configure()
  const wrong = { CDN_ACCESS_KEY: 'wrong-key' }
  const checked = await ask(['config', 'check', '--config', config], wrong)
  expect(checked).toMatchObject({
    code: 3,
    out: expect.stringContaining('zone 10001: the credential or the zone is refused (403)'),
  })
  const ran = await call(['run', '--config', config], wrong)
  // A separate ledger. With the ledger of another process, the daemon would wait for the rate limit.
  const apart = await configure({ ledger: join(folder, 'other') }, 'apart.yaml')
  const filled = await ask(['backfill', '--config', apart, ...past()], wrong)
  expect([ran.code, filled.code]).toEqual([3, 3])
  expect(JSON.parse(defined(ran.err.trim().split('\n').at(-1)))).toMatchObject({
    level: 'error',
    msg: expect.stringContaining('refuses the credential'),
  })
  for (const { out, err } of [checked, ran, filled]) expect(out + err).not.toContain('wrong-key')
})

test('6: backfill and status report a range beyond the retention as lost', async () => {
  const config = await configure()
  const from = Math.floor(Date.now() / hourMs) * hourMs - 74 * hourMs
  const filled = await ask(['backfill', '--config', config, '--from', iso(from), '--to', iso(from + 4 * hourMs)])
  expect(filled).toMatchObject({ code: 6, out: expect.stringContaining(`zone 10001: lost ${iso(from)} to `) })
  expect(filled.out).toMatch(new RegExp(`exported .*Z to ${iso(from + 4 * hourMs)}\n`))
  const apart = await configure({ ledger: join(folder, 'other') }, 'apart.yaml')
  const older = await ask(['backfill', '--config', apart, '--from', iso(from - 4 * hourMs), '--to', iso(from)])
  expect(older).toMatchObject({ code: 6, out: expect.not.stringContaining('exported') })
  const status = await ask(['status', '--config', config])
  expect(status).toMatchObject({ code: 6, out: expect.stringContaining(`zone 10001: lost ${iso(from)} to `) })
  const { out } = await ask(['status', '--json', '--config', config])
  expect(JSON.parse(out)).toMatchObject({ gaps: [{ from: iso(from), noticedAt: expect.stringMatching(/Z$/) }] })
})

test('1: a backfill stores a range although a receiver is down, and says how much is left to send', async () => {
  const config = await configure({ deliver: [{ type: 'http', url: 'http://127.0.0.1:1/', name: 'search' }] })
  const filled = await ask(['backfill', '--config', config, ...past()])
  expect(filled).toMatchObject({ code: 1, out: expect.stringContaining(`zone 10001: exported ${past()[1]} to `) })
  expect(filled.out).toMatch(/^delivery search: \d+ segments are left; repeat, or start run$/m)
  const { out } = await ask(['status', '--json', '--config', config])
  const [, delivery] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(delivery).toMatchObject({
    delivery: 'search',
    segments: expect.any(Number),
    oldest: expect.stringMatching(/Z$/),
  })
})

test('1: a backfill says how many rows a receiver refused', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(400).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const config = await configure({ deliver: [{ type: 'http', url, name: 'search' }] })
  const filled = await ask(['backfill', '--config', config, ...past()])
  server.close()
  expect(filled).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^delivery search: \d+ rows refused, see .*rejects\/delivery=search\.ndjson$/m),
  })
  const status = await ask(['status', '--config', config])
  expect(status.out).toMatch(
    /^delivery search: all segments are sent\ndelivery search: \d+ rows refused, see .*\.ndjson$/m,
  )
})

test('0: verify compares the segments of a zone that was deleted only with themselves', async () => {
  const logs = join(folder, 'logs')
  const config = await configure({ sink: { type: 'files', path: logs, compression: 'none' } })
  await ask(['backfill', '--config', config, ...past()])
  for (const name of await readdir(logs, { recursive: true })) {
    if (!name.endsWith('.ndjson')) continue
    const deleted = join(logs, name.replace('zone=10001', 'zone=77'))
    await mkdir(dirname(deleted), { recursive: true })
    const lines = await readFile(join(logs, name), 'utf8')
    await writeFile(deleted, lines.replaceAll('"pullZoneId":10001,', '"pullZoneId":77,'))
  }
  const verified = await ask(['verify', '--config', config, ...past()])
  expect(verified).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/^No difference in .* of 2 zones\.\n/),
  })
  expect(verified.out).toContain('The platform does not show zone 77; only its segments were checked.\n')
  const requested = await ask(['verify', '--config', config, '--zone', '77', ...past()])
  expect(requested).toMatchObject({ code: 3, err: expect.stringContaining('/v2/pullzones/{pullZoneId}/logs') })
})

test('6: verify names a deleted segment', async () => {
  const config = await configure()
  await ask(['backfill', '--config', config, ...past()])
  const segments = (await readdir(join(folder, 'logs'), { recursive: true })).filter((name) => name.endsWith('.zst'))
  await unlink(join(folder, 'logs', defined(segments[0])))
  const verified = await ask(['verify', '--config', config, ...past()])
  expect(verified).toMatchObject({ code: 6, out: expect.stringContaining('no segment') })
})

test.each([4 * 24 * hourMs, -4 * 24 * hourMs])(
  '6: verify names a deleted segment even if the clock of this machine is off by %i ms',
  async (off) => {
    const traffic = { zones: 1, rowsPerSecond: 0.05 }
    const platform = await createEmulator({ start: new Date(Date.now() - off), traffic })
    try {
      const config = await configure({ loggingUrl: (await platform.listen()).loggingUrl.href })
      const env = { CDN_ACCESS_KEY: platform.fixtures.credentials.accessKey }
      const from = Math.floor(platform.clock.now().getTime() / hourMs) * hourMs - 3 * hourMs
      const range = ['--from', iso(from), '--to', iso(from + hourMs)]
      expect(await ask(['backfill', '--config', config, ...range], env)).toMatchObject({ code: 0 })
      const names = await readdir(join(folder, 'logs'), { recursive: true })
      await unlink(join(folder, 'logs', defined(names.find((name) => name.includes('1000Z-')))))
      const verified = await ask(['verify', '--config', config, ...range], env)
      expect(verified).toMatchObject({ code: 6, out: expect.stringContaining('but no segment') })
      expect(verified.out).toContain('1 difference in ')
    } finally {
      await platform.close()
    }
  },
)

test('6: verify reports a configured zone without any segment in the sink', async () => {
  const config = await configure()
  const { code, out } = await ask(['verify', '--config', config])
  expect({ code, out }).toMatchObject({ code: 6, out: expect.stringMatching(/^Zone 10001, .*, but no segment\.\n/) })
  // Verify leaves out the newest rows, which may still be on their way to the sink.
  const ends = [...out.matchAll(/(?<=Z to )\S+Z/g)].map(([end]) => Date.parse(end))
  expect(Math.max(...ends)).toBeLessThanOrEqual(Date.now() - hourMs / 6)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '0: %s ends the daemon, whose HTTP addresses answer until then',
  async (signal) => {
    const daemon = start(['run', '--config', await configure()])
    const said = await daemon.said('"msg":"running"')
    const { health } = JSON.parse(defined(said.split('\n').find((line) => line.includes('running'))))
    expect((await fetch(new URL('/livez', health))).status).toBe(200)
    expect(await (await fetch(new URL('/metrics', health))).text()).toContain('cdn_logs_exporter_rows_total')
    daemon.process.kill('SIGHUP')
    await daemon.said('SIGHUP is ignored')
    daemon.process.kill(signal)
    const { code, err } = await daemon.ended
    expect(code).toBe(0)
    for (const line of err.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
  },
)
