import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { assertDefined } from '@cdn/kit/assert-defined'
import { collect } from '@cdn/kit/testing/collect'
import { listen } from '@cdn/kit/testing/listen'
import { hourMs } from '@cdn/kit/time'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { s3Sink, startS3 } from '../support/s3-server.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, windowAt } from './lines.ts'

const store = await startS3({ pageSize: 2 })
afterEach(() => {
  store.fault = () => undefined
  store.seen.length = 0
})
afterAll(() => store.stop())

async function open(prefix: string, format: 'ndjson' | 'parquet' = 'ndjson'): Promise<Sink> {
  const { config, env } = s3Sink(store, { prefix, format })
  return openSink(config, env)
}

const first = windowAt(0)
const text = line(first, 0) + line(first, 1)
const key = 'zone=4711/date=2026-06-17/hour=14/20260617T143000Z-20260617T143500Z.r0.ndjson.zst'

describe('s3, Parquet', () => sinkContract((place) => open(`parquet/${place}`, 'parquet')))

describe('s3', () => {
  test('one conditional PUT creates a segment, under its name, with its label', async () => {
    await publish(await open('plain'), first, [text])
    const puts = store.seen.filter(({ method, path }) => method === 'PUT' && !path.includes('probe'))
    expect(puts).toHaveLength(1)
    expect(decodeURIComponent(puts[0]?.path ?? '')).toBe(`/logs/plain/${key}`)
    expect(puts[0]?.headers).toMatchObject({ 'if-none-match': '*', 'content-length': expect.any(String) })
    const label = { 'x-amz-meta-cdn-rows': '2', 'content-type': 'application/zstd' }
    expect(store.objects.get(`plain/${key}`)?.headers).toMatchObject(label)
  })

  test('every PUT requests the configured encryption and storage class', async () => {
    for (const [prefix, put, headers] of [
      ['aes', { encryption: 'AES256' }, { 'x-amz-server-side-encryption': 'AES256' }],
      [
        'kms',
        { encryption: 'aws:kms', kmsKeyId: 'alias/logs', storageClass: 'STANDARD_IA' },
        {
          'x-amz-server-side-encryption': 'aws:kms',
          'x-amz-server-side-encryption-aws-kms-key-id': 'alias/logs',
          'x-amz-storage-class': 'STANDARD_IA',
        },
      ],
    ] as const) {
      store.seen.length = 0
      const { config, env } = s3Sink(store, { ...put, prefix })
      await publish(await openSink(config, env), first, [text])
      const puts = store.seen.filter(({ method }) => method === 'PUT')
      expect(puts).toHaveLength(3) // the object of the check, twice, and the segment
      for (const each of puts) expect(each.headers).toMatchObject(headers)
    }
  })

  test('without configured secrets, the credentials of the machine are used and renewed; if there are none, the error is one sentence', async () => {
    const { credentials } = store
    const { credentials: _, ...config } = s3Sink(store, { prefix: 'role' }).config
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'])
      vi.stubEnv(name, undefined)
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere')
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    let requests = 0
    const role = createServer((_, response) => {
      const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = credentials
      // The first credentials are about to expire.
      const Expiration = new Date(Date.now() + (requests++ === 0 ? 1000 : hourMs)).toISOString()
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: `token-${requests}`, Expiration }))
    })
    const roleUrl = await listen(role)
    try {
      const none = (await openSink(config, {})).check(signal)
      await expect(none).rejects.toThrow(/^No credentials for the bucket logs: set sink\.credentials, .* a role\.$/)
      await expect(none).rejects.toMatchObject({ name: 'SinkError', kind: 'transient' })
      expect(store.seen).toEqual([])
      vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${roleUrl}/role`)
      await publish(await openSink(config, {}), first, [text])
      const tokens = new Set(store.seen.map(({ headers }) => headers['x-amz-security-token']))
      expect(tokens).toContain('token-2')
      for (const { headers } of store.seen)
        expect(headers.authorization).toContain(`Credential=${credentials.accessKeyId}/`)
    } finally {
      role.close()
      vi.unstubAllEnvs()
    }
  })

  test('a truncated answer is a transient error, not damage', async () => {
    const sink = await open('cut-answer')
    await publish(sink, first, [text])
    store.fault = ({ method, path }) => (method === 'GET' && path.endsWith('.zst') ? 'cut-response' : undefined)
    await expect(contents(sink)).rejects.toMatchObject({ name: 'SinkError', kind: 'transient' })
  })

  test('a truncated part of an object is read again', async () => {
    const sink = await open('cut-part')
    let reads = 0
    store.fault = ({ method, path }) =>
      method === 'GET' && path.includes('probe') && reads++ === 0 ? 'cut-response' : undefined
    await sink.check(new AbortController().signal)
    expect(reads).toBe(2)
  })

  test('a changed, truncated, unlabelled or deleted object is damage', async () => {
    const sink = await open('damage')
    const { segment } = await publish(sink, first, [text])
    const name = `damage/${key}`
    const { bytes: whole, headers } = assertDefined(store.objects.get(name))
    const read = () => buffer(sink.read(segment, signal))
    await read()
    const changed = Buffer.from(whole)
    changed.writeUInt8(whole.readUInt8(20) ^ 1, 20)
    const other = zstdCompressSync(text.replace('200', '404')) // intact, but different from its label
    for (const bytes of [changed, whole.subarray(0, -1), other]) {
      store.objects.set(name, { bytes, headers })
      await expect(read()).rejects.toMatchObject({ kind: 'damaged' })
    }
    store.objects.set(name, { bytes: whole, headers: {} }) // without its label
    await expect(collect(sink.segments(first, signal))).rejects.toMatchObject({ kind: 'damaged' })
    store.objects.delete(name)
    await expect(read()).rejects.toMatchObject({ kind: 'damaged' })
  })
})
