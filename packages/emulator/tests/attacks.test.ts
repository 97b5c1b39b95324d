import { createEmulator, type Emulator, type Listening } from '@cdn/emulator'
import { stringifyJson } from '@cdn/kit/json'
import { attacksOf, describeAttacks } from '@cdn/kit/testing/attack'
import { sendRaw } from '@cdn/kit/testing/send-raw'
import { expect } from 'vitest'

let emulator: Emulator
let listening: Listening

async function open(): Promise<() => Promise<void>> {
  emulator = await createEmulator()
  listening = await emulator.listen({ allowHosts: ['Emulator'] })
  return () => emulator.close()
}

async function statusOf(lines: readonly string[]): Promise<string> {
  const request = `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`
  return (await sendRaw(listening.managementUrl, request)).slice(9, 12)
}

/** Serializes everything that a request can change. */
function state(): string {
  const { state: all, clock, faults, variants, journal } = emulator
  return JSON.stringify([
    clock.now(),
    faults.active(),
    variants,
    stringifyJson(all.resources.all),
    [...all.keys.keys()],
    [...all.zones.keys()].map((id) => all.logs.count(id)),
    journal.dropped,
  ])
}

/** Verifies that `send` changes nothing, and that the emulator serves the next request. */
async function unchanged(send: () => Promise<unknown>): Promise<void> {
  const before = state()
  await send()
  expect(state()).toBe(before)
  const { accessKey } = emulator.fixtures.credentials
  const response = await fetch(new URL('pullzone/2001', listening.managementUrl), { headers: { AccessKey: accessKey } })
  expect([response.status, Object.hasOwn(Object.prototype, 'polluted')]).toEqual([200, false])
}

/** Hosts in requests of a page whose own name leads to this machine (DNS rebinding). */
const foreignHosts = [
  'evil.example',
  'evil.example:4020',
  'localhost.evil.example',
  'evil.localhost.example:80',
  '127.0.0.1.evil.example',
  '127.0.0.1.',
  'emulator.',
  'emulator.evil.example',
  'x@127.0.0.1',
  '127.0.0.1@evil.example',
  '[::1].evil.example',
  '0x7f.1',
  '',
  ' ',
]
const ownHosts = ['127.0.0.1', '127.0.0.1:4020', 'localhost', 'LOCALHOST:80', '[::1]:80', '10.0.0.7', 'emulator:4020']

const pageHeaders = [
  'Origin: https://evil.example',
  'Origin: null',
  'Origin: http://127.0.0.1',
  'Origin: http://localhost:4020',
  'Sec-Fetch-Site: cross-site',
  'Sec-Fetch-Site: same-site',
  'Sec-Fetch-Site: same-origin',
  'Sec-Fetch-Site: none',
]
const actions = [
  'GET /_emulator/journal',
  'GET /_emulator/state',
  'DELETE /_emulator/journal',
  'POST /_emulator/faults',
]

/** Paths that another program may read as a path of the control interface, or as a name of a prototype. */
const oddPaths = [
  '/%5femulator/state',
  '/_emulator%2fstate',
  '//_emulator/state',
  '/./_emulator/state',
  '/pullzone/../_emulator/state',
  '/_emulator/../_emulator/state',
  '/_emulator/constructor',
  '/_emulator/__proto__',
  '/_emulator/toString',
  '/_EMULATOR/state',
  '/_emulator/state/',
  '/_emulator/',
  '/_emulator/state%00',
  'http://evil.example/_emulator/../x',
]

const bodies: readonly (readonly [path: string, body: string])[] = [
  ['faults', '{"__proto__":{"polluted":1},"name":"latency","ms":-1}'],
  ['faults', '{"name":"__proto__"}'],
  ['faults', '{"name":"constructor"}'],
  ['faults', '{"name":"latency","ms":1e999}'],
  ['faults', '{"name":"latency","operation":"__proto__"}'],
  ['faults', '['.repeat(200_000)],
  ['faults', '{"name":"latency","times":-1}'],
  ['faults', '{"name":"latency","share":2}'],
  ['faults', '{"name":"latency","share":"__proto__"}'],
  ['variants', '{"constructor":1}'],
  ['variants', '{"toString":1}'],
  ['variants', '{"addSuccess":"__proto__"}'],
  ['variants', '"__proto__"'],
  ['log-rows', '{"rows":[{"__proto__":{"polluted":1}}]}'],
  ['log-rows', '{"rows":[{"timestamp":1,"pullZoneId":"1","constructor":1}]}'],
  ['log-rows', '{"rows":{"length":1e9}}'],
  ['log-rows', '{"rows":[null,1,"x",[]]}'],
  ['traffic', '{"zones":1e9,"rowsPerSecond":1}'],
  ['traffic', '{"zones":["__proto__"],"rowsPerSecond":1}'],
  ['traffic', '{"zones":1,"rowsPerSecond":1e300}'],
  ['traffic', '{"zones":1,"rowsPerSecond":1,"bursts":{"rows":1e12,"everyMs":1}}'],
  ['clock/advance', '{"ms":1e300}'],
  ['clock/advance', '{"ms":-1}'],
  ['clock/advance', '{"ms":"__proto__"}'],
]

async function control(path: string, body: string): Promise<void> {
  const response = await fetch(new URL(`_emulator/${path}`, listening.managementUrl), { method: 'POST', body })
  expect([response.status, typeof (await response.json()).message]).toEqual([400, 'string'])
}

const key = () => emulator.fixtures.credentials.accessKey
const add = 'POST /pullzone/2001/addAllowedReferrer HTTP/1.1\r\nHost: x\r\n'
const json = 'Content-Type: application/json\r\n'
/** Requests that break parsers of HTTP, smuggle a second request, or end early. KEY is a valid key. */
const malformed: Readonly<Record<string, string | Uint8Array>> = {
  'empty lines': '\r\n\r\n',
  'a method only': 'GET\r\n\r\n',
  nonsense: 'nonsense nonsense nonsense\r\n\r\n',
  'another version': 'GET / HTTP/9.9\r\n\r\n',
  'a header without a colon': 'GET /v2/pullzones/2002/logs HTTP/1.1\r\nHost: x\r\nAccessKey\r\n\r\n',
  'a header of 100 kB': `GET /v2/pullzones/2002/logs HTTP/1.1\r\nHost: x\r\nAccessKey: ${'a'.repeat(100_000)}\r\n\r\n`,
  'thousands of headers': `GET / HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 2500 }, (_, index) => `X-${index}: 1\r\n`).join('')}\r\n`,
  'invalid percent-encoding':
    'GET /v2/pullzones/%zz/logs?limit=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccessKey: KEY\r\n\r\n',
  'encoded parents': 'GET /%2e%2e/%2e%2e/.log HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccessKey: KEY\r\n\r\n',
  'an invalid absolute target': 'GET http://[bad/v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccessKey: KEY\r\n\r\n',
  'slashes only': 'GET //// HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'an asterisk': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'another method': 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n',
  'an upgrade': 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'a body that ends early': `${add}AccessKey: KEY\r\n${json}Content-Length: 500\r\n\r\n{"Hostname":"a"}`,
  'an invalid chunk': `${add}AccessKey: KEY\r\n${json}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}`,
  'an endless chunk': `${add}AccessKey: KEY\r\n${json}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n{}`,
  'two lengths': `${add}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a negative length': `${add}AccessKey: KEY\r\n${json}Content-Length: -1\r\n\r\n`,
  'a second request in a body': `${add}Content-Length: 4\r\nContent-Length: 90\r\n\r\nPOST /pullzone/2001/addAllowedReferrer HTTP/1.1\r\nHost: x\r\nAccessKey: KEY\r\n\r\n`,
  'invalid JSON for the control interface':
    'POST /_emulator/log-rows HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{]',
  noise: new Uint8Array(512).map((_, index) => (index * 167) % 256),
  'a TLS handshake': new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
}

/** Attacks on the emulator, which runs on machines of developers. */
describeAttacks([
  {
    name: 'emulator: foreign hosts',
    holds: 'the control interface refuses names that are not its own',
    open,
    attacks: attacksOf(foreignHosts, async (host) => {
      for (const action of actions)
        expect(await statusOf([`${action} HTTP/1.1`, `Host: ${host}`])).toMatch(/^4(21|00)$/)
    }),
  },
  {
    name: 'emulator: pages of browsers',
    holds: 'the control interface refuses web pages under any host name',
    open,
    attacks: attacksOf(pageHeaders, async (header) => {
      for (const host of ownHosts) {
        expect(await statusOf(['GET /_emulator/journal HTTP/1.1', `Host: ${host}`])).toBe('200')
        for (const action of actions)
          expect(await statusOf([`${action} HTTP/1.1`, `Host: ${host}`, header])).toBe('403')
      }
    }),
  },
  {
    name: 'emulator: odd paths',
    holds: 'no path leads to the control interface by another name',
    open,
    attacks: attacksOf(oddPaths, (path) =>
      unchanged(async () => {
        expect(await statusOf([`GET ${path} HTTP/1.1`, 'Host: localhost'])).toMatch(/^(404|501)$/)
      }),
    ),
  },
  {
    name: 'emulator: bodies for the control interface',
    holds: 'the response is a 400 with one sentence, and nothing changes',
    open,
    attacks: bodies.map(([path, body]) => ({
      name: `${path} ${body.slice(0, 80)}`,
      run: () => unchanged(() => control(path, body)),
    })),
  },
  {
    name: 'emulator: malformed requests',
    holds: 'a refusal or a closed connection, and nothing changes',
    open,
    attacks: attacksOf(malformed, (bytes) =>
      unchanged(async () => {
        for (const url of [listening.managementUrl, listening.loggingUrl])
          expect(await sendRaw(url, typeof bytes === 'string' ? bytes.replace('KEY', key()) : bytes)).toMatch(
            /^(HTTP\/1\.1 (4\d\d|101|501)|$)/,
          )
      }),
    ),
  },
])
