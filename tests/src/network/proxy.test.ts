import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { type PrepareRequestFunctionOpts, RequestError, Server } from 'proxy-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository } from '../copy-repository.ts'
import { commandOf, runScript } from '../run-program.ts'

const users = { right: 'guest', refused: 'refused' }
const password = 'proxy-CANARY'
// No name server knows these hosts, so a request arrives only through the proxy.
const hosts = { managementUrl: 'http://management.invalid/', loggingUrl: 'http://logging.invalid/' }

const emulator = await createEmulator()
const platform = createServer((request, response) => {
  const base = request.headers.host === 'management.invalid' ? emulator.managementUrl : emulator.loggingUrl
  const sent = new Request(new URL(String(request.url), base), {
    method: String(request.method),
    headers: { AccessKey: String(request.headers['accesskey']) },
  })
  emulator.fetch(sent).then(async (answer) => {
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
})
const objects = new Map<string, Buffer>()
/** Responds like an object store that refuses to replace an object. */
async function answerSink(request: IncomingMessage) {
  const { pathname } = new URL(String(request.url), 'http://sink.invalid')
  const body = Buffer.concat(await request.toArray())
  if (request.method === 'GET')
    return {
      statusCode: 200,
      headers: {},
      body: objects.get(pathname) ?? '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
    }
  const isRefused = request.method === 'PUT' && objects.has(pathname)
  objects.set(pathname, body)
  return { statusCode: isRefused ? 412 : 200, headers: {}, body: '' }
}
const sinks = createServer(async (request, response) => {
  const { statusCode, body } = await answerSink(request)
  response.writeHead(statusCode).end(body)
})
const reached: string[] = []
/** Routes a request that reached the proxy: in a tunnel, as `fetch` sends it, or directly, as an agent of `node:http` sends it. */
function connect({ hostname, request, isHttp }: PrepareRequestFunctionOpts) {
  reached.push(hostname)
  if (isHttp) return { customResponseFunction: () => answerSink(request) }
  return { customConnectServer: hostname.startsWith('sink.') ? sinks : platform }
}
const address = { host: '127.0.0.1', port: 0 }
const proxy = new Server({
  ...address,
  prepareRequestFunction(options) {
    const { username, password: sent } = options
    if (username === users.refused) throw new RequestError('this host is forbidden', 403)
    if (username !== users.right || sent !== password) return { requestAuthentication: true }
    return connect(options)
  },
})

const folder = temporaryFolder()
const require = createRequire(import.meta.url)
const node22 = join(dirname(require.resolve('node22/package.json')), 'bin/node')

beforeAll(async () => {
  await proxy.listen()
  const { zoneId, loggedZoneId, libraryId } = emulator.fixtures
  const fixtures = { zoneId, loggedZoneId, libraryId, credentials: { accessKey: 'CDN_ACCESS_KEY' } }
  writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
  const endpoint = 'http://sink.invalid'
  const secret = { env: 'CDN_ACCESS_KEY' }
  const credentials = { accessKeyId: secret, secretAccessKey: secret }
  const exports = {
    files: { type: 'files', path: join(folder, 'segments') },
    s3: { type: 's3', endpoint, bucket: 'logs', region: 'eu', credentials },
  }
  for (const [name, sink] of Object.entries(exports)) {
    const config = {
      loggingUrl: hosts.loggingUrl,
      accessKey: secret,
      zones: [loggedZoneId],
      ledger: join(folder, 'ledger'),
      listen: '127.0.0.1:0',
      sink,
    }
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(config))
  }
})

afterAll(async () => {
  await proxy.close(true)
})

async function run(args: readonly string[], env: Record<string, string>, node = process.execPath) {
  const all = {
    CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
    CDN_MANAGEMENT_URL: hosts.managementUrl,
    CDN_LOGGING_URL: hosts.loggingUrl,
    ...env,
  }
  const { code, out, err } = await runScript(folder, args, { env: all, node })
  return { code, output: out + err }
}

const programs = {
  cdn: commandOf('apps/cli', `api GET /pullzone/${emulator.fixtures.zoneId}`),
  exporter: commandOf('apps/logs-exporter', 'config check --config files.yaml'),
  suite: commandOf('packages/conformance', 'run --target live --fixtures fixtures.json --budget 12'),
}
const proxyUrl = (user: string, port = proxy.port) => `http://${user}:${password}@127.0.0.1:${port}`

test.each(Object.entries(programs))('a proxy with credentials passes on the requests of %s', async (name, program) => {
  reached.length = 0
  const variable = name === 'cdn' ? 'http_proxy' : 'HTTP_PROXY'
  const { code, output } = await run(program, { [variable]: proxyUrl(users.right) })
  expect(output).not.toContain('CANARY')
  expect([code, output]).toEqual([name === 'suite' ? expect.any(Number) : 0, expect.any(String)])
  expect(reached).toContain(name === 'cdn' ? 'management.invalid' : 'logging.invalid')
})

test('a proxy passes on the requests to a sink', async () => {
  reached.length = 0
  objects.clear()
  const args = commandOf('apps/logs-exporter', 'config check --config s3.yaml')
  const { code, output } = await run(args, { HTTP_PROXY: proxyUrl(users.right) })
  expect([code, output]).toEqual([0, expect.not.stringContaining('CANARY')])
  expect(reached).toContain('sink.invalid')
  expect([...objects.keys()]).toEqual(['/logs/.cdn-logs-exporter-probe'])
})

test.each([
  ['cdn', 'a wrong password', () => proxyUrl('nobody'), 'the proxy answers 407: wrong credentials'],
  ['cdn', 'a refused host', () => proxyUrl(users.refused), 'the proxy answers 403'],
  ['cdn', 'no proxy at its port', () => proxyUrl(users.right, 9), 'the proxy cannot be reached: ECONNREFUSED'],
  ['exporter', 'a wrong password', () => proxyUrl('nobody'), 'the proxy answers 407: wrong credentials'],
  ['suite', 'a refused host', () => proxyUrl(users.refused), 'the proxy answers 403'],
] as const)('%s says in a sentence why a proxy cannot be used: %s', async (name, _case, url, sentence) => {
  const { code, output } = await run(programs[name], { HTTP_PROXY: url() })
  expect(output).toContain(sentence)
  expect(output).not.toMatch(/CANARY|\n {4}at /)
  expect(code).toBe(name === 'suite' ? 2 : 1)
})

test('an invalid URL of a proxy, and a Node that cannot use one, are refused in a sentence', async () => {
  for (const url of [`${users.right}:${password}@proxy`, `http://${users.right}:%zz@127.0.0.1:9`]) {
    const invalid = await run(programs.cdn, { HTTPS_PROXY: url })
    expect(invalid).toEqual({ code: 2, output: 'cdn: Invalid URL in HTTPS_PROXY: expected http://HOST:PORT\n' })
  }
  const start = `import('${repository}/packages/kit/src/proxy.ts').then(({ useProxy }) => process.exit(useProxy('exporter') ? 0 : 2))`
  const old = await run(
    ['--experimental-strip-types', '--no-warnings', '--eval', start],
    { HTTPS_PROXY: proxyUrl(users.right) },
    node22,
  )
  expect(old).toEqual({ code: 2, output: 'exporter: Node 22.15.0 cannot use HTTPS_PROXY; expected Node >=22.21\n' })
})

test('hosts of NO_PROXY and loopback are requested directly', async () => {
  reached.length = 0
  const { code } = await run(programs.cdn, { HTTP_PROXY: proxyUrl(users.right), NO_PROXY: 'management.invalid' })
  const { managementUrl } = await emulator.listen()
  const direct = await run(programs.cdn, {
    HTTP_PROXY: proxyUrl(users.right, 9),
    CDN_MANAGEMENT_URL: managementUrl.href,
  })
  expect([code, direct.code, reached]).toEqual([1, 0, []])
  await emulator.close()
})
