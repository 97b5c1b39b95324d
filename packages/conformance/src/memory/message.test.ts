import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { full, hostile, hostileText } from '../../tests/support/samples.ts'
import { type Message, messagesOf, postMessages, readWebhook } from './message.ts'

const secret = 'T0P-SECRET'
let folder: string
let file: string
let server: Server | undefined
let notices: string[]
let received: { readonly id: string; readonly url: string | undefined; readonly headers: IncomingMessage['headers'] }[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-'))
  file = join(folder, 'webhook.json')
  notices = []
  received = []
})
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  await rm(folder, { recursive: true })
})

/** Starts a receiver. It notes each message that arrives, then calls `respond` with the number of messages so far. */
async function start(respond: (response: ServerResponse, count: number) => void, port = 0): Promise<URL> {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    received.push({ id: body === '' ? '' : JSON.parse(body).id, url: request.url, headers: request.headers })
    respond(response, received.length)
  })
  await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo // it listens on a port
  return new URL(`http://127.0.0.1:${own}/hooks/${secret}`)
}

const messageOf = (id: string): Message => ({
  ...{ id, text: id, kind: 'failing', ids: [id], at: '2026-01-01T00:00:00.000Z', target: 'live' },
})
const three = ['a', 'b', 'c'].map(messageOf)
const post = (url: URL, messages: readonly Message[] = three) =>
  postMessages(url, messages, file, (sentence) => notices.push(sentence))
const ids = () => received.map(({ id }) => id)
const waiting = async () => JSON.parse(await readFile(file, 'utf8')).map(({ id }: Message) => id)
const accept = (response: ServerResponse) => response.writeHead(204).end()
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end()
const bounded = { timeout: 10_000 } // a run may take 10 s longer because of its webhook

test('each message is posted once, in order', bounded, async () => {
  const url = await start(accept)
  await post(url)
  await post(url, [])
  expect(ids()).toEqual(['a', 'b', 'c'])
  expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['a', 'b', 'c'])
  expect(notices).toEqual([])
})

test('a receiver that answers 500 twice gets the message again, then the others', bounded, async () => {
  const url = await start((response, count) => void (count < 3 ? status(500)(response) : accept(response)))
  await post(url)
  expect(ids()).toEqual(['a', 'a', 'a', 'b', 'c'])
  expect(await waiting()).toEqual([])
})

test('what a receiver refuses waits for the next run', bounded, async () => {
  const refusing = await start(status(500))
  await post(refusing)
  expect(ids()).toEqual(['a', 'a', 'a'])
  expect(await waiting()).toEqual(['a', 'b', 'c'])
  expect(notices).toEqual(['The webhook did not accept a message: status 500; 3 wait for the next run.'])
  server?.close()
  received = []
  await post(await start(accept), [messageOf('d')])
  expect(ids()).toEqual(['a', 'b', 'c', 'd'])
  expect(await waiting()).toEqual([])
})

test('an invalid message that waits is left out alone', bounded, async () => {
  await writeFile(file, JSON.stringify([messageOf('a'), { id: 'b' }, messageOf('c'), null]))
  await post(await start(accept), [messageOf('d')])
  expect(ids()).toEqual(['a', 'c', 'd'])
  expect(notices).toEqual([`${file}: 2 invalid messages are left out; the others count.`])
  expect(await waiting()).toEqual([])
})

test('a file of messages that is not JSON counts as empty', bounded, async () => {
  await writeFile(file, '[{"id": "a"')
  await post(await start(accept), [messageOf('d')])
  expect(ids()).toEqual(['d'])
  expect(notices).toEqual([`${file}: invalid JSON, so the file counts as empty.`])
})

test('a redirect is not followed', bounded, async () => {
  const url = await start(status(307, { location: '/elsewhere' }))
  await post(url)
  expect(received.map((one) => one.url)).toEqual([`/hooks/${secret}`])
  expect(notices[0]).toContain('status 307')
})

test('a receiver that never answers may have the message, so it is not sent again', bounded, async () => {
  const url = await start(() => {})
  await post(url)
  expect(ids()).toEqual(['a'])
  expect(await waiting()).toEqual(['b', 'c'])
  expect(notices).toEqual(['The webhook did not accept a message: no response in time; 2 wait for the next run.'])
})

test('a receiver that dies with the message may have it, so it is not sent again', bounded, async () => {
  const url = await start((response) => response.socket?.destroy())
  await post(url)
  expect(ids()).toEqual(['a'])
  expect(await waiting()).toEqual(['b', 'c'])
})

test('if nobody listens, all messages wait', bounded, async () => {
  const url = await start(accept)
  await new Promise((resolve) => server?.close(resolve))
  await post(url)
  expect(await waiting()).toEqual(['a', 'b', 'c'])
  expect(notices).toEqual(['The webhook did not accept a message: ECONNREFUSED; 3 wait for the next run.'])
})

test('many messages for a slow receiver end in time, and none is lost or repeated', { timeout: 30_000 }, async () => {
  const url = await start((response) => void setTimeout(accept, 400, response))
  const many = Array.from({ length: 60 }, (_, index) => messageOf(String(index)))
  const began = Date.now()
  await post(url, many)
  expect(Date.now() - began).toBeLessThan(10_000)
  const [first] = await waiting()
  expect(ids()).toEqual(many.slice(0, Number(first)).map(({ id }) => id))
})

test('a message leaves the file before its request leaves the process', bounded, async () => {
  let inFile: string[] = []
  const url = await start(async (response) => {
    inFile = await waiting()
    accept(response)
  })
  await post(url, [messageOf('a')])
  expect(inFile).toEqual([])
})

describe('the address is a secret', () => {
  test.each([
    ['env:HOOK', { HOOK: 'https://hooks.example/x' }],
    ['env:HOOK', { HOOK: ' https://hooks.example/x\n' }],
  ])('%s is read from the environment', async (source, env) => {
    expect((await readWebhook(source, env)).href).toBe('https://hooks.example/x')
  })

  test('a file is read', async () => {
    await writeFile(join(folder, 'hook'), 'https://hooks.example/x\n')
    expect((await readWebhook(`file:${join(folder, 'hook')}`, {})).href).toBe('https://hooks.example/x')
  })

  test.each([
    [`https://hooks.example/${secret}`, {}],
    ['env:HOOK', {}],
    ['env:HOOK', { HOOK: `ftp://hooks.example/${secret}` }],
    ['env:HOOK', { HOOK: `https://user:${secret}@hooks.example/` }],
    ['file:/none/of/it', {}],
  ])('%s is rejected in one sentence without it', async (source, env) => {
    const error = await readWebhook(source, env).catch((reason: Error) => reason)
    expect(String(error)).toMatch(/^ConfigurationError: --webhook/)
    expect(String(error)).not.toContain(secret)
  })

  test('no sentence has it, whatever the receiver does', bounded, async () => {
    for (const respond of [status(404), (response: ServerResponse) => response.socket?.destroy()])
      await post(await start(respond), [messageOf('x')])
    expect(notices).toHaveLength(2)
    expect(notices.join()).not.toContain(secret)
  })
})

describe('messages', () => {
  test('one per transition, with the times and the sentence of the requirement', () => {
    expect(messagesOf(full)).toMatchObject([
      {
        kind: 'failing',
        ids: ['management.add-allowed-referrer.effect'],
        firstFailed: '2026-01-02T03:04:05.678Z',
        text: expect.stringContaining('first failed 2026-01-02 03:04 UTC, last passed 2026-01-01 03:04 UTC'),
      },
    ])
  })

  test('an outage is one message', () => {
    const transitions = Array.from({ length: 30 }, (_, index) => ({ kind: 'undecided' as const, id: `r${index}` }))
    const [message, ...others] = messagesOf({ ...full, changes: { transitions, failingSince: {} } })
    expect([message?.ids.length, others.length]).toEqual([30, 0])
    expect(message?.text).toContain('r9 and 20 more')
  })

  test('chat systems see no markup, mention or link in a hostile text', () => {
    const texts = messagesOf(hostile).map(({ text }) => text)
    expect(texts).toHaveLength(5)
    for (const text of texts) {
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|@\w|:\/\/|[*`[](?!\u2060)/)
      expect(text).not.toContain(hostileText.slice(0, 20))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what the test looks for
      expect(text).not.toMatch(/[\x00-\x1f\x7f\u202e]/)
    }
  })
})
