import type { Content, Format } from '../../formats/index.ts'
import type { Source } from '../../rows/encoder.ts'
import { type Named, segmentName } from '../../segments/segment-name.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import { openSpool } from '../spool.ts'
import type { S3Client } from './client.ts'
import { head, type Listed, list, toHeaders } from './objects.ts'

/** Where and how segments are written. */
export interface S3Writing {
  readonly client: S3Client
  /** Empty, or ends with `/`. */
  readonly prefix: string
  readonly format: Format
}

/**
 * Gathers a segment in a temporary file and creates the object with one conditional PUT: it is there whole or not at all.
 * When the answer to the PUT is lost, the next attempt is refused (412), and the digest of what stands there decides.
 */
export async function beginSegment(
  { client, prefix, format }: S3Writing,
  named: Named,
  source: Source,
  epoch: number,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const spool = await openSpool()
  const encoding = format.encode(spool.write, source)

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    const { bytes, sha256 } = spool.seal()
    const first = await findSegment(client, prefix, named, signal)
    if (first) return compare(first.key, content)
    const key = `${prefix}${segmentName(named, format.extension)}`
    const headers = {
      'if-none-match': '*',
      'content-type': format.mediaType,
      ...toHeaders({ ...content, source }, epoch),
    }
    const body = { bytes, sha256, stream: spool.stream }
    const { status } = await client({ method: 'PUT', key, headers, body, accepts: [412] }, signal)
    if (status === 412) return compare(key, content)
    return { outcome: 'published', segment: { ...named, ...content, source, bytes } }
  }

  async function compare(key: string, ours: Content): Promise<Published> {
    const segment = { ...named, ...(await head(client, key, signal)) }
    return { outcome: segment.sha256 === ours.sha256 ? 'published' : 'lost', segment }
  }

  return {
    async write(lines) {
      signal.throwIfAborted()
      await encoding.write(lines)
    },
    publish: () => publish().finally(spool.close),
    async discard() {
      encoding.abort()
      await spool.close()
    },
  }
}

/** The object of a window and revision, in whatever format: the configuration may have been changed since. */
export async function findSegment(
  client: S3Client,
  prefix: string,
  named: Named,
  signal: AbortSignal,
): Promise<Listed | undefined> {
  const name = `${prefix}${segmentName(named, '.')}`
  for await (const object of list(client, name, '', signal)) return object
  return undefined
}
