import { createDigest } from '../formats/digest.ts'
import type { Lines } from '../rows/encoder.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentWriter, Sink } from './sink.ts'

/** A segment on its way to where lines are gone once they are passed on. */
export interface Passing {
  /** Passes lines on. Resolves when there is room for more. */
  pass(lines: Lines): Promise<void>
  /** Resolves when everything passed on has arrived. @returns how many rows the receiver would not take, and never will */
  end(): Promise<number>
}

/**
 * A sink that keeps no segments: lines go out as they are written, and once more where a window is begun again (§7 of the
 * design: at least once, `requestId` as key).
 *
 * @param begin opens the way of one segment
 */
export function passOn(sink: Pick<Sink, 'name' | 'check' | 'close'>, begin: (signal: AbortSignal) => Passing): Sink {
  return {
    ...sink,
    guarantee: 'at-least-once',
    async begin(window, revision, source, _epoch, signal) {
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
      throw new Error(`The sink ${sink.name} has kept nothing of zone ${segment.zone}`)
    },
    async *zones() {},
  }
}
