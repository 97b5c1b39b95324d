import { ExporterConfigurationError, SinkError } from '../../errors.ts'
import { networkFailure } from '../network-failure.ts'

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
