/** Reads what a fleet has written, by code that shares nothing with the exporter. */
import { createHash } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import type { Exported } from '@cdn/logs-exporter/tests/support/oracle.ts'
import { readName } from '@cdn/logs-exporter/tests/support/read-files.ts'
import type { Postgres } from '../postgres.ts'
import type { S3Store } from '../s3-server.ts'

/** Every segment below a prefix of a bucket. */
export async function readS3({ endpoint, bucket, raw }: S3Store, prefix: string): Promise<Exported[]> {
  const found: Exported[] = []
  const headers = { 'x-amz-content-sha256': createHash('sha256').digest('hex') }
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ 'list-type': '2', prefix, 'start-after': after })
    const listing = await (await fetch(`${endpoint}/${bucket}?${query}`, { headers })).text()
    const keys = [...listing.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
    for (const key of keys) {
      if (!key.endsWith('.ndjson.zst')) continue
      const bytes = Buffer.from(await (await raw('GET', key)).arrayBuffer())
      const lines = zstdDecompressSync(bytes).toString().split('\n').filter(Boolean)
      found.push({ ...readName(key), lines })
    }
    if (!listing.includes('<IsTruncated>true')) return found
    after = keys.at(-1) ?? ''
  }
}

/** Every segment of a database. */
export async function readPostgres(postgres: Postgres, url: string): Promise<Exported[]> {
  const found = new Map<string, Exported & { readonly lines: string[] }>()
  const rows = await postgres.query(
    url,
    `select s.zone, s.window_from, s.window_to, s.revision, row.*
     from cdn_log_segments as s join cdn_logs as row on row.segment = s.id order by row.segment, row.line`,
  )
  for (const { zone, window_from, window_to, revision, segment, line: _, extra: __, ...columns } of rows) {
    const key = String(segment)
    const known = found.get(key) ?? {
      zone: String(zone),
      from: (window_from as Date).getTime(),
      to: (window_to as Date).getTime(),
      revision: Number(revision),
      lines: [],
    }
    found.set(key, known)
    const fields = Object.entries(columns).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      numbers.has(name) && value !== null ? Number(value) : value,
    ])
    known.lines.push(JSON.stringify(Object.fromEntries(fields.filter(([, value]) => value !== null))))
  }
  return [...found.values()]
}

/** Columns of int64, which come as texts. */
const numbers = new Set(['pull_zone_id', 'bytes_sent', 'body_bytes_sent'])
