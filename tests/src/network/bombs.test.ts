/** The limit of a response also holds for bodies that are small on the wire and huge when decoded. */
import { spawn } from 'node:child_process'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createEmulator } from '@cdn/emulator'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { repository } from '../copy-repository.ts'
import { commandOf, runScript } from '../run-program.ts'

/** 64 MiB of spaces, sixteen times: a gigabyte. A concatenation of gzip members is a valid gzip stream. */
const bomb = Buffer.concat(Array(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, ' '), { level: 1 })))

const readRows = `import('${repository}/packages/api/src/index.ts').then(async ({ createLoggingClient, readLogs }) => {
  const client = createLoggingClient({ baseUrl: process.env.CDN_LOGGING_URL, retry: { sleep: async () => {} } })
  const query = { pullZoneId: 1, from: 0, to: 1000 }
  try { for await (const row of readLogs(client, query)); } catch (error) { console.error(error.message) }
})`

/** Arguments of Node, by program. */
const programs = {
  readLogs: ['--eval', readRows],
  'cdn api': commandOf('apps/cli', 'api GET /pullzone/1'),
}

/**
 * Runs a program against a server that answers each request with `body`.
 *
 * @param body compressed; undefined for a small body
 * @returns the output, and the peak memory in MB
 */
async function runAgainst(name: keyof typeof programs, body: Buffer | undefined) {
  const folder = temporaryFolder(onTestFinished)
  const server = createServer((_request, response) => {
    const headers = { 'content-type': 'application/json', ...(body && { 'content-encoding': 'gzip' }) }
    response.writeHead(200, headers).end(body ?? '[]')
  })
  const url = await listen(server)
  writeFileSync(
    join(folder, 'peak.mjs'),
    `import { writeFileSync } from 'node:fs'
    process.on('exit', () => writeFileSync('${folder}/peak-' + process.pid, String(process.resourceUsage().maxRSS)))`,
  )
  try {
    const env = { CDN_ACCESS_KEY: 'key', CDN_MANAGEMENT_URL: url, CDN_LOGGING_URL: url, HOME: folder }
    const { out, err } = await runScript(folder, ['--import', `${folder}/peak.mjs`, ...programs[name]], { env })
    const peaks = readdirSync(folder).filter((file) => file.startsWith('peak-'))
    const mb = Math.max(...peaks.map((file) => Number(readFileSync(join(folder, file), 'utf8')) / 1024))
    return { output: out + err, mb: Math.round(mb) }
  } finally {
    server.close().closeAllConnections()
  }
}

test.each(['readLogs', 'cdn api'] as const)('%s fails at the limit, and needs at most 100 MB for it', async (name) => {
  const idle = await runAgainst(name, undefined)
  const hit = await runAgainst(name, bomb)
  expect(hit.output).toContain('has a body that is longer than the limit of')
  expect(hit.mb - idle.mb).toBeLessThan(100)
})

test('a zone whose responses are too long fails, and the others are exported', async () => {
  const emulator = await createEmulator({ clock: 'real' })
  const { loggedZoneId, credentials } = emulator.fixtures

  const server = createServer(async ({ url }, response) => {
    if (url?.startsWith('/v2/pullzones/666/')) return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    const headers = { AccessKey: credentials.accessKey }
    const answer = await emulator.fetch(new Request(new URL(String(url), emulator.loggingUrl), { headers }))
    return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  const folder = temporaryFolder(onTestFinished)
  const config = {
    loggingUrl: await listen(server),
    accessKey: { env: 'CDN_ACCESS_KEY' },
    zones: ['666', loggedZoneId],
    ledger: 'ledger',
    sink: { type: 'files', path: 'segments' },
    listen: '127.0.0.1:0',
  }
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config))
  const child = spawn(process.execPath, commandOf('apps/logs-exporter', 'run --config config.yaml'), {
    cwd: folder,
    env: { CDN_ACCESS_KEY: credentials.accessKey, PATH: String(process.env['PATH']) },
  })
  let output = ''
  const isDone = () => /666[^\n]*longer than the limit of \d+ bytes/.test(output) && segments().length > 0
  const segments = () => globSync('segments/**/*.zst', { cwd: folder })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const poll = setInterval(() => isDone() && child.kill('SIGTERM'), 100)
  await new Promise((resolve) => child.on('close', resolve))
  clearInterval(poll)
  server.close().closeAllConnections()
  expect(output).toMatch(/longer than the limit of \d+ bytes/)
  expect(new Set(segments().map((path) => path.split('/')[1]))).toEqual(new Set([`zone=${loggedZoneId}`]))
})
