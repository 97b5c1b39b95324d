import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { networkFailure } from '../network-failure.ts'
import { SinkError } from '../sink-error.ts'
import { refusal } from './refusal.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface S3Place {
  /** `https://s3.eu-central-1.amazonaws.com`, or that of any other store; buckets are addressed in the path. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Asked before each request, so that credentials may be replaced while it runs. */
  credentials(): Promise<S3Credentials>
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT'
  /** The object; the bucket itself where absent. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Called anew for each attempt. */
  readonly body?: { readonly bytes: number; readonly sha256: string; stream(): AsyncIterable<Uint8Array> }
  /** Answers that are none of a success, but are expected. */
  readonly accepts?: readonly number[]
}

/**
 * Sends a request, again where that may help. Each of them may be repeated: reads, and a PUT that only creates.
 *
 * @throws SinkError, or the signal's reason
 */
export type S3Client = (request: S3Request, signal: AbortSignal) => Promise<Response>

/** Attempts at a request; beyond them the exporter waits, and begins the window anew. */
const attempts = 4
const firstPauseMs = 200
/** An answer must begin in this time; a PUT of the largest object included. */
const answerMs = 300_000
const noBytes = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A client of one bucket. */
export function createS3Client(place: S3Place): S3Client {
  const cache = new Map<string, ArrayBuffer>()

  async function once(request: S3Request, signal: AbortSignal): Promise<Response> {
    const { method, key = '', query = {}, headers = {}, body, accepts = [] } = request
    const path = [place.bucket, ...key.split('/')].map(encodeURIComponent).join('/')
    const url = `${place.endpoint.replace(/\/+$/, '')}/${path}?${new URLSearchParams(query)}`.replace(/\?$/, '')
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? noBytes },
      service: 's3',
      region: place.region,
      cache,
      ...(await place.credentials()),
    })
    const signed = await signer.sign()
    if (body) signed.headers.set('content-length', String(body.bytes))
    const ended = AbortSignal.timeout(answerMs)
    try {
      const response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, ended]),
        ...(body && { body: Readable.toWeb(Readable.from(body.stream())) as ReadableStream, duplex: 'half' }),
      })
      if (response.ok || accepts.includes(response.status)) return response
      throw await refusal(place, request, response)
    } catch (error) {
      signal.throwIfAborted()
      throw unreachable(place, error, ended.aborted)
    }
  }

  return (request, signal) => insist(() => once(request, signal), signal)
}

/** Does something again where it failed and that may pass. @throws SinkError, or the signal's reason */
export async function insist<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof SinkError) || error.kind !== 'transient' || attempt === attempts) throw error
      await sleep(Math.random() * firstPauseMs * 2 ** attempt, undefined, { signal })
    }
  }
}

/** What the network did; errors of this sink stay as they are. */
export function unreachable({ endpoint, bucket }: S3Place, error: unknown, isLate = false): unknown {
  if (error instanceof SinkError) return error
  const why = isLate ? `no answer in ${answerMs / 1000} s` : networkFailure(error)
  return new SinkError('transient', `The bucket ${bucket} at ${endpoint} cannot be reached (${why}).`)
}
