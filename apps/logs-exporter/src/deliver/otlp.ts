import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { encodeRequest, refusedRecords } from './otlp-records.ts'
import { createPost, type PostPlace } from './post.ts'
import type { Receiver } from './receiver.ts'

const gzip = promisify(gzipWithCallback)
const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }

/**
 * Sends log records to a collector, by OTLP over HTTP in protobuf. OTLP has no keys. A collector may refuse some records of a
 * request without naming them; OTLP forbids to send them again, so they are only counted.
 *
 * @param endpoint base URL of the collector; `v1/logs` is appended
 */
export function createOtlpReceiver(endpoint: string, place: Omit<PostPlace, 'url'>): Receiver {
  const post = createPost({ ...place, url: `${endpoint.replace(/\/+$/, '')}/v1/logs` })
  async function send(lines: string, signal: AbortSignal): Promise<number> {
    const response = await post(Uint8Array.from(await gzip(encodeRequest(lines, Date.now()))), headers, signal)
    return response.headers.get('content-type')?.includes('protobuf') ? refusedRecords(response.body) : 0
  }
  return {
    check: async (signal) => void (await send('', signal)),
    send: async ({ bytes }, signal) => ({ refused: await send(bytes.toString(), signal), rejects: [] }),
  }
}
