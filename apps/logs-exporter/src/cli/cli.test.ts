import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createEmulator, type PullZone } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import { hourMs } from '@cdn/kit/time'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { iso, openCli, pastHour as past } from '../../tests/support/cli.ts'
import { s3Sink, startS3 } from '../../tests/support/s3-server.ts'
import { parseConfig } from '../config/read-config.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { runExporter } from './main.ts'

const cli = await openCli()
afterAll(() => cli.close())
afterEach(() => cli.reset())

test('0: backfill exports a range, verify finds no difference, status shows the range', async () => {
  await cli.configure()
  expect(await cli.ask(['config', 'check'])).toMatchObject({ code: 0, err: '' })
  const exported = await cli.ask(['backfill', ...past()])
  expect(exported.code).toBe(0)
  expect(exported.out).toMatch(
    new RegExp(
      `^zone 10001: exported ${past()[1]} to ${past()[3]}\\n\\d+ rows in \\d+ segments, [\\d.]+ k?B, [\\d.]+ s\\n$`,
    ),
  )
  expect(await readdir(join(cli.folder(), 'logs'), { recursive: true })).not.toEqual([])
  expect(await cli.ask(['verify', ...past()])).toMatchObject({
    code: 0,
    out: expect.stringContaining('No difference in '),
  })
  const others = await cli.ask(['backfill', '--shard', '8/9', ...past()])
  expect(others).toMatchObject({ code: 0, out: 'There are no zones to export.\n' })
  const status = await cli.ask(['status'])
  expect(status.out).toContain(`zone 10001: backfilled 12 windows between ${past()[1]} and ${past()[3]}`)
  const { out } = await cli.ask(['status', '--json'])
  expect(JSON.parse(out)).toMatchObject({ zone: '10001', backfilled: { windows: 12, from: past()[1], to: past()[3] } })
})

test('every command finds zones by their names, and none fails because a zone is paused', async () => {
  const { managementUrl } = cli
  const zones = { from: 'management', name: 'zone-*' }
  await cli.configure({ zones, managementUrl })
  const checked = await cli.ask(['config', 'check'])
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('the platform answers for ') })
  expect(checked.out).toContain(' paused (suspended, disabled or without logging)\n')
  const filled = await cli.ask(['backfill', ...past()])
  expect(filled).toMatchObject({ code: 0, out: expect.stringContaining('zone 10001: exported ') })
  const status = await cli.ask(['status'])
  expect(status.out).toContain(
    `zone ${cli.emulator.fixtures.suspendedZoneId}: paused (suspended, disabled or without logging)\n`,
  )
  await cli.configure({ zones: { ...zones, name: 'x' }, managementUrl })
  const ofLedger = await cli.ask(['status'])
  expect(ofLedger.out).toContain('zone 10001: backfilled 12 windows between ')
  expect(ofLedger.err).toBe(
    'The zones cannot be listed, so the zones of the ledger are shown: No pull zone matches the name "x".\n',
  )
})

test('0: run --once exports all closed windows and ends', async () => {
  await cli.configure({ margin: '70h', rechecks: [] })
  expect(await cli.ask(['run', '--once'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^[1-9]\d* rows in \d+ segments, .* s\n$/),
  })
  expect((await cli.ask(['run', '--once'])).code).toBe(0)
  expect(JSON.parse((await cli.ask(['status', '--json'])).out)).toMatchObject({ backlog: 0 })
})

test('1: run --once names a range that an earlier run could not read, but no range that an earlier run lost', async () => {
  await cli.configure({ margin: '71h', rechecks: [] })
  const from = Math.floor(Date.now() / hourMs) * hourMs - hourMs / 2
  const window = { zone: '10001', from, to: from + 300_000 }
  const ledger = openLedger(join(cli.folder(), 'state'))
  const openGaps = [{ from, to: from + 1, reason: 'no JSON' }]
  const read = { rows: undefined, nextRevision: 0, checkedAt: from, recheckDue: Date.now() + hourMs, openGaps }
  await ledger.record({ ...window, ...read })
  await ledger.recordGap({ zone: '10001', from: 0, to: 1, reason: 'late', noticedAt: from })
  await ledger.close()
  const { code, out } = await cli.ask(['run', '--once'])
  expect(code).toBe(1)
  expect(out).toMatch(/^zone 10001: cannot be read yet: \S+ to \S+: no JSON\n[1-9]\d* rows in /)
})

test('1: run --once names a window that it could not recheck', async () => {
  await cli.configure({ margin: '71h', rechecks: [] })
  expect((await cli.ask(['run', '--once'])).code).toBe(0)
  await rm(join(cli.folder(), 'logs'), { recursive: true })
  const ledger = openLedger(join(cli.folder(), 'state'))
  const [window] = await ledger.windows('10001', 0, Number.POSITIVE_INFINITY)
  await ledger.record({ ...assertDefined(window), rows: undefined, recheckDue: 0 })
  await ledger.close()
  const { code, out } = await cli.ask(['run', '--once'])
  expect(code).toBe(1)
  expect(out).toMatch(/^zone 10001: cannot be rechecked yet: \S+ to \S+: The sink files lacks segment r0 /m)
})

test('config example is a valid configuration, config schema is the schema', async () => {
  const example = await cli.ask(['config', 'example'])
  expect(parseConfig(example.out, 'example', {}).zones).toEqual(['123', '124'])
  const { out } = await cli.ask(['config', 'schema'])
  expect(JSON.parse(out)).toMatchObject({ title: 'Configuration of cdn-logs-exporter' })
})

describe('config check does what run does before its first request', () => {
  const check = async (changes: object, ...options: string[]) =>
    cli.ask(['config', 'check', ...options, '--config', await cli.configure(changes)])

  test('it leaves nothing behind', async () => {
    const [ledger, path] = [join(cli.folder(), 'a', 'state'), join(cli.folder(), 'b', 'logs')]
    expect(await check({ ledger, sink: { type: 'files', path } })).toMatchObject({ code: 0 })
    expect(await readdir(cli.folder())).toEqual(['config.yaml'])
  })

  test('an exporter that starts meanwhile keeps its ledger and its lock', async () => {
    const state = join(cli.folder(), 'state')
    let ledger: Ledger | undefined
    const platform = createServer((_, response) => {
      ledger ??= openLedger(state)
      response.writeHead(500).end()
    })
    const loggingUrl = await listen(platform)
    expect(await check({ loggingUrl })).toMatchObject({ code: 1, out: expect.stringContaining('was answered 500') })
    platform.close()
    expect(() => openLedger(state)).toThrow('another exporter works with it')
    await assertDefined(ledger).begin('10001', 0)
    await ledger?.close()
    const reopened = openLedger(state)
    expect(await reopened.position('10001')).toBe(0)
    await reopened.close()
  })

  test('it names the object that stays in a bucket', async () => {
    const store = await startS3()
    const { config: sink, env } = s3Sink(store, { prefix: 'logs' })
    await cli.configure({ sink })
    const checked = await cli.ask(['config', 'check'], env)
    const [left] = store.objects.keys()
    await store.stop()
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringContaining(`the object ${left} stays there\n`),
    })
    expect(await readdir(cli.folder())).toEqual(['config.yaml'])
  })

  test('1: a port in use; --offline does not connect to the platform', async () => {
    const { host } = new URL(cli.loggingUrl)
    expect(await check({ listen: host })).toMatchObject({ code: 1, err: expect.stringMatching(/listen: .* is in use/) })
    const offline = await check({ loggingUrl: 'http://127.0.0.1:2' }, '--offline')
    expect(offline).toMatchObject({ code: 0, out: expect.stringContaining('the network was not used\n') })
  })

  test('0: an exporter that runs with the configuration is no mistake, and stays undisturbed', async () => {
    const ledger = openLedger(join(cli.folder(), 'state'))
    await ledger.begin('77', 0) // a zone of another configuration
    const checked = await check({})
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('an exporter works with the ledger ') })
    await ledger.close()
    expect(await check({})).toMatchObject({ code: 0, out: expect.stringContaining('the ledger can be used') })
    const reopened = openLedger(join(cli.folder(), 'state'))
    expect(await reopened.position('77')).toBe(0)
    await reopened.close()
  })
})

test('status names the path of the missing ledger', async () => {
  await cli.configure()
  const status = await cli.ask(['status'])
  expect(status).toMatchObject({
    code: 0,
    out: expect.stringContaining(`no ledger in ${join(cli.folder(), 'state')}.`),
  })
  expect(JSON.parse((await cli.ask(['status', '--json'])).out)).toEqual({ zone: '10001', gaps: [] })
})

test('0: status works without the sink, and says that it did not compare it', async () => {
  const credentials = { accessKeyId: { env: 'NOPE' }, secretAccessKey: { env: 'NOPE' } }
  const sink = { type: 's3', endpoint: 'http://127.0.0.1:1', bucket: 'b', credentials }
  const ledger = openLedger(join(cli.folder(), 'state'))
  await ledger.record({ zone: '10001', from: 0, to: 1, rows: 1, nextRevision: 1, checkedAt: 1, recheckDue: undefined })
  await ledger.close()
  expect(await cli.ask(['status', '--config', await cli.configure({ sink })])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^the sink was not compared with the ledger: The environment variable NOPE .*\.$/m),
  })
})

test('1: status names a ledger that cannot be read', async () => {
  await cli.configure()
  const path = join(cli.folder(), 'state', 'ledger.sqlite')
  await mkdir(join(cli.folder(), 'state'))
  await writeFile(path, 'no database'.repeat(100))
  const expected = { code: 1, err: expect.stringMatching(/^cdn-logs-exporter: The ledger .* cannot be used \(.*\.\n$/) }
  expect(await cli.ask(['status'])).toMatchObject(expected)
  await rm(path)
  await symlink(path, path) // a path that exists, but that no user can open
  expect(await cli.ask(['status'])).toMatchObject(expected)
})

test('2: missing secrets are named with their settings, all at once', async () => {
  const credentials = { accessKeyId: { env: 'AWS_ACCESS_KEY_ID' }, secretAccessKey: { env: 'CDN_ACCESS_KEY' } }
  const s3 = { type: 's3', endpoint: 'http://127.0.0.1:1', bucket: 'b', credentials }
  expect(
    await cli.ask(['config', 'check', '--config', await cli.configure({ sink: s3, accessKey: { file: '/nowhere' } })]),
  ).toMatchObject({
    code: 2,
    err: `\
cdn-logs-exporter: accessKey: The file /nowhere must hold a secret; it cannot be read (ENOENT).
cdn-logs-exporter: sink.credentials.accessKeyId: The environment variable AWS_ACCESS_KEY_ID must hold a secret; it is not set.
`,
  })
})

test('a range whose end has not closed is incomplete: 2 if the end lies in the future, else 1', async () => {
  await cli.configure()
  const hourAgo = iso(Date.now() - hourMs)
  const future = await cli.ask(['backfill', '--from', hourAgo, '--to', iso(Date.now() + hourMs)])
  expect(future).toMatchObject({ code: 2, err: expect.stringMatching(/--to .* lies in the future; .*Z\.\n$/) })
  const now = await cli.ask(['backfill', '--from', hourAgo, '--to', iso(Date.now() - 1_000)])
  expect(now).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^zone 10001: exported .*\nzone 10001: not closed yet: .*; repeat after .*\n/),
  })
})

test('2: invalid configurations, secrets and addresses', async () => {
  const path = join(cli.folder(), 'none.yaml')
  expect(await cli.ask(['run', '--config', path])).toMatchObject({
    code: 2,
    err: `cdn-logs-exporter: The configuration ${path} cannot be read (ENOENT).\n`,
  })
  const wrong = await cli.ask(['run', '--config', await cli.configure({ window: '7m', zone: [] })])
  expect(wrong.code).toBe(2)
  expect(wrong.err.match(/config\.yaml:1: /g)).toHaveLength(2)
  const without = await cli.ask(['run', '--config', await cli.configure()], { CDN_ACCESS_KEY: '' })
  expect(without).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: accessKey: The environment variable CDN_ACCESS_KEY must hold a secret; it is empty.\n',
  })
  const listening = await cli.ask(['run', '--config', await cli.configure({ listen: '192.0.2.1:80' })])
  expect(listening).toMatchObject({ code: 2, err: expect.stringContaining('cannot be used (EADDRNOTAVAIL)') })
  const blocked = await cli.ask(['run', '--config', await cli.configure({ loggingUrl: 'http://127.0.0.1:5060' })])
  expect(blocked).toMatchObject({ code: 2, err: expect.stringContaining('loggingUrl: HTTP must not use port 5060') })
  const broken = await cli.ask(['config', 'check', '--config', await cli.configure()], { CDN_ACCESS_KEY: 'se\ncret' })
  expect(broken).toMatchObject({
    code: 2,
    err: 'cdn-logs-exporter: accessKey: The environment variable CDN_ACCESS_KEY must hold a secret of one line; it has a line break.\n',
  })
})

test('a folder that can never be created: 2 for the sink, 1 for the ledger, with one sentence and at once', async () => {
  const link = join(cli.folder(), 'link')
  await symlink('/mnt/not-mounted/logs', link)
  const impossible = [link, join(link, 'below'), ...(existsSync('/proc/self') ? ['/proc/nope', '/proc/nope/logs'] : [])]
  for (const path of impossible) {
    await cli.configure({ sink: { type: 'files', path } })
    const err = expect.stringMatching(/^cdn-logs-exporter: The folder .* of the files sink cannot be created.*\.\n$/)
    expect(await cli.ask(['config', 'check'])).toMatchObject({ code: 2, err })
  }
  const ran = await cli.ask(['run', '--config', await cli.configure({ sink: { type: 'files', path: link } })])
  expect(ran).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The folder ${link}/.tmp of the files sink`),
  })
  for (const ledger of impossible) {
    const filled = await cli.ask(['backfill', '--config', await cli.configure({ ledger }), ...past()])
    const err = expect.stringMatching(/^cdn-logs-exporter: The (folder|ledger) [^\n]*\.\n$/)
    expect(filled).toMatchObject({ code: 1, err })
    expect(await cli.ask(['config', 'check', '--config', await cli.configure({ ledger })])).toMatchObject({
      code: 1,
      err,
    })
  }
})

test.each([
  ['run', 0],
  ['backfill', 130],
])('an error after the signal is reported: %s', async (command, code) => {
  const path = join(cli.folder(), 'link')
  await symlink('/mnt/not-mounted/logs', path)
  const config = await cli.configure({ sink: { type: 'files', path } })
  const err = new PassThrough()
  const env = {
    // The secret is read after the start and before the check of the sink.
    get CDN_ACCESS_KEY() {
      process.emit('SIGTERM')
      return cli.accessKey
    },
  }
  const args = command === 'backfill' ? [command, ...past()] : [command]
  expect(await runExporter([...args, '--config', config], { env, out: err, err })).toBe(code)
  expect(await text(err.end())).toContain('of the files sink cannot be created')
})

test.each<[string, string[], Partial<PullZone>]>([
  ['the only zone without logging', ['10001'], { logging: 'disabled' }],
  ['a suspended zone next to another one', ['2002', '10001'], { status: 'suspended' }],
])('1: %s is not reported as a refused credential', async (_, zones, changes) => {
  const zone = assertDefined(cli.emulator.state.zones.get('10001'))
  const before = { ...zone }
  Object.assign(zone, changes)
  try {
    const codes: number[] = []
    for (const command of [
      ['config', 'check'],
      ['run', '--once'],
      ['backfill', ...past()],
    ]) {
      await cli.configure({ zones, ledger: join(cli.folder(), command.join()) })
      const { code, out } = await cli.ask(command)
      codes.push(code)
      expect(out).toMatch(/^.*zone 10001: .*(403|404)/m)
    }
    expect(codes).toEqual([1, 1, 1])
  } finally {
    Object.assign(zone, before)
  }
})

test('1: the message names an unreachable platform and the cause', async () => {
  const server = createServer((_, response) => response.writeHead(500).end())
  const { host } = new URL(await listen(server))
  const zones = ['1', '2']
  const check = async (loggingUrl: string) =>
    cli.ask(['config', 'check', '--config', await cli.configure({ loggingUrl, zones })])
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
  await cli.configure()
  const wrong = { CDN_ACCESS_KEY: 'wrong-key' }
  const checked = await cli.ask(['config', 'check'], wrong)
  expect(checked).toMatchObject({
    code: 3,
    out: expect.stringMatching(/zone 10001: .* was answered 403/),
  })
  const ran = await cli.ask(['run'], wrong)
  const filled = await cli.ask(['backfill', ...past()], wrong)
  expect([ran.code, filled.code]).toEqual([3, 3])
  expect(JSON.parse(assertDefined(ran.err.trim().split('\n').at(-1)))).toMatchObject({
    level: 'error',
    msg: expect.stringContaining('refuses the credential'),
  })
  for (const { out, err } of [checked, ran, filled]) expect(out + err).not.toContain('wrong-key')
})

test('1: a backfill of a range that the platform no longer has says so; it is not a loss of the exporter', async () => {
  await cli.configure()
  const from = Math.floor(Date.now() / hourMs) * hourMs - 74 * hourMs
  const filled = await cli.ask(['backfill', '--from', iso(from), '--to', iso(from + 4 * hourMs)])
  const unkept = `zone 10001: the platform no longer has ${iso(from)} to `
  expect(filled).toMatchObject({ code: 1, out: expect.stringContaining(unkept) })
  expect(filled.out).toMatch(new RegExp(`exported .*Z to ${iso(from + 4 * hourMs)}\n`))
  const older = await cli.ask(['backfill', '--from', iso(from - 4 * hourMs), '--to', iso(from)])
  expect(older).toMatchObject({ code: 1, out: expect.not.stringContaining('exported') })
  expect(await cli.ask(['status'])).toMatchObject({ code: 0, out: expect.not.stringContaining('lost') })
})

test('status names lost ranges (6), and open gaps and failing zones with their reasons (1)', async () => {
  await cli.configure()
  const ledger = openLedger(join(cli.folder(), 'state'))
  const window = { zone: '10001', from: 0, to: 300_000 }
  const state = { ...window, rows: undefined, nextRevision: 0, checkedAt: 0, recheckDue: undefined }
  await ledger.record({ ...state, openGaps: [{ from: 5, to: 6, reason: 'It is not JSON.' }] })
  await ledger.setFailure('10001', { reason: 'It answered 403.', since: 1000 })
  const failing = await cli.ask(['status'])
  expect(failing.code).toBe(1)
  expect(failing.out).toContain('zone 10001: not exported since 1970-01-01T00:00:01.000Z: It answered 403.\n')
  expect(failing.out).toContain(
    'cannot be read yet: 1970-01-01T00:00:00.005Z to 1970-01-01T00:00:00.006Z: It is not JSON.\n',
  )
  await ledger.recordGap({ ...window, reason: 'gone', noticedAt: 9 })
  const lost = await cli.ask(['status'])
  expect(lost).toMatchObject({ code: 6, out: expect.stringContaining('zone 10001: lost 1970-01-01T00:00:00.000Z to ') })
  const { out } = await cli.ask(['status', '--json'])
  expect(JSON.parse(out)).toMatchObject({ gaps: [{ from: iso(0), noticedAt: iso(9) }], unread: [] })
  await ledger.close()
})

test('0: verify compares the segments of a zone that was deleted only with themselves', async () => {
  const logs = join(cli.folder(), 'logs')
  await cli.configure({ sink: { type: 'files', path: logs, compression: 'none' } })
  await cli.ask(['backfill', ...past()])
  for (const name of await readdir(logs, { recursive: true })) {
    if (!name.endsWith('.ndjson')) continue
    const deleted = join(logs, name.replace('zone=10001', 'zone=77'))
    await mkdir(dirname(deleted), { recursive: true })
    const lines = await readFile(join(logs, name), 'utf8')
    await writeFile(deleted, lines.replaceAll('"pullZoneId":10001,', '"pullZoneId":77,'))
  }
  const verified = await cli.ask(['verify', ...past()])
  expect(verified).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^No difference in .* of 2 zones\.\n/),
  })
  expect(verified.out).toContain('The platform does not show zone 77; only its segments were checked.\n')
  const requested = await cli.ask(['verify', '--zone', '77', ...past()])
  expect(requested).toMatchObject({ code: 3, err: expect.stringContaining('/v2/pullzones/{pullZoneId}/logs') })
})

test('0: a backfill repeats a window whose segment is gone, and the sink is whole again', async () => {
  await cli.configure()
  const first = await cli.ask(['backfill', ...past()])
  const logs = join(cli.folder(), 'logs')
  const names = (await readdir(logs, { recursive: true })).filter((name) => name.endsWith('.zst'))
  await unlink(join(logs, assertDefined(names[0])))
  const status = await cli.ask(['status'])
  expect(status).toMatchObject({ code: 6, out: expect.stringMatching(/^zone 10001: the sink lacks the segment of /m) })
  const again = await cli.ask(['backfill', ...past()])
  expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ rows? in 1 segment, /m) })
  expect((await cli.ask(['status'])).code).toBe(0)
  expect((await cli.ask(['verify', ...past()])).code).toBe(0)
  expect((await readdir(logs, { recursive: true })).filter((name) => name.endsWith('.zst'))).toEqual(names)
  expect(first.code).toBe(0)
})

test('6: a backfill names a window whose segment is gone and whose rows the platform no longer has', async () => {
  const to = Math.floor(Date.now() / hourMs) * hourMs - 80 * hourMs
  const window = { zone: '10001', from: to - hourMs / 12, to }
  const ledger = openLedger(join(cli.folder(), 'state'))
  await ledger.record({ ...window, rows: 1, nextRevision: 1, checkedAt: to, recheckDue: undefined })
  await ledger.close()
  const range = ['--from', iso(window.from), '--to', iso(window.to)]
  const filled = await cli.ask(['backfill', '--config', await cli.configure(), ...range])
  const lacks = `zone 10001: lacks the segment of ${iso(window.from)} to ${iso(window.to)}, which the platform no longer has\n`
  expect(filled).toMatchObject({ code: 6, out: expect.stringContaining(lacks) })
  expect(filled.out).not.toContain('exported')
})

test.each([4 * 24 * hourMs, -4 * 24 * hourMs])(
  '6: verify names a deleted segment even if the clock of this machine is off by %i ms',
  async (off) => {
    const traffic = { zones: 1, rowsPerSecond: 0.05 }
    const platform = await createEmulator({ start: new Date(Date.now() - off), traffic })
    try {
      await cli.configure({ loggingUrl: (await platform.listen()).loggingUrl.href })
      const env = { CDN_ACCESS_KEY: platform.fixtures.credentials.accessKey }
      const from = Math.floor(platform.clock.now().getTime() / hourMs) * hourMs - 3 * hourMs
      const range = ['--from', iso(from), '--to', iso(from + hourMs)]
      expect(await cli.ask(['backfill', ...range], env)).toMatchObject({ code: 0 })
      const names = await readdir(join(cli.folder(), 'logs'), { recursive: true })
      await unlink(join(cli.folder(), 'logs', assertDefined(names.find((name) => name.includes('1000Z-')))))
      const verified = await cli.ask(['verify', ...range], env)
      expect(verified).toMatchObject({ code: 6, out: expect.stringContaining('but no segment') })
      expect(verified.out).toContain('1 difference in ')
    } finally {
      await platform.close()
    }
  },
)

test('6: verify reports a configured zone without any segment in the sink', async () => {
  await cli.configure()
  const { code, out } = await cli.ask(['verify'])
  expect({ code, out }).toMatchObject({ code: 6, out: expect.stringMatching(/^Zone 10001, .*, but no segment\.\n/) })
  // Verify leaves out the newest rows, which may still be on their way to the sink.
  const ends = [...out.matchAll(/(?<=Z to )\S+Z/g)].map(([end]) => Date.parse(end))
  expect(Math.max(...ends)).toBeLessThanOrEqual(Date.now() - hourMs / 6)
})
