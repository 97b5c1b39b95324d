import { SinkError } from '../sink-error.ts'
import type { S3Place, S3Request } from './client.ts'
import { textOf } from './xml.ts'

/** Codes that stand for trouble on the way, though their status blames the request. */
const passing = new Set([
  'BadDigest',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
  'RequestTimeout',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])

const causes: Readonly<Record<number, string>> = {
  301: 'the bucket lies in another region; correct endpoint and region',
  307: 'it redirects to another address; name that one as endpoint',
  401: 'it wants other credentials',
  403: 'the credentials are wrong or lack a permission; reading, writing and listing below the prefix are needed',
  404: 'there is no such bucket',
  501: 'it does not know conditional PUT (If-None-Match), without which two workers could overwrite one another',
}

/** Reads an answer that is none of a success. The sentence has the code of the store, never the body, which may quote the request. */
export async function refusal(
  { endpoint, bucket }: S3Place,
  { method }: S3Request,
  response: Response,
): Promise<SinkError> {
  const code = textOf(await response.text().catch(() => ''), 'Code')
    ?.replace(/[^\w.-]/g, '')
    .slice(0, 60)
  const { status } = response
  const isPassing = passing.has(code ?? '') || status === 409 || status === 429 || (status >= 500 && status !== 501)
  const answer = `${status}${code ? ` ${code}` : ''}`
  const sentence = `The bucket ${bucket} at ${endpoint} answers a ${method} with ${answer}`
  const cause = isPassing ? undefined : causes[status]
  return new SinkError(isPassing ? 'transient' : 'permanent', cause ? `${sentence}: ${cause}.` : `${sentence}.`)
}
