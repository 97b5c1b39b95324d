import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from '@cdn/emulator'
import { listen } from '@cdn/kit/testing/listen'
import { expect, test } from 'vitest'
import { repository } from '../copy.ts'
import { bomb, measureBomb } from './bombs.ts'

test.each(['readLogs', 'cdn api'] as const)('%s ends with the limit, and holds no more than 100 MB', async (name) => {
  const { output, idleMb, bombMb } = await measureBomb(name)
  expect(output).toContain('has a body that is longer than the limit of')
  expect(bombMb - idleMb).toBeLessThan(100)
})

test('a zone whose responses are too long fails, and the others are exported', async () => {
  const emulator = await createEmulator({ clock: 'real' })
  const { loggedZoneId, credentials } = emulator.fixtures
  const body = bomb()
  const server = createServer(async ({ url }, response) => {
    if (url?.startsWith('/v2/pullzones/666/')) return response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
    const headers = { AccessKey: credentials.accessKey }
    const answer = await emulator.fetch(new Request(new URL(String(url), emulator.loggingUrl), { headers }))
    return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  const folder = mkdtempSync(join(tmpdir(), 'bomb-'))
  const config = {
    loggingUrl: await listen(server),
    accessKey: { env: 'CDN_ACCESS_KEY' },
    zones: ['666', loggedZoneId],
    ledger: 'ledger',
    sink: { type: 'files', path: 'segments' },
    listen: '127.0.0.1:0',
  }
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config))
  const args = [`${repository}/apps/logs-exporter/src/bin.ts`, 'run', '--config', 'config.yaml']
  const child = spawn(process.execPath, args, {
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
  server.closeAllConnections()
  server.close()
  expect(output).toMatch(/longer than the limit of \d+ bytes/)
  expect(new Set(segments().map((path) => path.split('/')[1]))).toEqual(new Set([`zone=${loggedZoneId}`]))
  rmSync(folder, { recursive: true })
})
