import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { createKeeper } from './keeper.ts'

const credentials = { accessKey: 'canary-key' }
let folder: string
let server: Server
let base: string
let status: number
let sent: { url: string; key: string | undefined; body: string }[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keeper-'))
  status = 204
  sent = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    sent.push({ url: request.url ?? '', key: request.headers['accesskey']?.toString(), body })
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  rmSync(folder, { recursive: true })
})

const keeperOf = (management = base) => createKeeper(join(folder, 'live'), management, credentials)
const stepTo = (url: string, text = url) => ({ text, method: 'POST', url, headers: {}, body: text })
const undoFolder = () => readdirSync(join(folder, 'undo'))

/** What a killed run leaves: a journal of which nobody holds the lock. */
async function leaveBehind(...urls: string[]): Promise<void> {
  const keeper = await keeperOf()
  const journal = openJournal(keeper.journal, base)
  for (const url of urls) await journal.add('a.check', stepTo(url))
  await keeper.close()
}

test('what is left is taken back, the last first, with the key that stands in no file', async () => {
  const keeper = await keeperOf()
  const journal = openJournal(keeper.journal, base)
  for (const name of ['first', 'second']) await journal.add('a.check', stepTo(`${base}${name}`))
  expect(readFileSync(keeper.journal, 'utf8')).not.toContain('canary')
  const { taken, left } = await keeper.takeBackOwn()
  expect(taken.map(({ step }) => step.url)).toEqual([`${base}second`, `${base}first`])
  expect(left).toEqual([])
  expect(sent.map(({ url, key }) => [url, key])).toEqual([
    ['/second', 'canary-key'],
    ['/first', 'canary-key'],
  ])
  await keeper.close()
  expect(undoFolder()).toEqual([])
})

test('the next run takes back what a killed one left, once', async () => {
  await leaveBehind(`${base}left`)
  const next = await keeperOf()
  expect(await next.countEarlier()).toBe(1)
  expect((await next.takeBackEarlier()).taken).toHaveLength(1)
  expect(await next.countEarlier()).toBe(0)
  await next.close()
  expect(sent).toHaveLength(1)
  expect(undoFolder()).toEqual([])
})

test('a run that is still going on is left alone', async () => {
  const running = await keeperOf()
  await openJournal(running.journal, base).add('a.check', stepTo(`${base}busy`))
  // Of another name, since a name holds the second.
  const other = await createKeeper(join(folder, 'other'), base, credentials)
  expect(await other.countEarlier()).toBe(0)
  expect((await other.takeBackEarlier()).taken).toEqual([])
  expect(sent).toEqual([])
  await other.close()
  await running.close()
})

test('what a killed run left without a step to take is swept up, also by a run that may not write', async () => {
  const keeper = await keeperOf()
  const journal = openJournal(keeper.journal, base)
  await journal.done(await journal.add('a.check', stepTo(`${base}done`)))
  const settled = readFileSync(keeper.journal)
  await keeper.close()
  writeFileSync(join(folder, 'undo', 'killed-1.ndjson'), settled)
  writeFileSync(join(folder, 'undo', 'killed-2.lock'), '')
  const next = await keeperOf()
  expect(await next.countEarlier()).toBe(0)
  await next.close()
  expect(undoFolder()).toEqual([])
  expect(sent).toEqual([])
})

test('the key goes to the configured platform alone, whatever a journal says', async () => {
  await leaveBehind('http://127.0.0.1:1/elsewhere', `${base.slice(0, -1)}.evil.invalid/`, `${base}../../fine`)
  const next = await keeperOf(`${base}api/`)
  expect(await next.countEarlier()).toBe(0)
  expect((await next.takeBackEarlier()).taken).toEqual([])
  expect(sent).toEqual([])
  await next.close()
})

test('what the platform refuses stays for the next run, with the reason', async () => {
  status = 500
  await leaveBehind(`${base}refused`)
  const next = await keeperOf()
  const { taken, left } = await next.takeBackEarlier()
  expect(taken).toEqual([])
  expect(left[0]?.reason).toContain('status 500')
  await next.close()
  status = 404
  const later = await keeperOf()
  expect((await later.takeBackEarlier()).taken).toHaveLength(1)
  await later.close()
  expect(undoFolder()).toEqual([])
}, 20_000)

test('where no journal can be kept, one sentence says so', async () => {
  writeFileSync(join(folder, 'undo'), '')
  await expect(keeperOf()).rejects.toThrow('Cannot keep a journal of the writes')
})
