import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { type AzureStore, startAzure } from '../support/azure-server.ts'
import type { FaultyProxy, StoreFault } from '../support/faulty-proxy.ts'
import { type GoogleStore, startGoogle } from '../support/google-server.ts'
import { type S3Store, startS3 } from '../support/s3-server.ts'
import { sinkContract } from './contract.ts'
import { contents, line, publish, signal, windowAt } from './lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'objects-'))
const first = windowAt(0)
const text = line(first, 0) + line(first, 1)

let azure: AzureStore
let google: GoogleStore
beforeAll(async () => {
  writeFileSync(join(folder, 'identity'), 'canary-identity')
  ;[azure, google] = await Promise.all([startAzure(), startGoogle({ pageSize: 2 })])
  writeFileSync(join(folder, 'google.json'), google.credentials(join(folder, 'identity')))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(folder, 'google.json'))
})
afterAll(async () => {
  await Promise.all([azure.stop(), google.stop()])
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
afterEach(() => {
  azure.fault = google.fault = () => undefined
})

const format = { format: 'ndjson', compression: 'zstd' } as const
function openAzure(prefix: string): Promise<Sink> {
  const { container, accountKey } = azure
  return openSink({ type: 'azure', container, prefix, accountKey: { env: 'KEY' }, ...format }, { KEY: accountKey })
}
function openGoogle(prefix: string): Promise<Sink> {
  const { endpoint, bucket } = google
  return openSink({ type: 'gcs', endpoint, bucket, prefix, ...format }, {})
}

describe.each<[string, () => FaultyProxy, (prefix: string) => Promise<Sink>]>([
  ['azure', () => azure, openAzure],
  ['google', () => google, openGoogle],
])('%s', (name, store, open) => {
  sinkContract(open)

  test.each<StoreFault>(['cut-before', 'cut-body', 'lose-response', 'unavailable', 'page'])(
    'a PUT with the fault %s is repeated, and the segment is there once',
    async (fault) => {
      const sink = await open(`fault-${fault}`)
      await sink.check(signal)
      let puts = 0
      store().fault = ({ method }) => (method === 'PUT' && ++puts === 1 ? fault : undefined)
      expect(await publish(sink, first, [text])).toMatchObject({ outcome: 'published' })
      store().fault = () => undefined
      expect(Object.values(await contents(sink))).toEqual([text])
      await sink.close()
    },
  )

  test.each<StoreFault>(['cut-response', 'page', 'unavailable'])(
    'a read with the fault %s is repeated, and nothing is missing',
    async (fault) => {
      const sink = await open(`read-${fault}`)
      await publish(sink, first, [text])
      let reads = 0
      store().fault = ({ method }) => (method === 'GET' && ++reads === 1 ? fault : undefined)
      expect(Object.values(await contents(sink))).toEqual([text])
      await sink.close()
    },
  )

  test('refused credentials are a permanent error, in one sentence without the credentials', async () => {
    const sink = await open('refused')
    store().fault = ({ path }) => (path === '/token' ? undefined : 'forbidden')
    const error = await sink.check(signal).catch((caught: unknown) => caught)
    const what = name === 'azure' ? `The container ${azure.container}` : `The bucket logs at ${google.endpoint}`
    expect(error).toMatchObject({
      kind: 'permanent',
      message: `${what} answers 403${name === 'azure' ? ' AccessDenied' : ''}: the credentials are wrong or lack a permission; reading, writing and listing below the prefix are needed.`,
    })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/Eby8|canary|Signature/)
    await sink.close()
  })

  test('a store that cannot be reached is a transient error', async () => {
    const sink = await open('unreachable')
    store().fault = ({ path }) => (path === '/token' ? undefined : 'cut-before')
    await expect(sink.check(signal)).rejects.toMatchObject({ kind: 'transient', message: /cannot be reached/ })
    await sink.close()
  })
})

describe('s3 with exclusive: one writer', () => {
  let careless: S3Store
  beforeAll(async () => {
    careless = await startS3({ conditional: false })
  })
  afterAll(() => careless.stop())

  const open = (prefix: string, exclusive?: 'one writer'): Promise<Sink> => {
    const { endpoint, bucket, region, credentials } = careless
    const secrets = { accessKeyId: { env: 'ID' }, secretAccessKey: { env: 'KEY' } }
    const place = { type: 's3', endpoint, bucket, region, prefix, credentials: secrets, ...format } as const
    const env = { ID: credentials.accessKeyId, KEY: credentials.secretAccessKey }
    return openSink({ ...place, ...(exclusive && { exclusive }) }, env)
  }

  test('a store that ignores If-None-Match is refused without it, and used with it', async () => {
    const sentence = /overwrote the object .*\. If only one exporter writes there, set sink\.exclusive: one writer\.$/
    await expect((await open('refused')).check(signal)).rejects.toThrow(sentence)
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

  test('whatever the order of their windows, the first says so at its next window, and the second at the one after that', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), async (order) => {
        const prefix = `orders/${runs++}`
        const sinks = [await open(prefix, 'one writer'), await open(prefix, 'one writer')] as const
        const reported = [false, false]
        let [switches, previous] = [-1, -1]
        for (const [n, isFirst] of [true, ...order, true, false, true, false].entries()) {
          const writer = isFirst ? 0 : 1
          if (writer !== previous) switches++
          previous = writer
          if (!(await publish(sinks[writer], windowAt(n), [line(windowAt(n), 0)]).catch(() => undefined)))
            reported[writer] = true
          expect(reported).toEqual([switches >= 2, switches >= 3])
        }
      }),
      { numRuns: 8 },
    )
  })
})
