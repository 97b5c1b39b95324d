import { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { SinkError } from '../../errors.ts'
import type { Label, StoredFile } from '../../formats/format.ts'
import type { Segment } from '../../segments/segment.ts'
import { readAtMost } from '../network.ts'
import type { Spool } from '../spool.ts'
import { type Bucket, failure, unless } from './bucket.ts'

export interface ObjectBody extends ReturnType<Spool['seal']> {
  readonly mediaType: string
  /** Called for each attempt. */
  stream(): AsyncIterable<Uint8Array>
  /** Description of the rows. It is stored as user metadata, so that HEAD returns it without the rows. */
  readonly label?: Label
}

/** Creates an object as a whole or not at all. @returns false if the key exists */
export async function create(bucket: Bucket, key: string, body: ObjectBody, signal: AbortSignal): Promise<boolean> {
  const { bytes, sha256, label } = body
  const created = await bucket.request((client, options) => {
    const command = new PutObjectCommand({
      ...bucket.place.put,
      Bucket: bucket.place.bucket,
      Key: key,
      IfNoneMatch: '*',
      ContentType: body.mediaType,
      ContentLength: bytes,
      Body: Readable.from(body.stream()),
      Metadata: label && { 'cdn-rows': String(label.rows), 'cdn-sha256': label.sha256, 'cdn-source': label.source },
    })
    // The library would read the stream to sign it, and cannot read it twice. The digest is already known, so it is set here.
    command.middlewareStack.add(
      (next) => (args) => {
        // Safe: at this step, the library has turned the command into an HTTP request.
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = sha256
        return next(args)
      },
      { step: 'build' },
    )
    return client.send(command, options).catch(unless(412))
  }, signal)
  return created !== undefined
}

/** Reads the label of an object. @throws SinkError if the object or its label is missing */
export async function head(bucket: Bucket, key: string, signal: AbortSignal): Promise<Label & Pick<Segment, 'bytes'>> {
  const input = { Bucket: bucket.place.bucket, Key: key }
  const object = await bucket.request(
    (client, options) => client.send(new HeadObjectCommand(input), options).catch(unless(404)),
    signal,
  )
  if (!object) throw new SinkError('damaged', `The object ${key} is missing.`)
  const { 'cdn-rows': rows, 'cdn-sha256': sha256, 'cdn-source': source } = object.Metadata ?? {}
  if (!rows || !sha256 || (source !== 'v1' && source !== 'v2')) {
    throw new SinkError('damaged', `The object ${key} has lost its metadata, or was not written by the exporter.`)
  }
  return { rows: Number(rows), sha256, source, bytes: object.ContentLength ?? 0 }
}

type Listing = Omit<ListObjectsV2CommandInput, 'Bucket'>

/** Lists the keys that begin with `prefix`, ascending. @param after the listing begins after this key */
export async function* listObjects(
  bucket: Bucket,
  prefix: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const page of pages(bucket, { Prefix: prefix, StartAfter: after || undefined }, signal))
    for (const { Key = '' } of page.Contents ?? []) yield Key
}

/** Lists the parts of keys between `prefix` and the next `/` (inclusive), ascending. */
export async function listFolders(bucket: Bucket, prefix: string, signal: AbortSignal): Promise<string[]> {
  const folders: string[] = []
  for await (const page of pages(bucket, { Prefix: prefix, Delimiter: '/' }, signal))
    for (const { Prefix = '' } of page.CommonPrefixes ?? []) folders.push(Prefix.slice(prefix.length))
  return folders.sort()
}

/**
 * The pages of a listing. An incomplete or foreign response is requested again, because segments that a listing lacks would be
 * written twice.
 */
async function* pages(
  bucket: Bucket,
  listing: Listing,
  signal: AbortSignal,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let token: string | undefined
  do {
    const command = () =>
      new ListObjectsV2Command({ Bucket: bucket.place.bucket, ...listing, ContinuationToken: token })
    const page = await bucket.request((client, options) => client.send(command(), options).then(wholePage), signal)
    yield page
    token = page.NextContinuationToken
  } while (token !== undefined)
}

function wholePage(page: ListObjectsV2CommandOutput): ListObjectsV2CommandOutput {
  const { Contents = [], CommonPrefixes = [], KeyCount, IsTruncated, NextContinuationToken } = page
  const isCut = KeyCount !== undefined && KeyCount !== Contents.length + CommonPrefixes.length
  if (isCut || IsTruncated === undefined || IsTruncated !== (NextContinuationToken !== undefined)) {
    throw new SinkError('transient', 'The S3 endpoint answered a listing with an incomplete or foreign response.')
  }
  return page
}

/** An object as a stored file. If a range read is interrupted, it is repeated. A stream cannot be repeated. */
export function toInput(
  bucket: Bucket,
  { key, bytes: size }: { readonly key: string; readonly bytes: number },
  signal: AbortSignal,
): StoredFile {
  const input = { Bucket: bucket.place.bucket, Key: key }
  return {
    size,
    async *stream() {
      const { Body } = await bucket.request(
        (client, options) => client.send(new GetObjectCommand(input), options),
        signal,
      )
      try {
        if (Body) yield* Body as Readable // safe: the library returns other streams only in browsers
      } catch (error) {
        signal.throwIfAborted()
        throw failure(bucket.place, error)
      }
    },
    slice: (from, to) =>
      bucket.request(async (client, options) => {
        const part = { ...input, Range: `bytes=${from}-${to - 1}` }
        const { Body } = await client.send(new GetObjectCommand(part), options)
        // Some stores ignore a range and send the whole object. Safe: the library returns other streams only in browsers.
        const bytes = Body ? await readAtMost(Body as Readable, size) : Buffer.alloc(0)
        if (bytes) return bytes
        const place = `The bucket ${bucket.place.bucket} at ${bucket.place.endpoint}`
        throw new SinkError('transient', `${place} sent more than the ${size} bytes of the object ${key}.`)
      }, signal),
  }
}
