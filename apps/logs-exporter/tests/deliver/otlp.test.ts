import { gzipSync } from 'node:zlib'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { attributeTable, createOtlpReceiver } from '../../src/deliver/otlp.ts'
import { line, signal, windowAt } from '../sinks/lines.ts'
import { canonicalLine } from '../support/arbitrary-rows.ts'
import { decode, integers, toRow } from './otlp-decode.ts'
import { openServer, pieceOf } from './server.ts'

const first = windowAt(0)
const server = await openServer()
const { received } = server
beforeEach(() => server.reset())
afterAll(() => server.close())

function open(values: Record<string, string> = {}) {
  const headers = Object.fromEntries(Object.keys(values).map((name) => [name, { env: name }]))
  return createOtlpReceiver({ type: 'otlp', name: 'otlp', endpoint: server.url, headers }, values)
}

describe('otlp', () => {
  test('a record has a line for people as its body, and a severity by its status', async () => {
    const rows = [200, 304, 404, 502].map((statusCode, n) =>
      line(first, n).replace(/"statusCode":\d+/, `"statusCode":${statusCode}`),
    )
    await open().send(pieceOf(rows.join('')), signal)
    const records = received.flatMap(({ body }) => decode(body))
    expect(records.map(({ severityText, severityNumber }) => `${severityText} ${severityNumber}`)).toEqual([
      'INFO 9',
      'INFO 9',
      'WARN 13',
      'ERROR 17',
    ])
    for (const [n, { body }] of records.entries()) {
      const { statusCode, cacheStatus = '-', bytesSent, url = '-', requestId = '-' } = JSON.parse(rows[n] ?? '')
      expect(body.stringValue).toBe(`${statusCode} ${cacheStatus} ${bytesSent} ${url} ${requestId}`)
    }
  })

  test('a repeated piece has equal bytes, and names its zone', async () => {
    const piece = pieceOf(line(first, 1))
    await open().send(piece, signal)
    await open().send(piece, signal)
    const [one, other] = received.map(({ body }) => body)
    expect(other).toEqual(one)
    const zone = String(JSON.parse(line(first, 1)).pullZoneId)
    expect(String(one)).toContain(zone)
  })

  test('bodies decode with the official definitions to the same rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(canonicalLine, { minLength: 1, maxLength: 20 }), async (lines) => {
        received.length = 0
        await open().send(pieceOf(lines.join('')), signal)
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
    await open({ 'x-tenant': 'secret' }).send(pieceOf(line(first, 0)), signal)
    expect(received[0]).toMatchObject({
      url: '/v1/logs',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', 'x-tenant': 'secret' },
    })
  })

  test('records of a partial success that the collector refuses are counted, and not sent again', async () => {
    const body = Uint8Array.of(0x0a, 2, 0x08, 3)
    server.answers.push({ status: 200, headers: { 'content-type': 'application/x-protobuf' }, body })
    expect(await open().send(pieceOf(line(first, 0) + line(first, 1)), signal)).toEqual({ refused: 3, rejects: [] })
    expect(received).toHaveLength(1)
  })

  test('a response of more than 8 MiB is a transient error, or else the error of its status', async () => {
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
    const body = gzipSync(Buffer.alloc(2 ** 23 + 1))
    server.answers.push({ status: 200, headers, body }, { status: 400, headers, body })
    const message = `${server.url} sent a response of more than 8 MiB.`
    await expect(open().connect(signal)).rejects.toMatchObject({ kind: 'transient', message })
    await expect(open().connect(signal)).rejects.toMatchObject({ kind: 'refused' })
  })

  test('connect sends a request without records', async () => {
    await open().connect(signal)
    expect(received.map(({ body }) => decode(body))).toEqual([[]])
  })
})
