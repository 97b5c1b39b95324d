import { defined } from '@cdn/kit/defined'
import { createDigest } from '../../src/formats/format.ts'
import { bySegment, type Segment, type SegmentId, segmentName, type Window } from '../../src/segments/segment.ts'
import { refuseOverlap, type Sink } from '../../src/sinks/sink.ts'
import type { Exported } from './oracle.ts'

/** A sink in memory, for simulations. It works like the files sink, but needs no disk. */
export interface MemorySink extends Sink {
  exported(zone: string): Exported[]
  rows(): number
  /** Deletes a segment, as an operator may do. */
  remove(segment: SegmentId): void
}

interface Stored {
  readonly segment: Segment
  readonly lines: readonly Uint8Array[]
}

/** @param keep whether to store lines. Without them, segments cannot be read back, and only their counts are known */
export function createMemorySink({ keep = true } = {}): MemorySink {
  const byZone = new Map<string, Map<string, Stored>>()
  let rows = 0
  const storedOf = (zone: string) => {
    const stored = byZone.get(zone) ?? new Map<string, Stored>()
    byZone.set(zone, stored)
    return stored
  }
  async function* list({ zone, from, to }: Window): AsyncGenerator<Segment, void, void> {
    const all = [...storedOf(zone).values()].map(({ segment }) => segment)
    yield* all.filter((segment) => segment.to > from && segment.from < to).sort(bySegment)
  }
  return {
    name: 'memory',
    async check() {},
    async begin(id, signal) {
      const digest = createDigest()
      const lines: Uint8Array[] = []
      let bytes = 0
      return {
        async write(written) {
          signal.throwIfAborted()
          digest.update(written.bytes, written.rows)
          bytes += written.bytes.length
          if (keep) lines.push(written.bytes)
        },
        async publish() {
          signal.throwIfAborted()
          const segment: Segment = { ...id, ...digest.content(), source: 'v2', bytes }
          const stored = storedOf(id.zone)
          const name = segmentName(segment, '')
          refuseOverlap(
            segment,
            [...stored.values()].map((each) => each.segment),
          )
          const first = stored.get(name)
          if (first)
            return {
              outcome: first.segment.sha256 === segment.sha256 ? 'published' : 'conflict',
              segment: first.segment,
            }
          stored.set(name, { segment, lines })
          rows += segment.rows
          return { outcome: 'published', segment }
        },
        async discard() {},
      }
    },
    list,
    segments: list,
    async *read(segment) {
      yield* defined(storedOf(segment.zone).get(segmentName(segment, ''))).lines
    },
    async *zones() {
      yield* byZone.keys()
    },
    async close() {},
    exported: (zone) =>
      [...storedOf(zone).values()].map(({ segment: { from, to, revision }, lines }) => ({
        zone,
        from,
        to,
        revision,
        lines: Buffer.concat(lines).toString().split('\n').filter(Boolean),
      })),
    rows: () => rows,
    remove: (segment) => void storedOf(segment.zone).delete(segmentName(segment, '')),
  }
}
