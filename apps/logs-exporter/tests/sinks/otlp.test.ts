import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openOtlpSink } from '../../src/sinks/otlp/index.ts'
import { attributeTable } from '../../src/sinks/otlp/records.ts'
import { canonicalLine } from '../support/canonical-line.ts'
import { line, publish, signal, toLines, windowAt } from './lines.ts'

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly url: string | undefined
  readonly body: Buffer
}

const first = windowAt(0)
const received: Received[] = []
/** The collector gives these answers in order, and 200 afterwards. */
let answers: { status: number; headers?: Record<string, string>; body?: Uint8Array }[] = []
const collector = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  received.push({ headers: request.headers, url: request.url, body: gunzipSync(Buffer.concat(pieces)) })
  const { status, headers, body } = answers.shift() ?? { status: 200 }
  if (status === 0) return void request.socket.destroy()
  response.writeHead(status, headers).end(body)
})
let endpoint = ''
let types: protobuf.Root

beforeAll(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const address = collector.address()
  endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const base = dirname(createRequire(import.meta.url).resolve('@opentelemetry/otlp-grpc-exporter-base/package.json'))
  types = new protobuf.Root()
  types.resolvePath = (_origin, path) => join(base, 'build/protos', path)
  await types.load('opentelemetry/proto/collector/logs/v1/logs_service.proto')
})
beforeEach(() => {
  received.length = 0
  answers = []
})
afterAll(() => void collector.close())

const open = (headers: Record<string, string> = {}) => openOtlpSink({ endpoint, headers: async () => headers })

type Value = { stringValue?: string; intValue?: string; arrayValue?: { values: Value[] } }
type Record_ = {
  timeUnixNano: string
  severityText: string
  severityNumber: number
  body: Value
  attributes: { key: string; value: Value }[]
}

/** The records of a body, decoded with the official definitions. */
function decode(body: Uint8Array): Record_[] {
  const type = types.lookupType('opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest')
  const message: { resourceLogs?: { scopeLogs: { logRecords: Record_[] }[] }[] } = type.toObject(type.decode(body), {
    longs: String,
  })
  return (message.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
}

/** The fields of the row in a record. The table of names is independent of the sink's. */
function toRow({ timeUnixNano, attributes }: Record_): Record<string, unknown> {
  const values = new Map(attributes.map(({ key, value }) => [key, value]))
  const text = (key: string) => values.get(key)?.stringValue
  const integer = (key: string) => values.get(key)?.intValue ?? values.get(key)?.stringValue
  const header = (key: string) => values.get(key)?.arrayValue?.values[0]?.stringValue
  const query = text('url.query')
  return {
    timestamp: new Date(Number(BigInt(timeUnixNano) / 1_000_000n)).toISOString(),
    pullZoneId: integer('cdn.pull_zone.id'),
    requestId: text('cdn.request.id'),
    cacheStatus: text('cdn.cache.status'),
    statusCode: integer('http.response.status_code'),
    bytesSent: integer('http.response.size'),
    remoteIp: text('client.address'),
    countryCode: text('geo.country.iso_code'),
    userAgent: text('user_agent.original'),
    referer: header('http.request.header.referer'),
    ja4Fingerprint: text('cdn.tls.client.ja4'),
    asn: integer('client.as.number'),
    asnOrganization: text('client.as.organization'),
    edgeLocation: text('cdn.edge.location'),
    scheme: text('url.scheme'),
    host: text('server.address'),
    path: query === undefined ? text('url.path') : `${text('url.path')}?${query}`,
    url: text('url.full'),
    bodyBytesSent: integer('http.response.body.size'),
    contentRange: header('http.response.header.content-range'),
    authorizationHeader: header('http.request.header.authorization'),
    ...JSON.parse(text('cdn.extra') ?? '{}'),
    source: text('cdn.source'),
  }
}

const integers = /("(?:pullZoneId|statusCode|bytesSent|asn|bodyBytesSent)"):(-?\d+)/g

describe('otlp', () => {
  test('a record has a line for people as its body, and a severity by its status', async () => {
    const rows = [200, 304, 404, 502].map((statusCode, n) =>
      line(first, n).replace(/"statusCode":\d+/, `"statusCode":${statusCode}`),
    )
    await publish(open(), first, rows)
    const records = received.flatMap(({ body }) => decode(body))
    expect(records.map(({ severityText, severityNumber }) => `${severityText} ${severityNumber}`)).toEqual([
      'INFO 9',
      'INFO 9',
      'WARN 13',
      'ERROR 17',
    ])
    for (const [n, { body }] of records.entries()) {
      const { statusCode, cacheStatus = '-', bytesSent, url = '-' } = JSON.parse(rows[n] ?? '')
      expect(body.stringValue).toBe(`${statusCode} ${cacheStatus} ${bytesSent} ${url}`)
    }
  })

  test('bodies decode with the official definitions to the same rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(canonicalLine, { minLength: 1, maxLength: 20 }), async (lines) => {
        received.length = 0
        await publish(open(), first, [lines.join('')])
        const rows = received.flatMap(({ body }) => decode(body)).map(toRow)
        // Compares integers as texts, so that 64-bit integers are not rounded.
        const expected = lines.map((each) => JSON.parse(each.replace(integers, '$1:"$2"')))
        expect(rows.map((row) => JSON.parse(JSON.stringify(row)))).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })

  test('each attribute belongs to the semantic conventions or has the prefix cdn.', () => {
    const known = new Set<unknown>(Object.values(conventions).filter((value) => typeof value === 'string'))
    const used = attributeTable.slice(1).flatMap(([, attribute]) => attribute.split(', '))
    const others = used.filter((name) => !known.has(name) && !/^http\.(request|response)\.header\./.test(name))
    expect(others.filter((name) => !name.startsWith('cdn.'))).toEqual([])
    expect(used).toHaveLength(new Set(used).size)
    expect(used).not.toContain('http.request.method')
  })

  test('a request is a POST of protobuf to v1/logs, with the configured headers', async () => {
    await publish(open({ 'x-tenant': 'secret' }), first, [line(first, 0)])
    expect(received[0]).toMatchObject({
      url: '/v1/logs',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', 'x-tenant': 'secret' },
    })
  })

  test('rows are sent in requests of about a megabyte, before the segment ends', async () => {
    const writer = await open().begin(first, 0, 'v2', signal)
    const text = Array.from({ length: 5000 }, (_, n) => line(first, n, { path: 'x'.repeat(500) })).join('')
    await writer.write(toLines(text))
    expect(received).toHaveLength(Math.floor(text.length / 1024 ** 2))
    expect(await writer.publish()).toMatchObject({ outcome: 'published', segment: { rows: 5000 } })
    expect(received.flatMap(({ body }) => decode(body))).toHaveLength(5000)
    for (const { body } of received) expect(body.length).toBeLessThan(2 * 1024 ** 2)
  })

  test.each([429, 503, 0])('answer %i is retried', async (status) => {
    answers = [{ status, headers: { 'retry-after': '0' } }]
    await publish(open(), first, [line(first, 0)])
    expect(received).toHaveLength(2)
  })

  test('a header that HTTP does not allow is a permanent error, without its value', async () => {
    for (const headers of [{ 'x-key': 'sécrèt→' }, { 'a b': 'c' }]) {
      const [name] = Object.keys(headers)
      await expect(open(headers).check(signal)).rejects.toMatchObject({
        name: 'SinkError',
        kind: 'permanent',
        message: `Invalid header ${name} in sink.headers: expected a name and a value that HTTP allows.`,
      })
    }
  })

  test('an unavailable collector is a transient error', async () => {
    const sink = openOtlpSink({ endpoint: 'http://127.0.0.1:1', headers: async () => ({ authorization: 'geheim' }) })
    const error = await sink.check(signal).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ kind: 'transient', message: expect.not.stringContaining('geheim') })
  })

  test.each([
    [{ status: 401 }, /answered 401: the credentials are refused/],
    [{ status: 400 }, /answered 400/],
  ])('%o is a permanent error with a message', async (answer, sentence) => {
    answers = [answer]
    const publishing = publish(open(), first, [line(first, 0)])
    await expect(publishing).rejects.toMatchObject({ kind: 'permanent', message: expect.stringMatching(sentence) })
  })

  test('records of a partial success that the collector refuses are counted, and not sent again', async () => {
    const body = Uint8Array.of(0x0a, 2, 0x08, 3)
    answers = [{ status: 200, headers: { 'content-type': 'application/x-protobuf' }, body }]
    const published = await publish(open(), first, [line(first, 0), line(first, 1)])
    expect(published).toMatchObject({ outcome: 'published', refused: 3, segment: { rows: 2 } })
    expect(received).toHaveLength(1)
  })

  test('an answer of more than 1 MiB is a transient error, or else the error of its status', async () => {
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
    const body = gzipSync(Buffer.alloc(2 ** 20 + 1))
    answers = Array.from({ length: 4 }, () => ({ status: 200, headers, body }))
    const sentence = `The collector at ${endpoint} sent an answer of more than 1 MiB.`
    await expect(open().check(signal)).rejects.toMatchObject({ kind: 'transient', message: sentence })
    expect(received).toHaveLength(4)
    answers = [{ status: 400, headers, body }]
    await expect(open().check(signal)).rejects.toMatchObject({ kind: 'permanent' })
  })

  test('check sends a request without records', async () => {
    await open().check(signal)
    expect(received.map(({ body }) => decode(body))).toEqual([[]])
  })
})
