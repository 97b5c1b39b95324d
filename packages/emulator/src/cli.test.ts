import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const bin = fileURLToPath(new URL('./bin.ts', import.meta.url))
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
    child.on('close', () => reject(new Error(`It ended without a line: ${err}`)))
  })
  // Most that end at once are not waited for in this way.
  firstLine.catch(() => {})
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  )
  return { child, firstLine, ended }
}

describe('cdn-emulator', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('serves what its one line says until %s', async (signal) => {
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
    expect((await fetch(`${ready.loggingUrl}v2/pullzones/${ids.otherLoggedZoneId}/logs`, { headers })).status).toBe(200)

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
  })

  it('greets a person with a command to try', async () => {
    const { child, firstLine, ended } = run()
    expect(await firstLine).toMatch(/Management {2}http:\/\/127[\s\S]*curl -H 'AccessKey: /)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it('ends in time while bodies are streaming, answers are late and connections idle', {
    timeout: 60_000,
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
    const streaming = await fetch(`${loggingUrl}v2/pullzones/2002/logs`, { headers })
    const reader = streaming.body?.getReader()
    expect((await reader?.read())?.value?.length).toBe(1)
    const received = async () => (await (await fetch(`${loggingUrl}_emulator/journal`)).json()).entries.length
    while ((await received()) < 5);
    const broken = Promise.allSettled([...late, reader?.read()])
    child.kill('SIGTERM')
    expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    // Its own deadline would have ended it with 1.
    expect((await ended).code).toBe(0)
  })

  it('has a clock that can be moved where it is told so', async () => {
    const { firstLine } = run('--json', '--clock', 'virtual')
    const { loggingUrl } = JSON.parse(await firstLine)
    const advance = { method: 'POST', body: '{"ms":86400000}' }
    const moved = await fetch(`${loggingUrl}_emulator/clock/advance`, advance)
    expect([moved.status, await moved.json()]).toEqual([200, { now: '2026-06-18T14:30:00.000Z' }])
  })

  it.each([
    [['--clock', 'sun'], '--clock must be real or virtual, not "sun"'],
    [['--prot', '1'], 'There is no option --prot; see --help'],
    [['--port'], '--port needs a value; see --help'],
    [['--port', 'x'], '--port must be an integer from 0 to 65534, not "x"'],
    [['--port', '70000'], '--port must be an integer from 0 to 65534, not "70000"'],
    [['--seed', '1.5'], '--seed must be an integer from 0 to 9007199254740991, not "1.5"'],
    [['--json=1'], '--json takes no value; see --help'],
    [['serve'], 'There is no argument "serve"; see --help'],
  ])('%j: one sentence and exit 2', async (args, sentence) => {
    expect(await run(...args).ended).toEqual({ code: 2, out: '', err: `cdn-emulator: ${sentence}\n` })
  })

  it('says that a port is in use', async () => {
    const other = await new Promise<Server>((resolve) => {
      const server: Server = createServer().listen(0, '127.0.0.1', () => resolve(server))
    })
    const { port } = other.address() as AddressInfo
    const { code, err } = await run('--port', String(port)).ended
    other.close()
    expect([code, err]).toEqual([
      2,
      `cdn-emulator: Port ${port} is in use; name another one, or 0 for any that is free\n`,
    ])
  })
})
