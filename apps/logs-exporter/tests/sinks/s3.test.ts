import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { zstdCompressSync } from 'node:zlib'
import { listen } from '@cdn/kit/testing/listen'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import type { StoreFault } from '../support/faulty-proxy.ts'
import { type S3Store, s3Sink, startS3 } from '../support/s3-server.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, toLines, windowAt } from './lines.ts'

let store: S3Store
beforeAll(async () => {
  store = await startS3()
})
afterEach(() => {
  store.fault = () => undefined
  store.seen.length = 0
})
afterAll(() => store.stop())

async function open(prefix: string, format: 'ndjson' | 'parquet' = 'ndjson', at: S3Store = store): Promise<Sink> {
  const { config, env } = s3Sink(at, { prefix, format })
  return openSink(config, env)
}

const first = windowAt(0)
const text = line(first, 0) + line(first, 1)
const key = 'zone=4711/date=2026-06-17/hour=14/20260617T143000Z-20260617T143500Z.r0.ndjson.zst'

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })

describe('s3, Parquet', () => sinkContract((place) => open(`parquet/${place}`, 'parquet')))

describe('s3', () => {
  test('one conditional PUT creates a segment, under its name, with its label', async () => {
    await publish(await open('plain'), first, [text])
    const puts = store.seen.filter(({ method, path }) => method === 'PUT' && !path.includes('probe'))
    expect(puts).toHaveLength(1)
    expect(decodeURIComponent(puts[0]?.path ?? '')).toBe(`/logs/plain/${key}`)
    expect(puts[0]?.headers).toMatchObject({ 'if-none-match': '*', 'content-length': expect.any(String) })
    const { headers } = await store.raw('HEAD', `plain/${key}`)
    expect(headers.get('x-amz-meta-cdn-rows')).toBe('2')
    expect(headers.get('content-type')).toBe('application/zstd')
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

  test('without configured secrets, the credentials of the machine are used and renewed; none is one sentence', async () => {
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
      const Expiration = new Date(Date.now() + (requests++ === 0 ? 1000 : 3_600_000)).toISOString()
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: `token-${requests}`, Expiration }))
    })
    const roleUrl = await listen(role)
    try {
      const none = (await openSink(config, {})).check(signal)
      await expect(none).rejects.toThrow(/^No credentials for the bucket logs: set sink\.credentials, .* a role\.$/)
      await expect(none).rejects.toMatchObject({ name: 'SinkError', kind: 'permanent' })
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

  test('another writer wins between the check and the PUT: a lost race, without lost rows', async () => {
    const sink = await open('late')
    await publish(sink, first, [text])
    store.fault = ({ method, path }) => (method === 'GET' && path.includes('prefix=late') ? 'empty-listing' : undefined)
    expect(await publish(sink, first, [line(first, 9)])).toMatchObject({ outcome: 'conflict', segment: { rows: 2 } })
    expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published', segment: { rows: 2 } })
    store.fault = () => undefined
    expect(Object.values(await contents(sink))).toEqual([text])
  })

  test.each<StoreFault>(['no-token'])(
    'a listing answered by %s is requested again, because objects missing in it would be written twice',
    async (fault) => {
      const sink = await open(`listing/${fault}`)
      await publish(sink, first, [text])
      let listings = 0
      store.fault = ({ path }) => (path.includes('list-type') && listings++ === 0 ? fault : undefined)
      expect(Object.values(await contents(sink))).toEqual([text])
    },
  )

  test.each([
    ['PUT', 200, 'sent a response of more than 8 MiB.'],
    ['GET', 503, 'sent a response of more than 8 MiB.'],
    ['GET', 200, 'sent more than the 83 bytes of the object endless/.cdn-logs-exporter-probe.'],
  ])('an endless answer to %s (%i) is a transient error', async (method, status, sentence) => {
    let puts = 0
    const endless = createServer(async (request, response) => {
      request.resume()
      await once(request, 'end')
      const isListing = request.url?.includes('list-type')
      if (request.method === method && !isListing) {
        response.writeHead(status)
        const piece = Buffer.alloc(2 ** 16, ' ')
        // 64 MiB, so that an unlimited reader ends, too.
        for (let n = 0; n < 1024 && !response.destroyed; n++) if (!response.write(piece)) await drained(response)
        response.end()
      } else if (isListing) response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
      else response.writeHead(puts++ % 2 === 0 ? 200 : 412).end()
    })
    const endpoint = await listen(endless)
    try {
      const sink = await open('endless', 'ndjson', { ...store, endpoint })
      const message = `The bucket logs at ${endpoint} ${sentence}`
      await expect(sink.check(signal)).rejects.toMatchObject({ kind: 'transient', message })
    } finally {
      endless.closeAllConnections()
      endless.close()
    }
  })

  test('if no answer is a listing, every operation ends in a transient error', async () => {
    const sink = await open('no-listing')
    store.fault = ({ path }) => (path.includes('list-type') ? 'page' : undefined)
    const calls = [contents(sink), sink.zones(signal)[Symbol.asyncIterator]().next(), sink.check(signal)]
    for (const each of await Promise.allSettled(calls)) expect(each).toMatchObject({ reason: { kind: 'transient' } })
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

  test('a store that ignores If-None-Match is refused before anything is written', async () => {
    const careless = await startS3({ conditional: false })
    try {
      const sink = await open('', 'ndjson', careless)
      await expect(sink.check(signal)).rejects.toThrow(/ignores conditional PUT \(If-None-Match\)/)
      await expect(sink.begin({ ...first, revision: 0 }, signal)).rejects.toMatchObject({
        kind: 'permanent',
      })
      expect(careless.seen.every(({ path }) => !path.includes('zone'))).toBe(true)
    } finally {
      await careless.stop()
    }
  })

  test('the first segment stays after a change of the format', async () => {
    await publish(await open('formats'), first, [text])
    const sink = await open('formats', 'parquet')
    expect(await publish(sink, first, [line(first, 5)])).toMatchObject({ outcome: 'conflict' })
    expect(Object.values(await contents(sink))).toEqual([text])
  })

  test('a changed, truncated or deleted object is damage', async () => {
    const sink = await open('damage')
    const { segment } = await publish(sink, first, [text])
    const name = `damage/${key}`
    const { headers } = await store.raw('HEAD', name)
    const label = Object.fromEntries([...headers].filter(([header]) => header.startsWith('x-amz-meta-')))
    const whole = Buffer.from(await (await store.raw('GET', name)).arrayBuffer())
    const read = async () => {
      for await (const _ of sink.read(segment, signal));
    }
    await read()
    const changed = Buffer.from(whole)
    changed.writeUInt8(whole.readUInt8(20) ^ 1, 20)
    const other = zstdCompressSync(text.replace('200', '404')) // intact, but different from its label
    for (const bytes of [changed, whole.subarray(0, -1), other]) {
      await store.raw('PUT', name, bytes, label)
      await expect(read()).rejects.toMatchObject({ kind: 'damaged' })
    }
    await store.raw('DELETE', name)
    await expect(read()).rejects.toMatchObject({ kind: 'damaged' })
  })

  test('listings with several pages are read completely', async () => {
    const small = await startS3({ pageSize: 7 })
    try {
      const sink = await open('pages', 'ndjson', small)
      const label = { 'x-amz-meta-cdn-rows': '1', 'x-amz-meta-cdn-sha256': 'x', 'x-amz-meta-cdn-source': 'v2' }
      const revisions = Array.from({ length: 50 }, (_, n) => n)
      for (const n of revisions)
        await small.raw('PUT', `pages/${key.replace('.r0.', `.r${n}.`)}`, Buffer.from('x'), label)
      for (const n of revisions) await small.raw('PUT', `pages/zone=${n}/x`, Buffer.from('x'), label)
      const revisionsRead = []
      for await (const { revision } of sink.segments(first, signal)) revisionsRead.push(revision)
      expect(revisionsRead).toEqual(revisions)
      const zones = []
      for await (const zone of sink.zones(signal)) zones.push(zone)
      expect(zones).toHaveLength(51)
    } finally {
      await small.stop()
    }
  })

  test('a writer stores the segment in a spool on disk, not in memory', async () => {
    const sink = await open('spool')
    const writer = await sink.begin({ ...first, revision: 0 }, signal)
    const before = process.memoryUsage().arrayBuffers
    const noise = () =>
      toLines(
        Array.from({ length: 2000 }, (_, n) => line(first, n, { path: Math.random().toString(36).repeat(40) })).join(
          '',
        ),
      )
    for (let n = 0; n < 40; n++) await writer.write(noise())
    globalThis.gc?.()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60e6)
    expect(await writer.publish()).toMatchObject({ outcome: 'published', segment: { rows: 80_000 } })
  })
})
