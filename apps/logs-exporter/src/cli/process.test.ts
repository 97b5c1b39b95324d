import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import { hourMs } from '@cdn/kit/time'
import { afterAll, afterEach, expect, test } from 'vitest'
import { bin, iso, openCli, pastHour as past } from '../../tests/support/cli.ts'

const cli = await openCli()
afterAll(() => cli.close())
afterEach(() => cli.reset())

test('0: rows on standard output, and nothing else, each once also after a second backfill', async () => {
  await cli.configure({ stdout: true })
  const { code, out, err } = await cli.start(['backfill', ...past()]).ended
  expect(code).toBe(0)
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('requestId')
  expect(err).toContain('zone 10001: exported ')
  expect(await cli.start(['backfill', ...past()]).ended).toMatchObject({ code: 0, out: '' })
  expect((await cli.ask(['status'])).out).toContain('standard output: all segments are written\n')
})

test('1: a backfill ends when the reader of its output closes it', async () => {
  const from = Math.floor(Date.now() / hourMs) * hourMs - 60 * hourMs
  const range = ['--from', iso(from), '--to', iso(from + 55 * hourMs)]
  const filling = cli.start(['backfill', '--config', await cli.configure({ stdout: true }), ...range])
  filling.process.stdout?.once('data', () => filling.process.stdout?.destroy())
  const { code, err } = await filling.ended
  // On a busy machine, there are lines about the progress before this line.
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/(^|\n)cdn-logs-exporter: The reader of standard output closed it\.\n$/),
  })
})

test.skipIf(!existsSync('/dev/full'))('1: standard output is on a full disk', async () => {
  const full = openSync('/dev/full', 'w')
  try {
    const CDN_LOGS_EXPORTER_CONFIG = await cli.configure({ stdout: true })
    for (const args of [['--help'], ['backfill', ...past()]]) {
      const env = { ...process.env, CDN_ACCESS_KEY: cli.accessKey, CDN_LOGS_EXPORTER_CONFIG }
      const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', full, 'pipe'] })
      const said = text(assertDefined(child.stderr))
      const [code] = await once(child, 'close')
      const err = 'cdn-logs-exporter: Standard output cannot be written (ENOSPC).\n'
      expect({ code, err: await said }).toEqual({ code: 1, err })
    }
  } finally {
    closeSync(full)
  }
})

test('1: a second exporter on the same ledger is refused, and the first continues; status can read at the same time', async () => {
  await cli.configure()
  const first = cli.start(['run'])
  const said = await first.said('"msg":"running"')
  const second = await cli.ask(['run'])
  expect(second.code).toBe(1)
  expect(second.err).toContain('cannot be locked: another exporter works with it')
  expect(second.err).not.toContain('    at ')
  // The port is in use as well, but the message names the ledger.
  const { health } = JSON.parse(assertDefined(said.split('\n').find((line) => line.includes('running'))))
  const third = await cli.ask(['run', '--config', await cli.configure({ listen: new URL(health).host })])
  expect(third).toMatchObject({ code: 1, err: expect.stringContaining('another exporter works with it') })
  expect((await cli.ask(['status', '--json'])).code).toBe(0)
  expect(first.process.exitCode).toBe(null)
  first.process.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)
})

test('0: SIGTERM ends the daemon, whose HTTP addresses answer until then', async () => {
  const daemon = cli.start(['run', '--config', await cli.configure()])
  const said = await daemon.said('"msg":"running"')
  const { health } = JSON.parse(assertDefined(said.split('\n').find((line) => line.includes('running'))))
  expect((await fetch(new URL('/livez', health))).status).toBe(200)
  expect(await (await fetch(new URL('/metrics', health))).text()).toContain('cdn_logs_exporter_rows_total')
  daemon.process.kill('SIGHUP')
  await daemon.said('SIGHUP is ignored')
  daemon.process.kill('SIGTERM')
  const { code, err } = await daemon.ended
  expect(code).toBe(0)
  for (const line of err.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
})

test('the HTTP addresses answer while the zones cannot be listed', async () => {
  const zones = { from: 'management', name: 'no such zone' }
  const daemon = cli.start(['run', '--config', await cli.configure({ zones, managementUrl: cli.managementUrl })])
  const { health } = JSON.parse((await daemon.said('the zones cannot be listed yet')).trim())
  const live = await fetch(new URL('/livez', health))
  const ready = await fetch(new URL('/readyz', health))
  expect([live.status, ready.status]).toEqual([200, 503])
  expect(await ready.json()).toMatchObject({ problems: [{ kind: 'starting', text: 'The zones are not listed yet.' }] })
  daemon.process.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})

test('0: SIGTERM ends a daemon that still waits for its sink', async () => {
  const silent = createServer(() => {}) // takes requests and never answers
  const endpoint = await listen(silent)
  const requested = once(silent, 'request')
  const secret = { env: 'CDN_ACCESS_KEY' }
  const credentials = { accessKeyId: secret, secretAccessKey: secret }
  const sink = { type: 's3', endpoint, bucket: 'logs', credentials }
  const daemon = cli.start(['run', '--config', await cli.configure({ sink })])
  await requested
  daemon.process.kill('SIGTERM')
  const { code, err } = await daemon.ended
  silent.closeAllConnections()
  silent.close()
  expect({ code, err }).toEqual({ code: 0, err: '' })
})
