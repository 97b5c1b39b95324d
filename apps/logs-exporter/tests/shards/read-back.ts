/** Reads the output of shards with code that is independent of the exporter. */
import { createHash } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import type { Exported } from '../support/oracle.ts'
import { readName } from '../support/read-files.ts'
import type { S3Store } from '../support/s3-server.ts'

/** All segments below a prefix of a bucket. */
export async function readS3({ endpoint, bucket, raw }: S3Store, prefix: string): Promise<Exported[]> {
  const segments: Exported[] = []
  const headers = { 'x-amz-content-sha256': createHash('sha256').digest('hex') }
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ 'list-type': '2', prefix, 'start-after': after })
    const listing = await (await fetch(`${endpoint}/${bucket}?${query}`, { headers })).text()
    const keys = [...listing.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
    for (const key of keys) {
      if (!key.endsWith('.ndjson.zst')) continue
      const bytes = Buffer.from(await (await raw('GET', key)).arrayBuffer())
      const lines = zstdDecompressSync(bytes).toString().split('\n').filter(Boolean)
      segments.push({ ...readName(key), lines })
    }
    if (!listing.includes('<IsTruncated>true')) return segments
    after = keys.at(-1) ?? ''
  }
}
