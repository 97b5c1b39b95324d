import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUndoRunner } from './undo-runner.ts'

const fixtures = {
  libraryId: '1',
  distantLibraryId: '5000000000',
  zoneId: '2',
  credentials: { accessKey: 'canary-key' },
}
let folder: string
let server: Server
let base: string
let status: number
let notices: string[]
let sent: { url: string; key: string | undefined; type: string | undefined; other: unknown; body: string }[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'undo-runner-'))
  status = 204
  notices = []
  sent = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { accesskey, 'content-type': type, 'x-other': other } = request.headers
    sent.push({ url: `${request.method} ${request.url}`, key: accesskey?.toString(), type, other, body })
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  rmSync(folder, { recursive: true })
})

const undoRunnerOf = (management = base) =>
  createUndoRunner(join(folder, 'live'), management, fixtures, (notice) => notices.push(notice))
const removal = () => `${base}pullzone/2/removeAllowedReferrer`
const stepTo = (Hostname: string, url = removal()) => ({
  text: `remove ${Hostname}`,
  method: 'POST',
  url,
  headers: { 'Content-Type': 'text/plain', 'X-Other': 'other', AccessKey: 'other' },
  body: JSON.stringify({ Hostname }),
})
const ownJournal = () => join(folder, 'undo', undoFolder().find((name) => name.endsWith('.ndjson')) ?? '')
const undoFolder = () => readdirSync(join(folder, 'undo'))

/** Creates what a killed run leaves: a journal that is not locked. */
async function leaveBehind(...hostnames: string[]): Promise<void> {
  const undoRunner = await undoRunnerOf()
  const { journal } = undoRunner
  for (const hostname of hostnames) await journal.add('a.check', stepTo(hostname))
  await undoRunner.close()
}

test('the remaining steps are undone in reverse order, with the key that is in no file', async () => {
  const undoRunner = await undoRunnerOf()
  const { journal } = undoRunner
  for (const name of ['first', 'second']) await journal.add('a.check', stepTo(name))
  expect(readFileSync(ownJournal(), 'utf8')).not.toContain('canary')
  const { undone, left } = await undoRunner.undoOwn()
  expect(undone.map(({ step }) => step.text)).toEqual(['remove second', 'remove first'])
  expect(left).toEqual([])
  expect(sent).toEqual(
    ['second', 'first'].map((Hostname) => ({
      url: 'POST /pullzone/2/removeAllowedReferrer',
      key: 'canary-key',
      type: 'application/json',
      other: undefined,
      body: JSON.stringify({ Hostname }),
    })),
  )
  await undoRunner.close()
  expect(undoFolder()).toEqual([])
})

test('the next run undoes the writes of a killed one, once', async () => {
  await leaveBehind('left')
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
  await running.journal.add('a.check', stepTo('busy'))
  // The second journal needs another name, because names have a precision of one second.
  const other = await createUndoRunner(join(folder, 'other'), base, fixtures, () => {})
  expect(await other.countEarlier()).toBe(0)
  expect((await other.undoEarlier()).undone).toEqual([])
  expect(sent).toEqual([])
  await other.close()
  await running.close()
})

test('files of a killed run without steps are removed, also by a run without write permission', async () => {
  const undoRunner = await undoRunnerOf()
  const { journal } = undoRunner
  await journal.done(await journal.add('a.check', stepTo('done')))
  const journalBytes = readFileSync(ownJournal())
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
  await leaveBehind('refused')
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

const line = (step: object) => JSON.stringify({ add: 'bad', check: 'a.check', ...step })
const request = (method: string, path: string, body?: string) => () =>
  line({ text: 'bad\nstep', method, url: base + path, body })
const hostname = '{"Hostname":"a"}'
const notSent = 'The step "bad\uFFFDstep" ('
const noLine = 'Line 1 of '

test.each<[string, () => string, string]>([
  ['another operation', request('DELETE', 'videolibrary/1'), notSent],
  ['another method', request('GET', 'pullzone/2/removeAllowedReferrer', hostname), notSent],
  ['another zone', request('POST', 'pullzone/3/removeAllowedReferrer', hostname), notSent],
  ['the id of a library as a zone', request('POST', 'pullzone/1/removeAllowedReferrer', hostname), notSent],
  ['another library', request('DELETE', 'videolibrary/2/watermark'), notSent],
  ['a query', request('DELETE', 'videolibrary/1/watermark?a=b'), notSent],
  ['a path with dots', request('DELETE', 'a/../videolibrary/1/watermark'), notSent],
  ['a deletion with a body', request('DELETE', 'videolibrary/1/watermark', 'a'), notSent],
  ['a watermark of text', request('PUT', 'videolibrary/1/watermark', 'a'), notSent],
  ['a further field', request('POST', 'pullzone/2/removeAllowedReferrer', '{"Hostname":"a","b":1}'), notSent],
  ['a hostname that is no text', request('POST', 'pullzone/2/addAllowedReferrer', '{"Hostname":1}'), notSent],
  ['a body that is not JSON', request('POST', 'pullzone/2/addAllowedReferrer', 'a'), notSent],
  ['no URL', () => line({ text: 'bad\nstep', method: 'POST', url: 'a' }), notSent],
  ['null', () => 'null', noLine],
  ['a number', () => '1', noLine],
  ['an empty object', () => '{}', noLine],
  ['no step', () => line({}), noLine],
  ['a URL that is no text', () => line({ text: 'a', method: 'POST', url: 5 }), noLine],
  ['a body that is no text', () => line({ text: 'a', method: 'POST', url: removal(), body: 5 }), noLine],
  ['bytes that are no text', () => line({ text: 'a', method: 'PUT', url: removal(), bytes: 5 }), noLine],
])('a journal with %s: one sentence says so, and the other steps are undone', async (_, bad, sentence) => {
  await leaveBehind('good')
  const [journal] = undoFolder()
  const file = join(folder, 'undo', String(journal))
  writeFileSync(file, `${bad()}\n${readFileSync(file, 'utf8')}`)
  const next = await undoRunnerOf()
  expect(await next.countEarlier()).toBe(1)
  expect((await next.undoEarlier()).undone).toHaveLength(1)
  await next.close()
  expect(sent.map(({ body }) => body)).toEqual(['{"Hostname":"good"}'])
  expect(notices).toEqual([expect.stringContaining(sentence)])
  expect(notices[0]).toContain(file)
  expect(undoFolder()).toEqual([journal])
})

test.each<[string, (path: string) => void]>([
  ['a folder as a journal', (path) => mkdirSync(`${path}.ndjson`)],
  ['a folder as a lock', (path) => mkdirSync(`${path}.lock`)],
  ['a lock that is not SQLite', (path) => writeFileSync(`${path}.lock`, 'not SQLite')],
])('%s is skipped with one sentence, and the other steps are undone', async (_, make) => {
  await leaveBehind('good')
  const path = join(folder, 'undo', 'a')
  make(path)
  const next = await undoRunnerOf()
  expect(await next.countEarlier()).toBe(1)
  expect((await next.undoEarlier()).undone).toHaveLength(1)
  await next.close()
  expect(notices).toEqual([expect.stringContaining(`The journal ${path}.ndjson or its lock cannot be used`)])
})

test('every undo of the suite is sent to the resources of the fixtures', async () => {
  const runner = await undoRunnerOf()
  const { journal } = runner
  const watermark = (id: string) => ({ text: 'undo', url: `${base}videolibrary/${id}/watermark`, headers: {} })
  for (const id of ['1', '5000000000']) {
    await journal.add('a.check', { ...watermark(id), method: 'PUT', body: new Uint8Array([137]) })
    await journal.add('a.check', { ...watermark(id), method: 'DELETE' })
  }
  await journal.add('a.check', stepTo('a', `${base}pullzone/2/addAllowedReferrer`))
  await journal.add('a.check', stepTo('a'))
  await runner.undoOwn()
  await runner.close()
  expect(sent).toHaveLength(6)
  expect(notices).toEqual([])
})
