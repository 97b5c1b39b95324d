import { createHash } from 'node:crypto'
import { SinkError } from '../../errors.ts'
import type { Bucket } from './client.ts'
import { create, listFolders, type ObjectBody, toInput } from './objects.ts'

const text = Buffer.from('Written by cdn-logs-exporter to test whether objects can be created conditionally.\n')
const body: ObjectBody = {
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
  mediaType: 'text/plain',
  async *stream() {
    yield text
  },
}

/**
 * Creates one small object twice. The store must refuse the second PUT (412). Otherwise a suspended worker could resume and
 * overwrite newer segments. The object stays, so that the exporter needs no permission to delete.
 */
export async function checkConditionalPut(bucket: Bucket, prefix: string, signal: AbortSignal): Promise<void> {
  const key = `${prefix}.cdn-logs-exporter-probe`
  await create(bucket, key, body, signal)
  if (await create(bucket, key, body, signal)) {
    throw new SinkError(
      'permanent',
      `The store at ${bucket.place.endpoint} ignores conditional PUT (If-None-Match): it overwrote the object ${key} of the bucket ${bucket.place.bucket}. Use a store or a version that supports it; otherwise two workers could overwrite each other.`,
    )
  }
  await listFolders(bucket, prefix, signal)
  await toInput(bucket, { key, bytes: body.bytes }, signal).slice(0, 1)
}
