import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { idPlaceholder, type UndoStep } from '../check.ts'
import { openJournal } from './journal.ts'
import { createUndoRunner } from './undo-runner.ts'

const accessKey = 'canary-key'
let folder: string
let server: Server
let base: string
let status: number
let bodyFor: (url: string) => string
let notices: string[]
let sent: { url: string; key: string | undefined; type: string | undefined; other: unknown; body: string }[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'undo-runner-'))
  status = 204
  bodyFor = () => ''
  notices = []
  sent = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { accesskey, 'content-type': type, 'x-other': other } = request.headers
    sent.push({ url: `${request.method} ${request.url}`, key: accesskey?.toString(), type, other, body })
    const content = bodyFor(String(request.url))
    response.writeHead(status).end(content)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  rmSync(folder, { recursive: true })
})

const undoRunnerOf = (management = base) =>
  createUndoRunner(join(folder, 'live'), management, accessKey, (notice) => notices.push(notice))
const removal = () => `${base}pullzone/2/removeAllowedReferrer`
const stepTo = (Hostname: string, url = removal()) => ({
  text: `remove ${Hostname}`,
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json', 'X-Other': 'other', AccessKey: 'other' },
  body: JSON.stringify({ Hostname }),
})
const undoFolder = () => readdirSync(join(folder, 'undo'))
const killed = () => join(folder, 'undo', 'killed.ndjson')

/** Creates what a killed run leaves: a journal that is not locked. */
async function leaveBehind(...hostnames: string[]): Promise<void> {
  mkdirSync(join(folder, 'undo'))
  const journal = openJournal(killed(), accessKey)
  for (const hostname of hostnames) await journal.add('a.check', stepTo(hostname))
}

const undone = 'Undone from an earlier run that was killed: '
const count = 'An earlier run was killed before it could undo 1 of its writes; '

test('the remaining steps are undone in reverse order, with the key that is in no file', async () => {
  const { journal, close } = await undoRunnerOf()
  for (const name of ['first', 'second']) await journal.add('a.check', stepTo(name))
  const [file = ''] = undoFolder().filter((name) => name.endsWith('.ndjson'))
  expect(readFileSync(join(folder, 'undo', file), 'utf8')).not.toContain('canary')
  expect(await close()).toEqual([])
  expect(notices).toEqual(['Undone after the checks: remove second; remove first.'])
  expect(sent).toEqual(
    ['second', 'first'].map((Hostname) => ({
      url: 'POST /pullzone/2/removeAllowedReferrer',
      key: 'canary-key',
      type: 'application/json',
      other: 'other',
      body: JSON.stringify({ Hostname }),
    })),
  )
  expect(undoFolder()).toEqual([])
})

test('the next run undoes the writes of a killed one, once; without permission it reports them', async () => {
  await leaveBehind('left')
  const next = await undoRunnerOf()
  await next.undoEarlier(false)
  expect(notices).toEqual([expect.stringContaining(count)])
  expect(sent).toEqual([])
  await next.undoEarlier(true)
  await next.undoEarlier(true)
  expect(notices.slice(1)).toEqual([`${undone}remove left.`])
  await next.close()
  expect(sent).toHaveLength(1)
  expect(undoFolder()).toEqual([])
})

test('a running run is left alone', async () => {
  const running = await undoRunnerOf()
  await running.journal.add('a.check', stepTo('busy'))
  // The second journal needs another name, because names have a precision of one second.
  const other = await createUndoRunner(join(folder, 'other'), base, accessKey, (notice) => notices.push(notice))
  await other.undoEarlier(false)
  await other.undoEarlier(true)
  expect([notices, sent]).toEqual([[], []])
  await other.close()
  expect(sent).toEqual([])
  await running.close()
})

test('files of a killed run without steps are removed, also by a run without write permission', async () => {
  await leaveBehind()
  const journal = openJournal(killed(), accessKey)
  await journal.done(await journal.add('a.check', stepTo('done')))
  writeFileSync(join(folder, 'undo', 'killed-2.lock'), '')
  const next = await undoRunnerOf()
  await next.undoEarlier(false)
  await next.close()
  expect([undoFolder(), sent, notices]).toEqual([[], [], []])
})

test('a refused step stays for the next run, with the reason', async () => {
  status = 500
  await leaveBehind('refused')
  const next = await undoRunnerOf()
  const left = await next.undoEarlier(true)
  expect(left[0]?.reason).toContain('status 500')
  await next.close()
  expect(undoFolder()).toEqual(['killed.ndjson'])
  status = 404
  const later = await undoRunnerOf()
  expect(await later.undoEarlier(true)).toEqual([])
  await later.close()
  expect(undoFolder()).toEqual([])
}, 300_000)

test('if no journal can be written, one sentence reports it', async () => {
  writeFileSync(join(folder, 'undo'), '')
  await expect(undoRunnerOf()).rejects.toThrow('Cannot keep a journal of the writes')
})

const line = (step: object) => JSON.stringify({ add: 'bad', check: 'a.check', ...step })
const deletion = () => ({ text: 'bad\nstep', method: 'DELETE', url: `${base}videolibrary/1`, headers: {} })
/** Returns a line that a run stores. */
async function stored(step: UndoStep, key = accessKey): Promise<string> {
  const file = join(folder, 'stored.ndjson')
  rmSync(file, { force: true })
  await openJournal(file, key).add('a.check', step)
  return readFileSync(file, 'utf8').trimEnd()
}
const notSent = () => `The step "bad\uFFFDstep" (DELETE ${base}videolibrary/1) of ${killed()} is not sent: `
const notOwn = () => `${notSent()}it was changed, or stored by a run with another API key.`
const noLine = () => `Line 1 of ${killed()} is skipped: it is not a line of a journal.`

test.each<[string, () => string | Promise<string>, () => string]>([
  ['a step that nobody signed', () => line(deletion()), notOwn],
  ['a step of another key', () => stored(deletion(), 'other'), notOwn],
  [
    'a changed step',
    async () => (await stored({ ...deletion(), url: `${base}videolibrary/2` })).replace('library/2', 'library/1'),
    notOwn,
  ],
  ['null', () => 'null', noLine],
  ['a number', () => '1', noLine],
  ['an empty object', () => '{}', noLine],
  ['no step', () => line({}), noLine],
  ['a URL that is no text', () => line({ ...deletion(), url: 5 }), noLine],
  ['a header that is no text', () => line({ ...deletion(), headers: { a: 5 } }), noLine],
  ['a body that is no text', () => line({ ...deletion(), body: 5 }), noLine],
  ['bytes that are no text', () => line({ ...deletion(), bytes: 5 }), noLine],
])('a journal with %s: one sentence says so, and the other steps are undone', async (_, bad, sentence) => {
  await leaveBehind('good')
  const file = killed()
  writeFileSync(file, `${await bad()}\n${readFileSync(file, 'utf8')}`)
  const next = await undoRunnerOf()
  await next.undoEarlier(false)
  await next.undoEarlier(true)
  await next.close()
  expect(sent.map(({ body }) => body)).toEqual(['{"Hostname":"good"}'])
  expect(notices).toEqual([sentence(), expect.stringContaining(count), `${undone}remove good.`])
  expect(undoFolder()).toEqual(['killed.ndjson'])
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
  await next.undoEarlier(false)
  await next.undoEarlier(true)
  await next.close()
  expect(notices.slice(1)).toEqual([expect.stringContaining(count), `${undone}remove good.`])
  expect(notices.slice(0, 1)).toEqual([
    expect.stringContaining(`The journal ${path}.ndjson or its lock cannot be used`),
  ])
})

test('a step of another target is not sent, with one sentence', async () => {
  await leaveBehind('elsewhere')
  const other = await undoRunnerOf('https://other.invalid/api')
  await other.undoEarlier(true)
  await other.close()
  expect([sent, notices]).toEqual([
    [],
    [
      `The step "remove elsewhere" (POST ${removal()}) of ${killed()} is not sent: it is not below https://other.invalid/api/, the management interface of this run.`,
    ],
  ])
})

/** Undoes a creation without a response. */
async function undoCreation() {
  const find = { list: `${base}order`, id: 'Id', values: { Name: 'a.conformance.invalid' } }
  const { journal, close } = await undoRunnerOf()
  const step = { text: 'delete a', method: 'DELETE', url: `${base}order/${idPlaceholder}`, headers: {}, find }
  await journal.add('a.check', step)
  status = 200
  return (await close()).map(({ reason }) => reason)
}

const page = (HasMoreItems: boolean, ...items: readonly object[]) => JSON.stringify({ Items: items, HasMoreItems })
const others = { Id: 1, Name: 'somebody.example' }

test('a creation without a response: the items with its name are found in the list, on each page, and deleted', async () => {
  const last = page(false, { Id: 2, Name: 'a.conformance.invalid' })
  bodyFor = (url) => (url.includes('page=2') ? last : page(true, others))
  expect(await undoCreation()).toEqual([])
  expect(sent.map(({ url }) => url)).toEqual(['GET /order', 'GET /order?page=2', 'DELETE /order/2'])
  expect(undoFolder()).toEqual([])
}, 30_000)

test.each([
  ['there is no list', () => '{}', 'the target shows no list'],
  [
    'a page is refused',
    (url: string) => {
      status = url.includes('page') ? 400 : 200
      return page(true, others)
    },
    'status 400',
  ],
  ['the pages have no end', () => page(true, others), 'the list has more than 1000 pages'],
])(
  'a creation without a response: if %s, the step stays for the next run',
  async (_, body, reason) => {
    bodyFor = body
    expect(await undoCreation()).toEqual([`could not delete a: ${reason}`])
    expect(undoFolder()).not.toEqual([])
  },
  120_000,
)
