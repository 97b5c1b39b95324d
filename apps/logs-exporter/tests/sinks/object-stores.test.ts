import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { startAzure } from '../support/azure-server.ts'
import { startEndlessStore } from '../support/endless-server.ts'
import type { FaultyProxy, StoreFault } from '../support/faulty-proxy.ts'
import { startGoogle } from '../support/google-server.ts'
import { s3Sink, startS3 } from '../support/s3-server.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, windowAt } from './lines.ts'

const folder = temporaryFolder()
const first = windowAt(0)
const text = line(first, 0) + line(first, 1)

const [azure, google, s3] = await Promise.all([startAzure(), startGoogle({ pageSize: 2 }), startS3()])
writeFileSync(join(folder, 'identity'), 'canary-identity')
writeFileSync(join(folder, 'google.json'), google.credentials(join(folder, 'identity')))
vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(folder, 'google.json'))
afterAll(async () => {
  await Promise.all([azure.stop(), google.stop(), s3.stop()])
  vi.unstubAllEnvs()
})
afterEach(() => {
  azure.fault = google.fault = s3.fault = () => undefined
})

const format = { format: 'ndjson', compression: 'zstd' } as const
function openAzure(prefix: string, { container, accountKey } = azure): Promise<Sink> {
  return openSink({ type: 'azure', container, prefix, accountKey: { env: 'KEY' }, ...format }, { KEY: accountKey })
}
function openGoogle(prefix: string): Promise<Sink> {
  const { endpoint, bucket } = google
  return openSink({ type: 'gcs', endpoint, bucket, prefix, ...format }, {})
}

function openS3(prefix: string, at = s3): Promise<Sink> {
  const { config, env } = s3Sink(at, { prefix })
  return openSink(config, env)
}

interface Case {
  readonly name: string
  readonly store: FaultyProxy
  open(prefix: string): Promise<Sink>
  /** How messages name the store, and its code for a refused request. */
  readonly title: string
  readonly refusal: string
  /** Faults of a PUT, and of a listing, in addition to those of every store. */
  readonly faults: readonly StoreFault[]
  readonly listingFaults?: readonly StoreFault[]
}
const stores: readonly Case[] = [
  {
    name: 'azure',
    store: azure,
    open: openAzure,
    title: `The container ${azure.container}`,
    refusal: '403 AccessDenied',
    faults: ['page'],
  },
  {
    name: 'google',
    store: google,
    open: openGoogle,
    title: `The bucket logs at ${google.endpoint}`,
    refusal: '403',
    faults: ['page'],
  },
  {
    name: 's3',
    store: s3,
    open: openS3,
    title: `The bucket logs at ${s3.endpoint}`,
    refusal: '403 AccessDenied',
    faults: ['garbled', 'conflict'],
    listingFaults: ['no-token'],
  },
]

describe.each(stores)('$name', ({ name, store, open, title, refusal, faults, listingFaults = [] }) => {
  sinkContract(open)

  test.each<StoreFault>(['cut-before', 'cut-body', 'lose-response', 'unavailable', ...faults])(
    'a PUT with the fault %s is repeated, and the segment is there once',
    async (fault) => {
      const sink = await open(`fault-${fault}`)
      await sink.check(signal)
      let puts = 0
      store.fault = ({ method }) => (method === 'PUT' && ++puts === 1 ? fault : undefined)
      expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
      store.fault = () => undefined
      expect(Object.values(await contents(sink))).toEqual([text])
      await sink.close()
    },
  )

  test.each<StoreFault>(['cut-response', 'page', 'unavailable', ...listingFaults])(
    'a read with the fault %s is repeated, and nothing is missing',
    async (fault) => {
      const sink = await open(`read-${fault}`)
      await publish(sink, first, [text])
      let reads = 0
      // For S3, only listings fail: a content that is being read cannot be requested again.
      store.fault = ({ method, path }) =>
        method === 'GET' && (name !== 's3' || path.includes('list-type')) && ++reads === 1 ? fault : undefined
      expect(Object.values(await contents(sink))).toEqual([text])
      await sink.close()
    },
  )

  test('refused credentials may be right later: a transient error, in one sentence without the credentials', async () => {
    const sink = await open('refused')
    store.fault = ({ path }) => (path === '/token' ? undefined : 'forbidden')
    const error = await sink.check(signal).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      kind: 'transient',
      message: `${title} answers ${refusal}: the credentials are wrong or lack a permission; reading, writing and listing below the prefix are needed.`,
    })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/Eby8|canary|Signature/)
    await sink.close()
  })

  test('a store that cannot be reached is a transient error; it has no object, and the next attempt succeeds', async () => {
    const sink = await open('unreachable')
    await sink.check(signal)
    store.fault = ({ path }) => (path === '/token' ? undefined : 'cut-before')
    const failure = { name: 'SinkError', kind: 'transient', message: expect.stringContaining('cannot be reached') }
    await expect(publish(sink, first, [text])).rejects.toMatchObject(failure)
    store.fault = () => undefined
    expect(await contents(sink)).toEqual({})
    expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
    await sink.close()
  })
})

describe('s3 with exclusive: one writer', async () => {
  const careless = await startS3({ conditional: false })
  afterAll(() => careless.stop())

  const open = (prefix: string, exclusive?: 'one writer'): Promise<Sink> => {
    const { config, env } = s3Sink(careless, { prefix, ...(exclusive && { exclusive }) })
    return openSink(config, env)
  }

  test('a store that ignores If-None-Match is refused without it, and used with it', async () => {
    const sentence = /overwrote the object .*\. If only one exporter writes there, set sink\.exclusive: one writer\.$/
    const refused = await open('refused')
    await expect(refused.check(signal)).rejects.toThrow(sentence)
    await expect(refused.begin({ ...first, revision: 0 }, signal)).rejects.toMatchObject({ kind: 'permanent' })
    expect(careless.seen.every(({ path }) => !path.includes('zone'))).toBe(true)
    const sink = await open('used', 'one writer')
    await sink.check(signal)
    expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
    expect(await publish(sink, first, [line(first, 7)])).toMatchObject({ outcome: 'conflict' })
    expect(Object.values(await contents(sink))).toEqual([text])
    expect(careless.seen.filter(({ path, headers }) => path.includes('/used/') && headers['if-none-match'])).toEqual([])
  })

  test('two writers: each says so at its second window at the latest, until the other one has stopped', async () => {
    const [a, b] = [await open('two', 'one writer'), await open('two', 'one writer')]
    const tries = async (sink: Sink, window: number) =>
      publish(sink, windowAt(window), [line(windowAt(window), 0)]).then(
        () => 'published',
        (error: { kind: string; message: string }) => `${error.kind}: ${error.message}`,
      )
    const sentence = `overlap: Another exporter writes zone ${first.zone} to The bucket logs at ${careless.endpoint}, which cannot refuse one of the two (sink.exclusive: one writer): stop one of them, and run verify.`
    expect([await tries(a, 0), await tries(b, 1)]).toEqual(['published', 'published'])
    expect([await tries(a, 2), await tries(b, 2)]).toEqual([sentence, sentence])
    expect([await tries(a, 2), await tries(a, 2)]).toEqual([sentence, 'published'])
    const restarted = await open('two', 'one writer')
    expect([await tries(restarted, 3), await tries(restarted, 4)]).toEqual(['published', 'published'])
  })

  test('two writers: the responses to a mark are lost, and the next window still says so', async () => {
    const [a, b] = [await open('lost', 'one writer'), await open('lost', 'one writer')]
    const write = (sink: Sink, n: number) => publish(sink, windowAt(n), [line(windowAt(n), 0)])
    await write(a, 0)
    await write(b, 1)
    careless.fault = ({ path, method }) => (method === 'PUT' && path.includes('writers') ? 'lose-response' : undefined)
    await expect(write(a, 2)).rejects.toMatchObject({ kind: 'transient' })
    careless.fault = () => undefined
    await expect(write(a, 2)).rejects.toMatchObject({ kind: 'overlap' })
    expect(await write(a, 2)).toMatchObject({ outcome: 'published' })
  })
})

const tooLong = 'sent a response of more than 8 MiB.'
test.each([
  ['azure', 'PUT', 201, tooLong],
  ['azure', 'GET', 503, tooLong],
  ['s3', 'PUT', 200, tooLong],
  ['s3', 'GET', 503, tooLong],
  ['s3', 'GET', 200, 'sent more than the 83 bytes of the object endless/.cdn-logs-exporter-probe.'],
] as const)('an endless answer of %s to %s (%i) is a transient error', async (name, method, status, sentence) => {
  const listing =
    name === 's3'
      ? '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'
      : '<EnumerationResults><Blobs/></EnumerationResults>'
  const { url, stop } = await startEndlessStore(method, status, listing)
  const container = `${url}/account/logs`
  try {
    const sink = await (name === 's3'
      ? openS3('endless', { ...s3, endpoint: url })
      : openAzure('endless', { ...azure, container }))
    const title = name === 's3' ? `The bucket logs at ${url}` : `The container ${container}`
    await expect(sink.check(signal)).rejects.toMatchObject({ kind: 'transient', message: `${title} ${sentence}` })
  } finally {
    stop()
  }
})
