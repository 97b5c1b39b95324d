import { connect } from 'node:net'
import { stringifyJson } from '@cdn/kit/json'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { describe, expect, test, vi } from 'vitest'
import { createEmulator, type Emulator } from '../emulator.ts'
import { createRandom, type Random } from '../platform/traffic/random.ts'

/** Number of requests. No request may end the process, change the state, or leave a connection open. */
const count = propertyRuns(1_000)
const parallel = 100

const methods = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'BREW',
  'get',
  'CONNECT',
  'TRACE',
  'M-SEARCH',
  '',
] as const
const paths = [
  '/pullzone/2001/addAllowedReferrer',
  '/videolibrary/1001/watermark',
  '/v2/pullzones/2002/logs',
  '/06-17-26/2002.log',
  '/_emulator/log-rows',
  '/_emulator/clock/advance',
  '/_emulator/faults',
  '/_emulator/nothing',
  '//',
  '*',
] as const

/** Generates a malformed request that must not have an effect. Some contain a valid credential. */
function malform(random: Random, key: string): Buffer {
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)))
  const text = (length: number) =>
    noise(length)
      .toString('latin1')
      .replaceAll(/[\r\n]/g, '?')
  const method = random.pick(methods)
  const path = random.pick(paths)
  const head = (target: string, headers: string, verb: string = method) =>
    `${verb} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccessKey: ${key}\r\n${headers}\r\n`
  const json = 'Content-Type: application/json\r\n'
  const shapes: (() => string | Buffer)[] = [
    () => noise(1 + random.below(400)),
    () => Buffer.concat([Buffer.from([0x16, 0x03, 0x01]), noise(60)]),
    () => `${method} ${text(20)}\r\n\r\n`,
    () => `${method} ${path} HTTP/${random.below(10)}.${random.below(10)}\r\n${text(30)}\r\n\r\n`,
    () => head(path, `${'X'.repeat(20 + random.below(40_000))}: 1\r\n`, 'GET').slice(0, 20 + random.below(41_000)),
    () => head(path, `X-Long: ${'a'.repeat(17_000 + random.below(60_000))}\r\n`, 'GET'),
    () => head(path, Array.from({ length: 2500 }, (_, index) => `X-${index}: 1\r\n`).join(''), 'GET'),
    () => head(`/v2/pullzones/%${text(2).trim() || 'zz'}/logs?limit=%${random.below(100)}z&from=%ff`, '', 'GET'),
    () => head(`/videolibrary/${encodeURIComponent(text(8))}/watermark`, '', 'DELETE'),
    () => head(`/videolibrary/${'9'.repeat(1 + random.below(400))}/watermark`, '', 'DELETE'),
    () =>
      head(`/v2/pullzones/2002/logs?${'&'.repeat(random.below(3000))}limit=${text(5).replaceAll(' ', '')}`, '', 'GET'),
    () => head(path, `Content-Length: ${text(4)}\r\n`),
    () => `${head(path, `${json}Content-Length: 500\r\n`, 'POST')}{"Hostname":"a`,
    () => head(path, `${json}Content-Length: -1\r\n`, 'POST'),
    () => head(path, `${json}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n`, 'POST'),
    () => `${head(path, `${json}Transfer-Encoding: chunked\r\n`, 'POST')}${text(4)}\r\n{}`,
    () => `${head(path, `${json}Transfer-Encoding: chunked\r\n`, 'POST')}FFFFFFFFFFFFFFFFFF\r\n{}`,
    () => `${head(path, `${json}Content-Length: 4\r\n`, 'POST')}${'{['.repeat(2)}`,
    () => `${head(path, `${json}Content-Length: 20000\r\n`, 'POST')}${'['.repeat(20_000)}`,
    () =>
      `${head(path, `${json}Content-Length: 6\r\n`, 'POST')}${random.pick(['"null"', '[null]', '123456', 'truefa', '{"a":}'])}`,
    () => Buffer.concat([Buffer.from(head(path, `${json}Content-Length: 30\r\n`, 'POST')), noise(30)]),
    () =>
      head(
        path,
        `Authorization: ${random.pick(['Bearer', 'Bearer x.y.z', 'Basic eA==', `Bearer ${text(40)}`])}\r\n`,
        'BREW',
      ),
    () => head(`http://[bad${path}`, '', 'GET'),
    () => head('example.com:443', '', 'CONNECT'),
    () =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nExpect: 100-continue\r\n\r\n`,
    () => head(path, 'Expect: nonsense\r\n', 'GET'),
  ]
  const request = random.pick(shapes)()
  const bytes = typeof request === 'string' ? Buffer.from(request, 'latin1') : request
  return random.below(8) === 0 ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
}

/** Sends bytes and returns everything that is received until the connection closes. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (part) => (response += response.length < 100 ? part : ''))
    socket.on('error', () => {})
    socket.on('close', () => resolve(response))
  })
}

/** Serializes everything that a request can change. */
function shot({ state, clock, faults }: Emulator): string {
  return JSON.stringify([
    clock.now(),
    faults.active(),
    stringifyJson(state.resources.all),
    [...state.keys.keys()],
    state.zones.keys().map((id) => [...state.logs.rows(id)].length),
  ])
}

describe('random malformed requests', () => {
  test('each get a response or a closed connection, and change nothing', { timeout: 300_000 }, async () => {
    const complaints = vi.spyOn(console, 'error')
    const emulator = await createEmulator()
    const { managementUrl, loggingUrl } = await emulator.listen()
    const key = emulator.fixtures.credentials.accessKey
    const before = shot(emulator)
    const random = createRandom('malformed requests')
    const starts = new Map<string, number>()
    let left = count
    const work = async () => {
      while (left-- > 0) {
        const url = random.below(2) === 0 ? managementUrl : loggingUrl
        const response = await exchange(Number(url.port), malform(random, key))
        const line = response.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').slice(0, 12)
        starts.set(line, (starts.get(line) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: parallel }, work))
    expect([...starts.values()].reduce((sum, number) => sum + number, 0)).toBe(count)
    for (const line of starts.keys()) expect(line).toMatch(/^(HTTP\/1\.1 ([234]\d\d|501))?$/)
    expect([...starts.keys()]).toEqual(expect.arrayContaining(['HTTP/1.1 400', 'HTTP/1.1 431', 'HTTP/1.1 501', '']))
    expect(shot(emulator)).toBe(before)
    expect(complaints).not.toHaveBeenCalled()
    const headers = { AccessKey: key }
    expect((await fetch(new URL('videolibrary/1001', managementUrl), { headers })).status).toBe(200)
    await emulator.close()
  })
})
