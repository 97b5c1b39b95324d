/** How a program ends if the proxy or the host closes the connection or is silent. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandOf, runScript } from '../run-program.ts'

/** What the server does with a connection that has sent something. */
const behaviours = {
  closed: (socket: Socket) => socket.destroy(),
  silent: () => {},
} as const

type Behaviour = keyof typeof behaviours
type Peer = 'proxy' | 'host'

/** Arguments of Node, by program. */
const programs = {
  'cdn pull-zone get': commandOf('apps/cli', 'pull-zone get 2001 --timeout 3s'),
  'exporter config check': commandOf('apps/logs-exporter', 'config check --config export.yaml'),
  'exporter run --once': commandOf('apps/logs-exporter', 'run --once --config export.yaml'),
  'conformance run': commandOf('packages/conformance', 'run --target live --fixtures fixtures.json --out reports'),
} as const

type Program = keyof typeof programs

/** Runs a program against a server with a behaviour. */
async function endingOf(program: Program, peer: Peer, behaviour: Behaviour) {
  const folder = mkdtempSync(join(tmpdir(), 'endings-'))
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.once('data', () => behaviours[behaviour](socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = peer === 'proxy' ? 'https://cdn.example.test/' : `https://127.0.0.1:${port}/`
  const ids = { zoneId: '2001', libraryId: '1001', loggedZoneId: '2002' }
  const fixtures = { ...ids, credentials: { accessKey: 'CDN_ACCESS_KEY' } }
  writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
  const sink = { type: 'files', path: 'segments' }
  writeFileSync(join(folder, 'export.yaml'), JSON.stringify({ zones: ['2002'], listen: '127.0.0.1:0', sink }))
  const env = {
    HOME: folder,
    CDN_ACCESS_KEY: 'canary-key-of-the-account',
    CDN_MANAGEMENT_URL: url,
    CDN_LOGGING_URL: url,
    ...(peer === 'proxy' && { HTTPS_PROXY: `http://127.0.0.1:${port}` }),
  }
  const { code, out, err } = await runScript(folder, programs[program], { env, maxMs: 400_000 })
  server.close()
  rmSync(folder, { recursive: true })
  return { code, connections, output: out + err }
}

/** Cases in which an open connection or a closing proxy could keep the program alive. */
const cases: readonly [Program, Peer, Behaviour, code: number, connections: number][] = [
  ['cdn pull-zone get', 'proxy', 'closed', 1, 3],
  ['cdn pull-zone get', 'proxy', 'silent', 1, 1],
  ['cdn pull-zone get', 'host', 'silent', 1, 1],
  ['exporter config check', 'proxy', 'closed', 1, 2],
  ['exporter run --once', 'proxy', 'closed', 1, 2],
  ['conformance run', 'proxy', 'closed', 2, 8],
]

test.each(cases)(
  '%s ends in a sentence, after its attempts: %s %s',
  async (program, peer, behaviour, code, attempts) => {
    const ending = await endingOf(program, peer, behaviour)
    expect([ending.code, ending.connections]).toEqual([code, attempts])
    expect(ending.output).not.toMatch(/\n {4}at |canary-key/)
    if (behaviour === 'closed') expect(ending.output).toContain('the proxy closes the connection')
  },
)
