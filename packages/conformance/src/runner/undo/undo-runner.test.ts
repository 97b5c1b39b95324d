import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { createUndoRunner } from './undo-runner.ts'

const credentials = { accessKey: 'canary-key' }
let folder: string
let server: Server
let base: string
let status: number
let sent: { url: string; key: string | undefined; body: string }[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'undo-runner-'))
  status = 204
  sent = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    sent.push({ url: String(request.url), key: request.headers['accesskey']?.toString(), body })
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  rmSync(folder, { recursive: true })
})

const undoRunnerOf = (management = base) => createUndoRunner(join(folder, 'live'), management, credentials)
const stepTo = (url: string, text = url) => ({ text, method: 'POST', url, headers: {}, body: text })
const undoFolder = () => readdirSync(join(folder, 'undo'))

/** Creates what a killed run leaves: a journal that is not locked. */
async function leaveBehind(...urls: string[]): Promise<void> {
  const undoRunner = await undoRunnerOf()
  const journal = openJournal(undoRunner.journal, base)
  for (const url of urls) await journal.add('a.check', stepTo(url))
  await undoRunner.close()
}

test('the remaining steps are undone in reverse order, with the key that is in no file', async () => {
  const undoRunner = await undoRunnerOf()
  const journal = openJournal(undoRunner.journal, base)
  for (const name of ['first', 'second']) await journal.add('a.check', stepTo(`${base}${name}`))
  expect(readFileSync(undoRunner.journal, 'utf8')).not.toContain('canary')
  const { undone, left } = await undoRunner.undoOwn()
  expect(undone.map(({ step }) => step.url)).toEqual([`${base}second`, `${base}first`])
  expect(left).toEqual([])
  expect(sent.map(({ url, key }) => [url, key])).toEqual([
    ['/second', 'canary-key'],
    ['/first', 'canary-key'],
  ])
  await undoRunner.close()
  expect(undoFolder()).toEqual([])
})

test('the next run undoes the writes of a killed one, once', async () => {
  await leaveBehind(`${base}left`)
  const next = await undoRunnerOf()
  expect(await next.countEarlier()).toBe(1)
  expect((await next.undoEarlier()).undone).toHaveLength(1)
  expect(await next.countEarlier()).toBe(0)
  await next.close()
  expect(sent).toHaveLength(1)
  expect(undoFolder()).toEqual([])
})

test('a running run is left alone', async () => {
  const running = await undoRunnerOf()
  await openJournal(running.journal, base).add('a.check', stepTo(`${base}busy`))
  // The second journal needs another name, because names have a precision of one second.
  const other = await createUndoRunner(join(folder, 'other'), base, credentials)
  expect(await other.countEarlier()).toBe(0)
  expect((await other.undoEarlier()).undone).toEqual([])
  expect(sent).toEqual([])
  await other.close()
  await running.close()
})

test('files of a killed run without steps are removed, also by a run without write permission', async () => {
  const undoRunner = await undoRunnerOf()
  const journal = openJournal(undoRunner.journal, base)
  await journal.done(await journal.add('a.check', stepTo(`${base}done`)))
  const journalBytes = readFileSync(undoRunner.journal)
  await undoRunner.close()
  writeFileSync(join(folder, 'undo', 'killed-1.ndjson'), journalBytes)
  writeFileSync(join(folder, 'undo', 'killed-2.lock'), '')
  const next = await undoRunnerOf()
  expect(await next.countEarlier()).toBe(0)
  await next.close()
  expect(undoFolder()).toEqual([])
  expect(sent).toEqual([])
})

test('a refused step stays for the next run, with the reason', async () => {
  status = 500
  await leaveBehind(`${base}refused`)
  const next = await undoRunnerOf()
  const { undone, left } = await next.undoEarlier()
  expect(undone).toEqual([])
  expect(left[0]?.reason).toContain('status 500')
  await next.close()
  status = 404
  const later = await undoRunnerOf()
  expect((await later.undoEarlier()).undone).toHaveLength(1)
  await later.close()
  expect(undoFolder()).toEqual([])
}, 300_000)

test('if no journal can be written, one sentence reports it', async () => {
  writeFileSync(join(folder, 'undo'), '')
  await expect(undoRunnerOf()).rejects.toThrow('Cannot keep a journal of the writes')
})
