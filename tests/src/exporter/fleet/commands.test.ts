import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@cdn/logs-exporter/src/cli/main.ts'
import { openFleet } from '@cdn/logs-exporter/src/fleet/postgres/open-fleet.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../postgres.ts'

let postgres: Postgres
let folder: string
let config: string
beforeAll(async () => {
  postgres = await startPostgres()
  folder = await mkdtemp(join(tmpdir(), 'exporter-commands-'))
  config = join(folder, 'config.yaml')
  const sink = { type: 'files', path: join(folder, 'logs') }
  const fleet = { postgres: { env: 'FLEET' } }
  await writeFile(
    config,
    JSON.stringify({
      loggingUrl: 'http://127.0.0.1:9',
      zones: ['1'],
      ledger: folder,
      fleet,
      sink,
      listen: '127.0.0.1:0',
    }),
  )
})
afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true })
})

/** Calls a command with a database; gives its exit code and all that it said. */
async function call(FLEET: string, ...args: string[]): Promise<{ code: number; said: string }> {
  let said = ''
  const out = { write: (text: string) => (said += text) }
  const err = new PassThrough().on('data', (text) => (said += text))
  const code = await main([...args, '--config', config], { env: { FLEET, CDN_ACCESS_KEY: 'key' }, out, err })
  return { code, said }
}

test('status shows the fleet from its database, whichever worker asks; gaps are 6', async () => {
  const url = await postgres.database('status')
  expect(await call(url, 'status')).toEqual({ code: 0, said: 'Nothing was exported yet.\n' })
  const { coordinator, ledger } = await openFleet(url, ['1'], { now: () => Date.now() })
  const lease = await coordinator.claim(new AbortController().signal)
  await ledger.begin('1', Date.UTC(2026, 5, 17), lease?.epoch ?? 0)
  expect(await call(url, 'status')).toMatchObject({
    code: 0,
    said: expect.stringContaining('2026-06-17T00:00:00.000Z'),
  })
  const [from, to] = [Date.UTC(2026, 5, 16), Date.UTC(2026, 5, 17)]
  await ledger.recordGap({ zone: '1', from, to, reason: 'too late', noticedAt: to }, lease?.epoch ?? 0)
  const lost = 'zone 1: lost 2026-06-16T00:00:00.000Z to 2026-06-17T00:00:00.000Z: too late'
  expect(await call(url, 'status')).toMatchObject({ code: 6, said: expect.stringContaining(lost) })
  await coordinator.close()
  await ledger.close()
})

test('a backfill is refused: a fleet exports all by itself', async () => {
  const range = ['--from', '2026-06-17T00:00:00Z', '--to', '2026-06-18T00:00:00Z']
  expect(await call(postgres.url, 'backfill', ...range)).toMatchObject({
    code: 2,
    said: expect.stringContaining('A fleet exports all that is kept by itself.'),
  })
})

test('a database that refuses us, or is no database, is a mistake of the configuration; no password is repeated', async () => {
  const wrong = postgres.url.replace('password', 's3cr3t')
  for (const command of [['status'], ['run'], ['config', 'check']]) {
    const { code, said } = await call(wrong, ...command)
    expect([code, said.includes('password authentication failed')]).toEqual([2, true])
    expect(said).not.toContain('s3cr3t')
  }
  const odd = await call('postgres://u:s3cr3t#1@h/db', 'status')
  expect(odd).toMatchObject({
    code: 2,
    said: expect.stringContaining('The environment variable FLEET must hold a URL such as'),
  })
  expect(odd.said).not.toContain('s3cr3t')
})
