import { createHash } from 'node:crypto'
import { SinkError } from '../sink-error.ts'
import type { S3Client, S3Place } from './client.ts'
import { listPage } from './objects.ts'

const probe = Buffer.from('Written by cdn-logs-exporter to see whether objects can be created conditionally.\n')
const body = {
  bytes: probe.length,
  sha256: createHash('sha256').update(probe).digest('hex'),
  async *stream() {
    yield probe
  },
}

/**
 * Creates one small object twice. The second PUT must be refused (412), or a worker that was stopped and wakes could overwrite
 * what another one has written since. The object stays, so that no permission to delete is needed.
 */
export async function checkConditionalPut(
  client: S3Client,
  place: S3Place,
  prefix: string,
  signal: AbortSignal,
): Promise<void> {
  const key = `${prefix}.cdn-logs-exporter-probe`
  const put = () => client({ method: 'PUT', key, headers: { 'if-none-match': '*' }, body, accepts: [412] }, signal)
  await put()
  if ((await put()).status !== 412) {
    throw new SinkError(
      'permanent',
      `The store at ${place.endpoint} ignores conditional PUT (If-None-Match): it has overwritten the object ${key} of the bucket ${place.bucket}; take a store or a version that knows it, else two workers could overwrite one another.`,
    )
  }
  await listPage(client, { prefix, 'max-keys': '1' }, signal)
  await client({ method: 'HEAD', key }, signal)
}
