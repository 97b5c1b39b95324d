import { Readable } from 'node:stream'
import { type PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { ExporterConfigurationError, SinkError } from '../../errors.ts'
import { networkFailure, readAtMost, withRetries } from '../network.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface S3Place {
  /** `https://s3.eu-central-1.amazonaws.com`, or any other store. The bucket is part of the URL's path. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Called before each request, so that credentials can change at runtime. By default, the library finds and renews them. */
  readonly credentials?: (() => Promise<S3Credentials>) | undefined
  /** Settings of each PUT. */
  readonly put?: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId' | 'StorageClass'>
}

/** Sends one command with the library's client. */
export type SendCommand<T> = (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<T>

/** One bucket of a store. */
export interface Bucket {
  readonly place: S3Place
  /**
   * Sends a command, and repeats it after transient errors. All commands are idempotent: they read, or they PUT an object that must
   * not exist yet.
   *
   * @param send called for each attempt
   * @throws SinkError, or the signal's reason
   */
  request<T>(send: SendCommand<T>, signal: AbortSignal): Promise<T>
  close(): void
}

/** Time-out until the start of a response, in ms. The PUT of the largest object must fit into it. */
const answerMs = 300_000
/** Enough for one request per zone in a cycle, plus requests for metadata. */
const maxSockets = 128

/** Opens a bucket. The library's own retries are off, because a stream can be sent only once. */
export function openBucket(place: S3Place): Bucket {
  const { endpoint, region, credentials } = place
  const agent = { keepAlive: true, maxSockets, proxyEnv: process.env }
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    // These credentials expire immediately, so that the library does not cache them.
    ...(credentials && { credentials: async () => ({ ...(await credentials()), expiration: new Date() }) }),
    // Stores other than AWS may not support the library's checksums. The SHA-256 of the body is signed in any case.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Without a logger, the library writes to the console. The sink reports the errors itself.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: { httpAgent: agent, httpsAgent: agent },
  })
  limitAnswers(client, place)

  async function once<T>(send: SendCommand<T>, signal: AbortSignal): Promise<T> {
    const late = AbortSignal.timeout(answerMs)
    try {
      return await send(client, { abortSignal: AbortSignal.any([signal, late]) })
    } catch (error) {
      signal.throwIfAborted()
      throw failure(place, late.aborted ? `no response within ${answerMs / 1000} s` : error)
    }
  }

  return {
    place,
    close: () => client.destroy(),
    request: (send, signal) => withRetries(signal, () => once(send, signal)),
  }
}

/** Transient error codes with a 4xx status. */
const transientCodes = new Set([
  'BadDigest',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
  'RequestTimeout',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])

const causes: Readonly<Record<number, string>> = {
  301: 'the bucket is in another region; correct the endpoint and the region',
  307: 'it redirects to another address; use that one as the endpoint',
  401: 'the credentials are refused',
  403: 'the credentials are wrong or lack a permission; reading, writing and listing below the prefix are needed',
  404: 'the bucket does not exist',
  501: 'it does not support conditional PUT (If-None-Match), without which two workers could overwrite each other',
}

/**
 * Creates the SinkError for a failed request. The message has the error code of the store. It has no body and no cause, because
 * these may quote the request. A missing secret stays a configuration error.
 *
 * @param error thrown by the library, or the reason for a missing response
 */
export function failure(
  { endpoint, bucket }: { readonly endpoint: string; readonly bucket: string },
  error: unknown,
): Error {
  if (error instanceof SinkError || error instanceof ExporterConfigurationError) return error
  const status = statusOf(error)
  if (isWithoutCredentials(error))
    return new SinkError(
      'permanent',
      `No credentials for the bucket ${bucket}: set sink.credentials, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile, or give this machine a role.`,
    )
  if (status === undefined) {
    const why = typeof error === 'string' ? error : networkFailure(error)
    return new SinkError('transient', `The bucket ${bucket} at ${endpoint} cannot be reached (${why}).`)
  }
  // A success status here means that a proxy on the way answered.
  if (status < 300)
    return new SinkError('transient', `The bucket ${bucket} at ${endpoint} answered with something other than S3.`)
  const code = error instanceof Error ? error.name.replace(/[^\w.-]/g, '').slice(0, 60) : ''
  const isTransient = transientCodes.has(code) || status === 409 || status === 429 || (status >= 500 && status !== 501)
  const sentence = `The bucket ${bucket} at ${endpoint} answers ${status} ${code}`
  const cause = isTransient ? undefined : causes[status]
  return new SinkError(isTransient ? 'transient' : 'permanent', cause ? `${sentence}: ${cause}.` : `${sentence}.`)
}

/** Whether the library has searched all sources of credentials and found none. A source that failed gives another error. */
function isWithoutCredentials(error: unknown): boolean {
  return error instanceof Error && error.message === 'Could not load credentials from any providers'
}

/** The response status of a library error; undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  const status =
    fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode') ?? fieldOf(fieldOf(error, '$response'), 'statusCode')
  return typeof status === 'number' ? status : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Creates a handler that maps errors with a status to undefined: `promise.catch(unless(404))`. */
export function unless(status: number): (error: unknown) => undefined {
  return (error) => {
    if (statusOf(error) !== status) throw error
  }
}

/** Maximum length of an answer, in MiB. A listing of 1,000 keys of 1,024 bytes, all escaped in XML, has less than 7. */
const maxAnswerMiB = 8

/**
 * Limits what the library reads into memory: the answers to all requests, and the errors. The content of an object remains a
 * stream. A longer answer is a SinkError (transient).
 */
function limitAnswers(
  client: S3Client,
  { endpoint, bucket }: { readonly endpoint: string; readonly bucket: string },
): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        // Safe: before the library decodes it, the result has the answer of Node's HTTP client.
        const response = result.response as { statusCode: number; body: Readable }
        if (commandName === 'GetObjectCommand' && response.statusCode < 300) return result
        const body = await readAtMost(response.body, maxAnswerMiB * 2 ** 20)
        if (!body) {
          const sentence = `The bucket ${bucket} at ${endpoint} sent an answer of more than ${maxAnswerMiB} MiB.`
          throw new SinkError('transient', sentence)
        }
        response.body = Readable.from([body])
        return result
      },
    { step: 'deserialize', priority: 'low' },
  )
}
