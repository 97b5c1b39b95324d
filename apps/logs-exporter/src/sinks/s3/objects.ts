import type { Input, Label } from '../../formats/index.ts'
import type { Segment } from '../../segments/segment.ts'
import { SinkError } from '../sink-error.ts'
import { insist, type S3Client, type S3Place, unreachable } from './client.ts'
import { textOf, textsOf } from './xml.ts'

/** What an object says of its rows, as user metadata: S3 keeps it with the object, and HEAD gives it without the rows. */
const keys = { rows: 'x-amz-meta-cdn-rows', sha256: 'x-amz-meta-cdn-sha256', source: 'x-amz-meta-cdn-source' } as const
const epochKey = 'x-amz-meta-cdn-epoch'

/** An object in a listing. */
export interface Listed {
  readonly key: string
  readonly bytes: number
}

/** Headers that label an object. @param epoch of the lease under which it is written */
export function toHeaders({ rows, sha256, source }: Label, epoch: number): Record<string, string> {
  return { [keys.rows]: String(rows), [keys.sha256]: sha256, [keys.source]: source, [epochKey]: String(epoch) }
}

/** Reads the label of an object. @throws SinkError where it is gone or has none */
export async function head(
  client: S3Client,
  key: string,
  signal: AbortSignal,
): Promise<Label & Pick<Segment, 'bytes'>> {
  const { ok, headers } = await client({ method: 'HEAD', key, accepts: [404] }, signal)
  if (!ok) throw new SinkError('damaged', `The object ${key} is gone.`)
  const [rows, sha256, source] = [headers.get(keys.rows), headers.get(keys.sha256), headers.get(keys.source)]
  if (!rows || !sha256 || (source !== 'v1' && source !== 'v2')) {
    throw new SinkError('damaged', `The object ${key} has lost its metadata, or was not written by the exporter.`)
  }
  return { rows: Number(rows), sha256, source, bytes: Number(headers.get('content-length')) }
}

/** Objects whose keys begin with `prefix`, ascending by key. @param after a key behind which the listing begins */
export async function* list(
  client: S3Client,
  prefix: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<Listed> {
  let from: Record<string, string> = after ? { 'start-after': after } : {}
  for (;;) {
    const { page, token } = await listPage(client, { prefix, ...from }, signal)
    for (const entry of textsOf(page, 'Contents')) {
      yield { key: textOf(entry, 'Key') ?? '', bytes: Number(textOf(entry, 'Size')) }
    }
    if (!token) return
    from = { 'continuation-token': token }
  }
}

/**
 * A page of a listing, and the token of the next one where there is more. What is missing in a listing would be written once more, so
 * nothing else is taken for one.
 *
 * @throws SinkError (transient) where the answer is no listing, or does not say how it goes on
 */
export function listPage(client: S3Client, query: Readonly<Record<string, string>>, signal: AbortSignal) {
  return insist(() => listOnce(client, query, signal), signal)
}

async function listOnce(client: S3Client, query: Readonly<Record<string, string>>, signal: AbortSignal) {
  const response = await client({ method: 'GET', query: { 'list-type': '2', ...query } }, signal)
  const page = await response.text().catch(() => '')
  signal.throwIfAborted()
  const token = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextContinuationToken') : ''
  if (!/<\/ListBucketResult>\s*$/.test(page) || token === undefined) {
    throw new SinkError('transient', 'The S3 endpoint answers a listing with something else, or with a part of one.')
  }
  return { page, token }
}

/** The parts of keys after `prefix` up to the next `/`, each with that, ascending. */
export async function listFolders(client: S3Client, prefix: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = []
  let token = ''
  do {
    const more = token ? { 'continuation-token': token } : {}
    const next = await listPage(client, { prefix, delimiter: '/', ...more }, signal)
    for (const entry of textsOf(next.page, 'CommonPrefixes')) {
      found.push(textOf(entry, 'Prefix')?.slice(prefix.length) ?? '')
    }
    token = next.token
  } while (token)
  return found.sort()
}

/** An object as a stored file. */
export function toInput(client: S3Client, place: S3Place, { key, bytes: size }: Listed, signal: AbortSignal): Input {
  async function* get(headers: Record<string, string>): AsyncGenerator<Uint8Array> {
    const { body } = await client({ method: 'GET', key, headers }, signal)
    try {
      if (body) yield* body
    } catch (error) {
      signal.throwIfAborted()
      throw unreachable(place, error)
    }
  }
  return {
    size,
    stream: () => get({}),
    async slice(from, to) {
      const pieces: Uint8Array[] = []
      for await (const piece of get({ range: `bytes=${from}-${to - 1}` })) pieces.push(piece)
      return Buffer.concat(pieces)
    },
  }
}
