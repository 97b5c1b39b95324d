/**
 * How each program ends if the proxy or the host refuses, closes, resets, is silent, or answers 407 or 502. As a script, it prints the whole
 * table: `node tests/src/network/endings.ts`.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markdownTable } from '@cdn/kit/markdown-table'
import { commandOf, runScript } from '../run-program.ts'

const answer = (status: string) => (socket: Socket) =>
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)

/** What happens to a connection as soon as it has sent something. */
const behaviours = {
  refused: undefined,
  closed: (socket: Socket) => socket.destroy(),
  reset: (socket: Socket) => socket.resetAndDestroy(),
  silent: () => {},
  '407': answer('407 Proxy Authentication Required'),
  '502': answer('502 Bad Gateway'),
} as const

export type Behaviour = keyof typeof behaviours
export type Peer = 'proxy' | 'host'

/** Arguments of Node, by program. */
export const programs = {
  'cdn pull-zone get': commandOf('apps/cli', 'pull-zone get 2001 --timeout 3s'),
  'cdn video-library list': commandOf('apps/cli', 'video-library list --timeout 3s'),
  'exporter config check': commandOf('apps/logs-exporter', 'config check --config export.yaml'),
  'exporter run --once': commandOf('apps/logs-exporter', 'run --once --config export.yaml'),
  'exporter backfill': commandOf('apps/logs-exporter', 'backfill --since 1h --config export.yaml'),
  'conformance run': commandOf('packages/conformance', 'run --target live --fixtures fixtures.json --out reports'),
} as const

export type Program = keyof typeof programs

/** Runs a program against such a server. */
export async function endingOf(program: Program, peer: Peer, behaviour: Behaviour) {
  const folder = mkdtempSync(join(tmpdir(), 'endings-'))
  let connections = 0
  const react = behaviours[behaviour]
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.once('data', () => react?.(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  if (react === undefined) await new Promise((resolve) => server.close(resolve))
  // A status is the answer of a host without TLS. The other failures happen before or during the handshake.
  const scheme = /\d/.test(behaviour) ? 'http' : 'https'
  const url = peer === 'proxy' ? 'https://cdn.example.test/' : `${scheme}://127.0.0.1:${port}/`
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
  const begun = performance.now()
  const { code, out, err } = await runScript(folder, programs[program], { env, maxMs: 400_000 })
  const seconds = (performance.now() - begun) / 1000
  server.close()
  rmSync(folder, { recursive: true })
  return { seconds, code, connections, output: out + err }
}

export const situations = (['proxy', 'host'] as const).flatMap((peer) =>
  (Object.keys(behaviours) as Behaviour[]).map((behaviour) => ({ peer, behaviour })),
)

if (import.meta.main) {
  const names = Object.keys(programs) as Program[]
  const cells = new Map<string, string>()
  const open = situations.flatMap(({ peer, behaviour }) => names.map((name) => ({ peer, behaviour, name })))
  const work = async () => {
    for (let next = open.shift(); next; next = open.shift()) {
      const { seconds, code, connections } = await endingOf(next.name, next.peer, next.behaviour)
      cells.set(`${next.peer} ${next.behaviour} ${next.name}`, `${seconds.toFixed(1)} s, ${code}, ${connections}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  const rows = situations.map(({ peer, behaviour }) => [
    `${peer} ${behaviour}`,
    ...names.map((name) => cells.get(`${peer} ${behaviour} ${name}`) ?? ''),
  ])
  process.stdout.write(
    `Seconds, exit code, connections at the server:\n\n${markdownTable(['situation', ...names], rows)}`,
  )
}
