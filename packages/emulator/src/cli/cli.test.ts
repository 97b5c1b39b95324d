import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { runCli } from './run.ts'

const bin = fileURLToPath(new URL('../bin.ts', import.meta.url))
const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

function run(...args: string[]): {
  child: ChildProcess
  firstLine: Promise<string>
  ended: Promise<{ code: number | null; out: string; err: string }>
} {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  let out = ''
  let err = ''
  child.stderr?.on('data', (part) => (err += part))
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (part) => {
      out += part
      if (out.includes('\n')) resolve(out)
    })
    child.on('close', () => reject(new Error(`The process ended without output: ${err}`)))
  })
  // Tests of failing starts do not await `firstLine`, so its rejection must not count as unhandled.
  firstLine.catch(() => {})
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  )
  return { child, firstLine, ended }
}

/** Sends a GET with a Host header, which `fetch` cannot set. */
async function statusUnder(host: string, url: string): Promise<number | undefined> {
  const [response] = await once(get(url, { headers: { host } }), 'response')
  response.resume()
  return response.statusCode
}

describe('cdn-emulator', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'serves the printed addresses with the printed credentials until %s',
    async (signal) => {
      const { child, firstLine, ended } = run('--port', '0', '--json')
      const ready = JSON.parse(await firstLine)
      const { credentials, ...ids } = ready.fixtures
      const headers = { AccessKey: ready.accessKey }
      const logs = `${ready.loggingUrl}v2/pullzones/${ids.loggedZoneId}/logs`
      expect((await fetch(logs)).status).toBe(401)
      expect((await fetch(logs, { headers: { AccessKey: 'wrong' } })).status).toBe(403)
      expect((await fetch(logs, { headers: { Authorization: `Bearer ${ready.bearerToken}` } })).status).toBe(200)
      const statuses: number[] = []
      for (let count = 0; count < 31; count++) statuses.push((await fetch(logs, { headers })).status)
      expect(statuses).toContain(429)
      expect((await fetch(`${ready.loggingUrl}v2/pullzones/${ids.otherLoggedZoneId}/logs`, { headers })).status).toBe(
        200,
      )

      expect(ready.env[credentials.accessKey]).toBe(ready.accessKey)
      const token = ready.env[credentials.byScope.SubuserAPIStream]
      expect(credentials.byScope.SubuserAPIStream).toBe('CDN_SCOPE_SUBUSER_API_STREAM_TOKEN')
      const watermark = `${ready.managementUrl}videolibrary/${ids.libraryId}/watermark`
      expect((await fetch(watermark, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })).status).toBe(
        204,
      )

      child.kill(signal)
      const { code, out, err } = await ended
      expect([code, out.trimEnd().split('\n').length, err]).toEqual([0, 1, ''])
    },
  )

  test('ends without an error if the reader of its output is gone', async () => {
    const { child, ended } = run('--help')
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  test('starts with the state of a YAML file, and reports a fault in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'state.yaml')
    await writeFile(file, 'resources:\n  /pullzone:\n    - { Id: 9007199254740993, Name: own }\n')
    const { child, firstLine, ended } = run('--json', '--state', file)
    const { accessKey, managementUrl } = JSON.parse(await firstLine)
    const zones = await fetch(`${managementUrl}pullzone`, { headers: { AccessKey: accessKey } })
    expect(await zones.text()).toMatch(/^\[\{"Id":9007199254740993,"Name":"own",[^[\]]*"Hostnames":\[\]/)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
    for (const [text, fault] of [
      ['resources: [', /^cdn-emulator: Invalid state \S+state.yaml: [^\n]+ at line 1, column \d+\n$/],
      [
        'resources: { /pullzone: [{ Id: x }] }',
        /^cdn-emulator: Invalid state: \/pullzone\[0\]\.Id must be integer\.\n$/,
      ],
    ] as const) {
      await writeFile(file, text)
      expect(await run('--state', file).ended).toMatchObject({ code: 2, err: expect.stringMatching(fault) })
    }
  })

  test('prints an example command without --json', async () => {
    const { child, firstLine, ended } = run()
    expect(await firstLine).toMatch(/Management {2}http:\/\/127[\s\S]*curl -H 'AccessKey: /)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  test('stops in time despite streaming bodies, late responses and idle connections', {
    timeout: 180_000,
  }, async () => {
    const { child, firstLine, ended } = run('--json')
    const { accessKey, loggingUrl, managementUrl } = JSON.parse(await firstLine)
    const fault = (body: unknown) =>
      fetch(`${loggingUrl}_emulator/faults`, { method: 'POST', body: JSON.stringify(body) })
    await fault({ name: 'slow-body', bytes: 1, pauseMs: 3_600_000, operation: 'query-logs' })
    await fault({ name: 'latency', ms: 3_600_000, operation: 'get-pull-zone' })
    await fault({ name: 'time-out', operation: 'get-video-library' })
    await fault({ name: 'redirect', operation: 'delete-watermark' })
    const headers = { AccessKey: accessKey }
    expect((await fetch(`${managementUrl}videolibrary/1001/watermark`, { method: 'DELETE', headers })).status).toBe(404)
    const late = ['pullzone/2001', 'videolibrary/1001'].map((path) => fetch(managementUrl + path, { headers }))
    const plain = { ...headers, 'Accept-Encoding': 'identity' }
    const streaming = await fetch(`${loggingUrl}v2/pullzones/2002/logs`, { headers: plain })
    const reader = streaming.body?.getReader()
    expect((await reader?.read())?.value?.length).toBe(1)
    const received = async () => (await (await fetch(`${loggingUrl}_emulator/journal`)).json()).entries.length
    while ((await received()) < 5);
    const broken = Promise.allSettled([...late, reader?.read()])
    child.kill('SIGTERM')
    expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    // If the shutdown deadline had ended the process, the code would be 1.
    expect((await ended).code).toBe(0)
  })

  test('has a clock that can be advanced with --clock virtual', async () => {
    const { firstLine } = run('--json', '--clock', 'virtual')
    const { loggingUrl } = JSON.parse(await firstLine)
    const advance = { method: 'POST', body: '{"ms":86400000}' }
    const moved = await fetch(`${loggingUrl}_emulator/clock/advance`, advance)
    expect([moved.status, await moved.json()]).toEqual([200, { now: '2026-06-18T14:30:00.000Z' }])
  })

  test.each([
    [['--clock', 'sun'], "Option '--clock <kind>' argument 'sun' is invalid: expected one of real, virtual."],
    [['--prot', '1'], "Unknown option '--prot' (Did you mean --port?)."],
    [['--port', '70000'], "Option '--port <n>' argument '70000' is invalid: expected a whole number from 0 to 65534."],
    [['--variant', 'addSuccess'], 'Invalid variant "addSuccess": expected NAME=VALUE'],
    [['--variant', 'nonsense=1'], /^variants has an unknown key "nonsense": expected one of addSuccess, /],
    [['--variant', 'addSuccess=202'], 'variants.addSuccess must be one of 204, 200, 201, not "202"'],
    [['--state', '/nowhere.json'], 'Cannot read /nowhere.json: ENOENT'],
    [
      ['--host', '203.0.113.1'],
      'Invalid host 203.0.113.1: expected an address of this machine, or 0.0.0.0 for all of them',
    ],
  ])('%j: one sentence and exit 2', async (args, sentence) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => write.mockRestore())
    expect(await runCli(args)).toBe(2)
    const [[text], ...others] = write.mock.calls as [[string]]
    expect(others).toEqual([])
    if (typeof sentence === 'string') expect(text).toBe(`cdn-emulator: ${sentence}\n`)
    else expect(text.replace('cdn-emulator: ', '')).toMatch(sentence)
  })

  test('starts with the given variants, and answers control requests under the given host name', async () => {
    const { firstLine } = run(
      '--json',
      '--variant',
      'addSuccess=200',
      '--variant',
      'nullFields=null',
      '--allow-host',
      'emulator',
    )
    const { loggingUrl } = JSON.parse(await firstLine)
    const { active } = await (await fetch(`${loggingUrl}_emulator/variants`)).json()
    expect(active).toMatchObject({ addSuccess: 200, nullFields: 'null', addTwice: 'kept once' })
    expect(await statusUnder('emulator', `${loggingUrl}_emulator/state`)).toBe(200)
    expect(await statusUnder('other', `${loggingUrl}_emulator/state`)).toBe(421)
  })
})
