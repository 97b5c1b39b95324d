import { createHash, randomUUID } from 'node:crypto'
import { SinkError } from '../../errors.ts'
import type { NewObject, ObjectStore } from './store.ts'

/** Length of a mark: a UUID. */
const markBytes = 36

/**
 * Creates a check that another exporter writes a zone, for stores that cannot refuse it. An object per zone names the process that
 * wrote last. A process that finds the mark of another one leaves its own and stops for a moment; the other one finds that at its
 * next window. The first mark that a process finds may be of its predecessor.
 *
 * @returns a function that throws a SinkError (overlap) if another process has written the zone since the last call
 */
export function createMark(objects: ObjectStore, prefix: string): (zone: string, signal: AbortSignal) => Promise<void> {
  const own = randomUUID()
  const known = new Set<string>()
  return async (zone, signal) => {
    const key = `${prefix}.cdn-logs-exporter-writers/${zone}`
    const found =
      (await objects.head(key, signal)) &&
      Buffer.from(await objects.open(key, markBytes, signal).slice(0, markBytes)).toString()
    if (found === own) return
    await objects.create(smallObject(key, own, false), signal)
    if (known.has(zone))
      throw new SinkError(
        'overlap',
        `Another exporter writes zone ${zone} to ${objects.title}, which cannot refuse one of the two (sink.exclusive: one writer): stop one of them, and run verify.`,
      )
    known.add(zone)
  }
}

/** An object with a short text. */
export function smallObject(key: string, text: string, isConditional: boolean): NewObject {
  const bytes = Buffer.from(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const stream = async function* () {
    yield bytes
  }
  return { key, bytes: bytes.length, sha256, mediaType: 'text/plain', metadata: {}, isConditional, stream }
}
