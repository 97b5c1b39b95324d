import { createHash } from 'node:crypto'
import type { NewObject } from './store.ts'

/** An object with a short text. */
export function smallObject(key: string, text: string, isConditional: boolean): NewObject {
  const bytes = Buffer.from(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stream = async function* () {
    yield bytes
  }
  return { key, bytes: bytes.length, sha256, mediaType: 'text/plain', metadata: {}, isConditional, stream }
}
