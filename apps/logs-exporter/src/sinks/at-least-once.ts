import { createDigest } from '../formats/format.ts'
import type { Lines } from '../rows/encoder.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentWriter, Sink } from './sink.ts'

/** A segment on its way to a receiver that cannot be read back. */
export interface Passing {
  /** Sends lines. Resolves when the receiver accepts more. */
  pass(lines: Lines): Promise<void>
  /** Resolves when all lines have arrived. @returns the number of rows that the receiver permanently refused */
  end(): Promise<number>
}

/**
 * A sink that stores no segments. Lines are sent as they are written. If a window is repeated, its lines are sent again
 * (at-least-once, with `requestId` as the key).
 *
 * @param begin starts the transmission of a segment
 */
export function passOn(sink: Pick<Sink, 'name' | 'check' | 'close'>, begin: (signal: AbortSignal) => Passing): Sink {
  return {
    ...sink,
    guarantee: 'at-least-once',
    async begin(window, revision, source, signal) {
      const passing = begin(signal)
      const digest = createDigest()
      let size = 0
      const writer: SegmentWriter = {
        async write(lines) {
          signal.throwIfAborted()
          digest.update(lines.bytes, lines.rows)
          size += lines.bytes.length
          await passing.pass(lines)
        },
        async publish() {
          signal.throwIfAborted()
          const refused = await passing.end()
          const segment: Segment = { ...window, revision, source, ...digest.content(), bytes: size }
          return { outcome: 'published', segment, refused }
        },
        async discard() {},
      }
      return writer
    },
    async *segments() {},
    // biome-ignore lint/correctness/useYield: there is nothing to read
    async *read(segment) {
      throw new Error(`The sink ${sink.name} stores no segments, so zone ${segment.zone} cannot be read`)
    },
    async *zones() {},
  }
}
