import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { runCli } from './run.ts'

const bin = fileURLToPath(new URL('../bin.ts', import.meta.url))
const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Starts the program. `firstOutput` is its first output, or all that it wrote if it ended before. */
function run(...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (part) => (texts.out += part))
  child.stderr.on('data', (part) => (texts.err += part))
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }))
  const firstOutput = Promise.race([once(child.stdout, 'data'), ended]).then(() => texts.out || texts.err)
  return { child, firstOutput, ended }
}

/** Sends a GET with a Host header, which `fetch` cannot set. */
async function statusUnder(host: string, url: string): Promise<number | undefined> {
  const [response] = await once(get(url, { headers: { host } }), 'response')
  response.resume()
  return response.statusCode
}

async function stateFile(text: string): Promise<string> {
  const file = join(temporaryFolder(onTestFinished), 'state.yaml')
  await writeFile(file, text)
  return file
}

/** Returns the only text that a failed start writes to stderr. */
async function refusal(args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  expect(await runCli(args)).toBe(2)
  const [[text], ...others] = write.mock.calls as [[string]]
  expect(others).toEqual([])
  return text
}

describe('cdn-emulator', () => {
  test('serves as its options say, and stops in time despite streaming bodies, late responses and idle connections', {
    timeout: 180_000,
  }, async () => {
    const state = await stateFile(
      'resources:\n  /videolibrary:\n    - { Id: 1001, HasWatermark: true }\n    - { Id: 9007199254740993, Name: own }\n',
    )
    const variants = ['--variant', 'addSuccess=200', '--variant', 'nullFields=null']
    const others = ['--allow-host', 'emulator', '--clock', 'virtual', '--cors', '--state', state]
    const { child, firstOutput, ended } = run('--port', '0', '--json', ...variants, ...others)
    const { accessKey, bearerToken, env, fixtures, loggingUrl, managementUrl } = JSON.parse(await firstOutput)
    const { credentials, ...ids } = fixtures
    const headers = { AccessKey: accessKey }
    const control = async (path: string, body?: object) => {
      const init = body && { method: 'POST', body: JSON.stringify(body) }
      return (await fetch(`${loggingUrl}_emulator/${path}`, init)).json()
    }

    const logs = `${loggingUrl}v2/pullzones/${ids.loggedZoneId}/logs`
    const statusWith = async (sent: Record<string, string>) => (await fetch(logs, { headers: sent })).status
    expect([await statusWith({}), await statusWith({ AccessKey: 'wrong' })]).toEqual([401, 403])
    expect(await statusWith({ Authorization: `Bearer ${bearerToken}` })).toBe(200)
    expect((await fetch(logs, { headers })).headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await fetch(logs, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'accesskey,traceparent' },
    })
    const allowed = ['methods', 'headers'].map((name) => preflight.headers.get(`access-control-allow-${name}`))
    expect([preflight.status, ...allowed]).toEqual([204, 'PATCH', 'accesskey,traceparent'])
    expect(env[credentials.accessKey]).toBe(accessKey)
    expect(credentials.byScope.SubuserAPIStream).toBe('CDN_SCOPE_SUBUSER_API_STREAM_TOKEN')
    const scoped = { Authorization: `Bearer ${env[credentials.byScope.SubuserAPIStream]}` }
    const watermark = `${managementUrl}videolibrary/${ids.libraryId}/watermark`
    expect((await fetch(watermark, { method: 'DELETE', headers: scoped })).status).toBe(204)
    expect(await (await fetch(`${managementUrl}videolibrary/9007199254740993`, { headers })).text()).toMatch(
      /^\{"Id":9007199254740993,"Name":"own",/,
    )
    expect((await control('variants')).active).toMatchObject({
      addSuccess: 200,
      nullFields: 'null',
      addTwice: 'kept once',
    })
    expect(await control('clock/advance', { ms: 86_400_000 })).toEqual({ now: '2026-06-18T14:30:00.000Z' })
    expect(await statusUnder('emulator', `${loggingUrl}_emulator/state`)).toBe(200)
    expect(await statusUnder('other', `${loggingUrl}_emulator/state`)).toBe(421)

    // A virtual clock jumps over pauses, so slow faults cannot keep a connection open. A long body and a silent connection can.
    const rows = Array.from({ length: 100_000 }, () => ({ timestamp: Date.UTC(2026, 5, 18, 12), pullZoneId: '2003' }))
    await control('log-rows', { rows })
    await control('faults', { name: 'time-out', operation: 'get-video-library' })
    await control('faults', { name: 'redirect', operation: 'delete-watermark' })
    expect((await fetch(watermark, { method: 'DELETE', headers })).status).toBe(404)
    const late = fetch(`${managementUrl}videolibrary/1001`, { headers })
    const plain = { ...headers, 'Accept-Encoding': 'identity' }
    const streaming = await fetch(`${loggingUrl}06-18-26/2003.log`, { headers: plain })
    const reader = streaming.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    const received = async () => (await control('journal')).entries.length
    while ((await received()) < 9);
    const drain = async () => {
      while (!(await reader?.read())?.done);
    }
    child.kill('SIGTERM')
    await expect(late).rejects.toThrow()
    await expect(drain()).rejects.toThrow()
    // If the shutdown deadline had ended the process, the code would be 130.
    const { code, out, err } = await ended
    expect([code, out.trimEnd().split('\n').length, err]).toEqual([0, 1, ''])
  })

  test('prints an example command without --json, and stops at SIGINT', async () => {
    const { child, firstOutput, ended } = run()
    expect(await firstOutput).toMatch(/Management {2}http:\/\/127[\s\S]*curl -H 'AccessKey: /)
    child.kill('SIGINT')
    expect((await ended).code).toBe(0)
  })

  test('ends without an error if the reader of its output is gone', async () => {
    const { child, ended } = run('--help')
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  test.each([
    ['resources: [', /^cdn-emulator: Invalid state \S+state.yaml: [^\n]+ at line 1, column \d+\n$/],
    ['resources: { /pullzone: [{ Id: x }] }', /^cdn-emulator: Invalid state: \/pullzone\[0\]\.Id must be integer\.\n$/],
  ])('reports a fault in the state %s', async (text, sentence) => {
    expect(await refusal(['--state', await stateFile(text)])).toMatch(sentence)
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
    const text = await refusal(args)
    if (typeof sentence === 'string') expect(text).toBe(`cdn-emulator: ${sentence}\n`)
    else expect(text.replace('cdn-emulator: ', '')).toMatch(sentence)
  })
})
