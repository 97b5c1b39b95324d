import { setTimeout as sleep } from 'node:timers/promises'
import { type PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { SinkError } from '../../errors.ts'
import { failure } from './failure.ts'
import { limitAnswers } from './limit-answers.ts'

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

/** Attempts per request. If all fail, the exporter waits and repeats the window. */
const maxAttempts = 4
const firstPauseMs = 200
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
    async request(send, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(send, signal)
        } catch (error) {
          if (!(error instanceof SinkError) || error.kind !== 'transient' || attempt === maxAttempts) throw error
          await sleep(Math.random() * firstPauseMs * 2 ** attempt, undefined, { signal })
        }
      }
    },
  }
}
