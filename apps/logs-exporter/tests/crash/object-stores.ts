/** Object stores that fail at every eleventh request, with each of the `storeFaults` in turn. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { startAzure } from '../support/azure-server.ts'
import type { StoreFault } from '../support/faulty-proxy.ts'
import { startGoogle } from '../support/google-server.ts'
import type { Exported } from '../support/oracle.ts'
import { parseSegmentPath } from '../support/read-files.ts'
import { type S3Store, s3Sink, startS3 } from '../support/s3-server.ts'
import type { SinkUnderTest } from './campaign.ts'

const storeFaults: readonly StoreFault[] = ['lose-response', 'cut-before', 'unavailable', 'cut-body', 'cut-response']
const format = { format: 'ndjson', compression: 'zstd' } as const
const prefixOf = (folder: string) => `runs/${basename(folder)}`

/** Returns a fault for every eleventh request. */
function eleventh(): () => StoreFault | undefined {
  let requests = 0
  return () => (++requests % 11 === 0 ? storeFaults[(requests / 11) % storeFaults.length] : undefined)
}

/** @param exclusive for a store that ignores If-None-Match */
export async function s3(exclusive?: 'one writer'): Promise<SinkUnderTest> {
  const store = await startS3({ pageSize: 5, conditional: exclusive === undefined })
  store.fault = eleventh()
  return {
    open: async (folder) => s3Sink(store, { prefix: prefixOf(folder), ...(exclusive && { exclusive }) }),
    readBack: readObjects(store),
    stop: store.stop,
  }
}

export async function azure(): Promise<SinkUnderTest> {
  const store = await startAzure()
  store.fault = eleventh()
  const { container, accountKey, raw } = store
  const place = { type: 'azure', container, accountKey: { env: 'KEY' } } as const
  return {
    open: async (folder) => ({
      config: { ...place, ...format, prefix: prefixOf(folder) },
      env: { KEY: accountKey },
    }),
    async readBack(folder, zone) {
      const segments: Exported[] = []
      for await (const { name } of raw.listBlobsFlat({ prefix: `${prefixOf(folder)}/zone=${zone}/` }))
        segments.push(toSegment(name, await raw.getBlobClient(name).downloadToBuffer()))
      return segments
    },
    stop: store.stop,
  }
}

export async function google(): Promise<SinkUnderTest> {
  const store = await startGoogle({ pageSize: 5 })
  const identity = mkdtempSync(join(tmpdir(), 'identity-'))
  writeFileSync(join(identity, 'token'), 'canary-identity')
  writeFileSync(join(identity, 'google.json'), store.credentials(join(identity, 'token')))
  const fault = eleventh()
  // The Google library itself retries requests for tokens, and only some of them.
  store.fault = ({ path }) => (path === '/token' ? undefined : fault())
  const { endpoint, bucket } = store
  return {
    open: async (folder) => ({
      config: { type: 'gcs', endpoint, bucket, ...format, prefix: prefixOf(folder) },
      env: { GOOGLE_APPLICATION_CREDENTIALS: join(identity, 'google.json') },
    }),
    readBack: readObjects(store),
    stop: store.stop,
  }
}

function readObjects({ objects }: Pick<S3Store, 'objects'>): SinkUnderTest['readBack'] {
  return async (folder, zone) =>
    [...objects]
      .filter(([key]) => key.startsWith(`${prefixOf(folder)}/zone=${zone}/`))
      .map(([key, { bytes }]) => toSegment(key, bytes))
}

function toSegment(key: string, bytes: Buffer): Exported {
  const text = zstdDecompressSync(bytes).toString()
  return { ...parseSegmentPath(key), lines: text.split('\n').filter(Boolean) }
}
