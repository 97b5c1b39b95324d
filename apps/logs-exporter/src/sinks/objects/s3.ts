import { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { SinkConfigOf } from '../../config/config.ts'
import { readSecrets } from '../../config/secret.ts'
import { SinkError } from '../../errors.ts'
import { readAtMost } from '../network.ts'
import { type Explained, maxResponseBytes, type StoreClient, tooLongError } from './store.ts'

/** Maximum number of connections: enough for one request per zone in a cycle, plus requests for metadata. */
const maxSockets = 128

/**
 * Opens a bucket of any S3 store. The library's own retries are off, because a stream can be sent only once.
 *
 * @param env environment variables with secrets; they are read for each request
 */
export function openS3(config: SinkConfigOf<'s3'>, env: NodeJS.ProcessEnv): StoreClient {
  const { endpoint, bucket, region, credentials } = config
  const agent = { keepAlive: true, maxSockets, proxyEnv: process.env }
  const title = `The bucket ${bucket} at ${endpoint}`
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    // These credentials expire immediately, so that the library does not cache them.
    ...(credentials && {
      credentials: async () => ({ ...(await readSecrets({ ...credentials }, env)), expiration: new Date() }),
    }),
    // Stores other than AWS may not support the library's checksums. The SHA-256 of the body is signed in any case.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Without a logger, the library writes to the console. The sink reports the errors itself.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: { httpAgent: agent, httpsAgent: agent },
  })
  limitResponses(client, title)
  const Bucket = bucket
  return {
    title,
    product: 'S3',
    async create({ key, bytes, sha256, mediaType, metadata, isConditional, stream }, abortSignal) {
      const command = new PutObjectCommand({
        ServerSideEncryption: config.encryption,
        SSEKMSKeyId: config.kmsKeyId,
        StorageClass: config.storageClass,
        ...{ Bucket, Key: key, ContentType: mediaType, ContentLength: bytes, Body: Readable.from(stream()) },
        ...(isConditional && { IfNoneMatch: '*' }),
        Metadata: { ...metadata },
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
      await client.send(command, { abortSignal })
    },
    async head(key, abortSignal) {
      const object = await client.send(new HeadObjectCommand({ Bucket, Key: key }), { abortSignal })
      return { bytes: object.ContentLength ?? 0, metadata: object.Metadata ?? {} }
    },
    async page({ prefix, delimiter }, token, abortSignal) {
      const input = { Bucket, Prefix: prefix, Delimiter: delimiter, ContinuationToken: token }
      const page = wholePage(await client.send(new ListObjectsV2Command(input), { abortSignal }))
      const keys = (page.Contents ?? []).map(({ Key = '' }) => Key)
      const folders = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix)
      return { names: [...folders, ...keys], next: page.NextContinuationToken }
    },
    async read(key, part, abortSignal) {
      const range = part && { Range: `bytes=${part.from}-${part.to - 1}` }
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key, ...range }), { abortSignal })
      return (Body ?? Readable.from([])) as Readable // safe: the library returns other streams only in browsers
    },
    explain(error) {
      if (isWithoutCredentials(error))
        throw new SinkError(
          'transient', // the role of a machine may come later
          `No credentials for the bucket ${bucket}: set sink.credentials, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, or give this machine a role.`,
        )
      return explain(error)
    },
    close: () => client.destroy(),
  }
}

function explain(error: unknown): Explained {
  const status = statusOf(error)
  return { status, code: error instanceof Error ? error.name : '' }
}

/** Whether the library has searched all sources of credentials and found none. A source that failed gives another error. */
function isWithoutCredentials(error: unknown): boolean {
  return error instanceof Error && error.message === 'Could not load credentials from any providers'
}

function statusOf(error: unknown): number | undefined {
  const status =
    fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode') ?? fieldOf(fieldOf(error, '$response'), 'statusCode')
  return typeof status === 'number' ? status : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** An incomplete or foreign page is requested again, because segments that a listing lacks would be written twice. */
function wholePage(page: ListObjectsV2CommandOutput): ListObjectsV2CommandOutput {
  const { Contents = [], CommonPrefixes = [], KeyCount, IsTruncated, NextContinuationToken } = page
  const isCut = KeyCount !== undefined && KeyCount !== Contents.length + CommonPrefixes.length
  if (isCut || IsTruncated === undefined || IsTruncated !== (NextContinuationToken !== undefined)) {
    throw new SinkError('transient', 'The S3 endpoint answered a listing with an incomplete or foreign response.')
  }
  return page
}

/**
 * Limits what the library reads into memory: the responses to all requests, and the errors. The content of an object remains a
 * stream. A longer response is a SinkError (transient).
 */
function limitResponses(client: S3Client, title: string): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        // Safe: before the library decodes it, the result has the response of Node's HTTP client.
        const response = result.response as { statusCode: number; body: Readable }
        if (commandName === 'GetObjectCommand' && response.statusCode < 300) return result
        const body = await readAtMost(response.body, maxResponseBytes)
        if (!body) throw tooLongError(title)
        response.body = Readable.from([body])
        return result
      },
    { step: 'deserialize', priority: 'low' },
  )
}
