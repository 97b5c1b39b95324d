import { basename } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { Exported } from '../support/oracle.ts'
import { readName } from '../support/read-files.ts'
import { type S3Fault, type S3Store, startS3 } from '../support/s3-server.ts'
import type { SinkUnderTest } from './campaign.ts'

const faults: readonly S3Fault[] = ['lose-answer', 'cut-before', 'unavailable', 'cut-body', 'cut-answer']

/**
 * An S3 sink whose connection fails at every eleventh request. In turn, the answer is lost, and the connection is cut.
 */
export async function s3(): Promise<SinkUnderTest & { stop(): Promise<void> }> {
  const store = await startS3({ pageSize: 5 })
  let requests = 0
  store.fault = () => {
    requests++
    return requests % 11 === 0 ? faults[(requests / 11) % faults.length] : undefined
  }
  return {
    open: async (folder) => ({
      config: {
        type: 's3',
        endpoint: store.endpoint,
        bucket: store.bucket,
        region: store.region,
        prefix: `runs/${basename(folder)}`,
        credentials: { accessKeyId: { env: 'S3_KEY' }, secretAccessKey: { env: 'S3_SECRET' } },
        format: 'ndjson',
        compression: 'zstd',
      },
      env: { S3_KEY: store.credentials.accessKeyId, S3_SECRET: store.credentials.secretAccessKey },
    }),
    readBack: (folder, zone) => readBack(store, `runs/${basename(folder)}/zone=${zone}/`),
    stop: store.stop,
  }
}

async function readBack(store: S3Store, prefix: string): Promise<Exported[]> {
  const segments: Exported[] = []
  for (const key of await store.keys(prefix)) {
    const bytes = await (await store.raw('GET', key)).arrayBuffer()
    const lines = zstdDecompressSync(Buffer.from(bytes)).toString().split('\n').filter(Boolean)
    segments.push({ ...readName(key), lines })
  }
  return segments
}
