import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { attacksOf, describeAttacks, errorOf, leakedSecrets, spellings } from '@cdn/kit/testing/attack'
import { sendRaw } from '@cdn/kit/testing/send-raw'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished } from 'vitest'
import { parseConfig } from '../src/config/read-config.ts'
import { readSecret } from '../src/config/secret.ts'
import { serveHealth } from '../src/health/server.ts'
import { idleMetrics } from './deploy/idle-metrics.ts'

let url: URL

async function open(): Promise<() => Promise<void>> {
  const server = await serveHealth({ host: '127.0.0.1', port: 0 }, idleMetrics().registry, async () => [])
  url = new URL(server.url)
  return async () => server[Symbol.asyncDispose]()
}

async function isAlive(): Promise<void> {
  expect((await fetch(new URL('livez', url))).status).toBe(200)
}

async function answers(method: string, path: string, status: RegExp): Promise<void> {
  expect(await sendRaw(url, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(status)
  await isAlive()
}

const paths = [
  '/',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/metrics/../../etc/passwd',
  '/constructor',
  '/__proto__',
  '/toString',
  '//metrics',
  '/metrics%00',
  '/METRICS',
  'http://evil.example/metrics',
  '*',
]
const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'OPTIONS', 'PROPFIND']
const malformed: Readonly<Record<string, string | Uint8Array>> = {
  nonsense: 'nonsense\r\n\r\n',
  'a header of 100 kB': `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
  'an endless chunk': 'POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n',
  'two lengths': 'GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a TLS handshake': new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
  noise: new Uint8Array(512).map((_, index) => (index * 167) % 256),
}

/** Opens connections whose requests never end. */
async function holdOpen(): Promise<void> {
  const sockets = await Promise.all(
    Array.from(
      { length: 200 },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(Number(url.port), url.hostname, () => {
            socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n')
            resolve(socket)
          })
        }),
    ),
  )
  await isAlive()
  for (const socket of sockets) socket.destroy()
}

const minimal = 'loggingUrl: https://logging.example\nzones: ["123"]\nsink: {type: files, path: ./logs}\n'
const secret = 's3cr3t-value'
/** Configurations that would run code, change a prototype, write outside their folder, use much memory, or contain a secret. */
const configurations: Readonly<Record<string, string>> = {
  'a function': `${minimal}window: !!js/function "function () { return 1 }"`,
  'an undefined tag': `${minimal}window: !!python/object/apply:os.system ["touch PWN"]`,
  bytes: `${minimal}window: !!binary aGVsbG8=`,
  'aliases of aliases': `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
    .split('')
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join()}]`)
    .join('\n')}\n${minimal}`,
  'an alias of itself': `${minimal}rechecks: &a [*a]`,
  'a setting __proto__': `${minimal}__proto__: {polluted: 1}`,
  'a setting constructor': `${minimal}constructor: {prototype: {polluted: 1}}`,
  'a setting __proto__ inside': `${minimal}privacy: {__proto__: {polluted: 1}}`,
  'a merged setting': `${minimal}<<: {polluted: 1}`,
  'the sink __proto__': minimal.replace('files', '__proto__'),
  'the sink toString': minimal.replace('files', 'toString'),
  'a zone that leaves its folder': minimal.replace('123', '1/../../x'),
  'a zone with a line': minimal.replace('123', '1\\n2'),
  'thousands of levels': `${minimal}window: ${'['.repeat(20_000)}`,
  'another scheme': minimal.replace('https:', 'file:'),
  'a key as text': `${minimal}accessKey: ${secret}`,
  'a key as the name of a variable': `${minimal}accessKey: {env: "${secret}!"}`,
  'a key in a deeper place': `${minimal}bearer: {env: {value: ${secret}}}`,
  'a key under a wrong name': `${minimal}acessKey: ${secret}`,
  'a key in the sink': minimal.replace('./logs}', `./logs, accessKey: ${secret}}`),
  'a key in an unfinished text': `${minimal}accessKey: "${secret}`,
  'a key in an alias': `${minimal}accessKey: *${secret}`,
  'a key in a duplicate setting': `${minimal}window: ${secret}\nwindow: ${secret}`,
  'a password in the address': minimal.replace('https://logging', `https://u:${secret}@logging`),
  'a password in the query of the address': minimal.replace('logging.example', `logging.example/?key=${secret}`),
  'a password of PostgreSQL': `zones: ["1"]\nsink: {type: postgres, url: "postgres://u:${secret}@h/d"}`,
}

/** Contents of a file that the configuration names as a secret. None is a secret of one line. */
const secretFiles = ['root:x:0:0:root:/root:/bin/sh\ndaemon:x:1\n', 'CANARY\r\nX-Injected: 1', '\n', '']

describeAttacks([
  {
    name: 'exporter: paths of the health server',
    holds: '404, and the server answers the next request',
    open,
    attacks: attacksOf(paths, (path) => answers('GET', path, /^HTTP\/1\.1 404/)),
  },
  {
    name: 'exporter: methods of the health server',
    holds: '405, and the server answers the next request',
    open,
    attacks: attacksOf(methods, (method) => answers(method, '/metrics', /^HTTP\/1\.1 405/)),
  },
  {
    name: 'exporter: connections to the health server',
    holds: 'the server answers the next request',
    open,
    attacks: [
      { name: '200 unfinished requests', run: holdOpen },
      ...attacksOf(malformed, async (bytes) => {
        expect(await sendRaw(url, bytes)).toMatch(/^(HTTP\/1\.1 4\d\d|$)/)
        await isAlive()
      }),
    ],
  },
  {
    name: 'exporter: configurations',
    holds: 'refused in sentences with a line, without the secret',
    attacks: attacksOf(configurations, async (text) => {
      const error = await errorOf(() => parseConfig(text, 'config.yaml', {}))
      expect(error).toMatchObject({ message: expect.stringMatching(/^config\.yaml:\d+: .+\.$/s) })
      expect(leakedSecrets(spellings(error), [secret])).toEqual([])
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    }),
  },
  {
    name: 'exporter: files of secrets',
    holds: 'refused without their content',
    attacks: attacksOf(secretFiles, async (content) => {
      const folder = temporaryFolder(onTestFinished)
      const file = join(folder, 'key')
      await writeFile(file, content)
      const error = await errorOf(() => readSecret({ file }, {}))
      expect(error).toMatchObject({ message: expect.stringContaining('must hold a secret') })
      expect(leakedSecrets(spellings(error), ['CANARY', 'daemon', 'root:'])).toEqual([])
    }),
  },
])
