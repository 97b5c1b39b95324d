/**
 * Measures the memory of each program against a server whose responses are small on the wire and huge when decoded.
 * Usage: node tests/src/network/bombs.ts
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { listen } from '@cdn/kit/testing/listen'
import { repository } from '../copy.ts'

/** 64 MiB of spaces, sixteen times: a gigabyte. A concatenation of gzip members is a valid gzip stream. */
export const bomb = () => Buffer.concat(Array(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, ' '), { level: 1 })))

const client = (call: string) => [
  '--eval',
  `import('${repository}/packages/api/src/index.ts').then(async ({ createManagementClient, createLoggingClient, readLogs }) => {
    const baseUrl = process.env.CDN_LOGGING_URL
    try { ${call} } catch (error) { console.error(error.message) }
  })`,
]

/** Arguments of Node, by program. */
const programs = {
  client: client(`await createManagementClient({ baseUrl }).GET('/pullzone/{id}', { params: { path: { id: 1 } } })`),
  readLogs: client(
    'for await (const row of readLogs(createLoggingClient({ baseUrl }), { pullZoneId: 1, from: 0, to: 1000, sleep: async () => {} }));',
  ),
  'cdn api': [`${repository}/apps/cli/src/bin.ts`, 'api', 'GET', '/pullzone/1'],
  'cdn logs query': [`${repository}/apps/cli/src/bin.ts`, 'logs', 'query', '1', '--since', '1s'],
  exporter: [`${repository}/apps/logs-exporter/src/bin.ts`, 'run', '--config', 'config.yaml'],
  suite: [`${repository}/packages/conformance/src/bin.ts`, 'run', '--target', 'live', '--fixtures', 'fixtures.json'],
}

/** The output of a program, and its peak memory in MB with a small response and with the bomb. */
export interface Peak {
  readonly output: string
  readonly idleMb: number
  readonly bombMb: number
}

/** Runs a program against the bomb, and against the same server with small responses. */
export async function measureBomb(name: keyof typeof programs): Promise<Peak> {
  const idle = await runAgainst(name, undefined)
  const hit = await runAgainst(name, bomb())
  return { output: hit.output, idleMb: idle.mb, bombMb: hit.mb }
}

/** @param body compressed; undefined for a small body */
async function runAgainst(name: keyof typeof programs, body: Buffer | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'bomb-'))
  let answers = 0
  let enough = () => {}
  const server = createServer((_request, response) => {
    const headers = { 'content-type': 'application/json', ...(body && { 'content-encoding': 'gzip' }) }
    response.writeHead(200, headers).end(body ?? '[]')
    response.on('close', () => ++answers >= 4 && enough())
  })
  const url = await listen(server)
  const config = {
    loggingUrl: url,
    accessKey: { env: 'CDN_ACCESS_KEY' },
    zones: ['1'],
    ledger: 'ledger',
    listen: '127.0.0.1:0',
  }
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ ...config, sink: { type: 'files', path: 'segments' } }))
  const fixtures = { zoneId: '1', loggedZoneId: '2', credentials: { accessKey: 'CDN_ACCESS_KEY' } }
  writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
  writeFileSync(
    join(folder, 'peak.mjs'),
    `import { writeFileSync } from 'node:fs'
    process.on('exit', () => writeFileSync('${folder}/peak-' + process.pid, String(process.resourceUsage().maxRSS)))`,
  )
  try {
    const env = {
      CDN_ACCESS_KEY: 'key',
      CDN_MANAGEMENT_URL: url,
      CDN_LOGGING_URL: url,
      HOME: folder,
      PATH: String(process.env['PATH']),
    }
    const child = spawn(process.execPath, ['--import', `${folder}/peak.mjs`, ...programs[name]], { cwd: folder, env })
    // The exporter never ends by itself.
    if (name === 'exporter') enough = () => child.kill('SIGTERM')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    await new Promise((resolve) => child.on('close', resolve))
    const peaks = readdirSync(folder).filter((file) => file.startsWith('peak-'))
    const mb = Math.max(...peaks.map((file) => Number(readFileSync(join(folder, file), 'utf8')) / 1024))
    return { output, mb: Math.round(mb) }
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  // `programs` has these keys.
  for (const name of Object.keys(programs) as (keyof typeof programs)[]) {
    const { output, idleMb, bombMb } = await measureBomb(name)
    console.log(
      `${name}: ${idleMb} MB idle, ${bombMb} MB with the bomb\n  ${output.trim().split('\n').at(-1)?.slice(0, 300)}`,
    )
  }
}
