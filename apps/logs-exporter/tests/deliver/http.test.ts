import { afterAll, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/read-config.ts'
import { openReceiver } from '../../src/deliver/open-receiver.ts'
import { line, signal, windowAt } from '../sinks/lines.ts'
import { openServer, pieceOf } from './server.ts'

const server = await openServer()
const { received, answers } = server
beforeEach(() => server.reset())
afterAll(() => server.close())

const window = windowAt(0)
const rows = [line(window, 0), line(window, 1, { url: 'https://a.example/"\\\u2028<b>' }), line(window, 2)]
const piece = pieceOf(rows.join(''), 4096)

async function open(settings: object = {}, env: NodeJS.ProcessEnv = {}) {
  const text = JSON.stringify({
    loggingUrl: 'https://logging.example',
    zones: ['1'],
    sink: { type: 'files', path: 'logs' },
    deliver: [{ type: 'http', url: `${server.url}/in?table=logs`, ...settings }],
  })
  const [config] = parseConfig(text, 'config.yaml', {}).deliver
  if (!config) throw new Error('the configuration has a delivery')
  return openReceiver(config, env)
}

test.each(['none', 'gzip', 'zstd'])('NDJSON is the lines as they are, compressed with %s', async (compression) => {
  await (await open({ compression })).send(piece, signal)
  expect(received).toMatchObject([{ url: '/in?table=logs', headers: { 'content-type': 'application/x-ndjson' } }])
  expect(received[0]?.headers['content-encoding']).toBe(compression === 'none' ? undefined : compression)
  expect(received[0]?.body).toEqual(piece.bytes)
})

test('a JSON array holds the same rows', async () => {
  await (await open({ format: 'json' })).send(piece, signal)
  expect(received[0]?.headers['content-type']).toBe('application/json')
  expect(JSON.parse(String(received[0]?.body))).toEqual(rows.map((row) => JSON.parse(row)))
})

const bulk = (...items: object[]) => ({ status: 200, body: JSON.stringify({ errors: true, items }) })

test('a bulk request creates each row under an id that does not depend on the piece', async () => {
  const receiver = await open({ format: 'bulk' })
  answers.push(bulk({ create: { status: 201 } }, { create: { status: 409 } }, { create: { status: 201 } }))
  expect(await receiver.send(piece, signal)).toEqual({ refused: 0, rejects: [] })
  const offset = 4096 + Buffer.byteLength(rows[0] ?? '')
  answers.push(bulk({ create: { status: 409 } }, { create: { status: 409 } }))
  await receiver.send(pieceOf(rows.slice(1).join(''), offset), signal)
  const lines = received.map(({ body }) =>
    String(body)
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each)),
  )
  expect(lines[0]?.filter((_, n) => n % 2 === 1)).toEqual(rows.map((row) => JSON.parse(row)))
  const ids = lines.map((each) => each.filter((_, n) => n % 2 === 0).map(({ create }) => create._id))
  expect(new Set(ids[0]).size).toBe(3)
  expect(ids[1]).toEqual(ids[0]?.slice(1))
})

test('rows of a bulk request that the receiver refuses are rejects, with its plain reason only', async () => {
  const type = 'mapper_parsing_exception\u001b[31m<script>'
  answers.push(
    bulk({ create: { status: 201 } }, { create: { status: 400, error: { type } } }, { create: { status: 201 } }),
  )
  const text = rows[1]?.trimEnd()
  const reason = 'The receiver answered 400 mapper_parsing_exception.'
  expect(await (await open({ format: 'bulk' })).send(piece, signal)).toEqual({
    refused: 1,
    rejects: [{ text, reason }],
  })
})

test.each([
  ['a busy shard', bulk({ create: { status: 201 } }, { create: { status: 429 } }, { create: { status: 400 } })],
  ['another number of items', bulk({ create: { status: 201 } })],
  ['no items', { status: 200, body: '{}' }],
  ['no JSON', { status: 200, body: '<html>' }],
])('a bulk response with %s is a transient error', async (_, answer) => {
  answers.push(answer)
  await expect((await open({ format: 'bulk' })).send(piece, signal)).rejects.toMatchObject({ kind: 'transient' })
})

test('a piece has one key, and another content, place or segment has another key', async () => {
  const receiver = await open()
  const other = { ...piece, segment: `${piece.segment}1` }
  for (const each of [piece, piece, pieceOf(rows.join(''), 1), pieceOf(rows[0] ?? '', 4096), other])
    await receiver.send(each, signal)
  const keys = received.map(({ headers }) => headers['idempotency-key'])
  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(4)
})

test('the key can be a query parameter', async () => {
  await (await open({ key: { query: 'insert_deduplication_token' } })).send(piece, signal)
  const query = new URL(received[0]?.url ?? '', server.url).searchParams
  expect([...query.keys()]).toEqual(['table', 'insert_deduplication_token'])
  expect(query.get('insert_deduplication_token')).toMatch(/r0\/4096-[0-9a-f]{16}$/)
  expect(received[0]?.headers).not.toHaveProperty('idempotency-key')
})

test.each([
  [200, undefined],
  [204, undefined],
  [302, 'transient'],
  [400, 'refused'],
  [401, 'transient'],
  [404, 'transient'],
  [413, 'refused'],
  [409, 'transient'],
  [422, 'refused'],
  [429, 'transient'],
  [503, 'transient'],
  [0, 'transient'],
])('status %i', async (status, kind) => {
  answers.push({ status, headers: { location: `${server.url}/other`, 'retry-after': '7' } })
  const sent = (await open()).send(piece, signal)
  if (!kind) expect(await sent).toEqual({ refused: 0, rejects: [] })
  else await expect(sent).rejects.toMatchObject({ name: 'DeliveryError', kind })
  if (kind === 'transient' && status) await expect(sent).rejects.toMatchObject({ retryAfterMs: 7000 })
  expect(received).toHaveLength(1)
})

test('headers come from secrets, which no message repeats', async () => {
  const headers = { Authorization: { env: 'TOKEN' } }
  await (await open({ headers }, { TOKEN: 'Bearer geheim' })).send(piece, signal)
  expect(received[0]?.headers.authorization).toBe('Bearer geheim')
  answers.push({ status: 403, body: 'Bearer geheim' })
  for (const TOKEN of ['Bearer geheim', 'gehéim→', undefined]) {
    const error = await (await open({ headers }, { TOKEN })).send(piece, signal).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain('geh')
  }
  await expect((await open({ headers }, { TOKEN: 'gehéim→' })).check()).rejects.toThrow(
    'Invalid header Authorization in deliver: expected a name and a value that HTTP allows.',
  )
})
