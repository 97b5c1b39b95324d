import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { SinkError } from '../../errors.ts'
import { readAtMost } from '../read-at-most.ts'

/** Maximum length of an answer, in MiB. A listing of 1,000 keys of 1,024 bytes, all escaped in XML, has less than 7. */
const maxAnswerMiB = 8

/**
 * Limits what the library reads into memory: the answers to all requests, and the errors. The content of an object remains a
 * stream. A longer answer is a SinkError (transient).
 */
export function limitAnswers(
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
