import { link } from '../watch.ts'
import { createAsk, type Walk } from './ask.ts'
import type { Batch } from './row.ts'
import type { Source } from './source.ts'
import { type Pace, type Part, walkPart } from './walk.ts'

/** How many parts of a range are read at once: one after the other, requests would be too slow to use up the rate limit;
 * three of them do even where an answer takes 0.9 s. Each more holds another page in memory. */
const parallel = 3

/** A part that is being read, one batch ahead. */
interface Lane {
  readonly part: Part
  readonly batches: AsyncGenerator<Batch, void, void>
  next: Promise<IteratorResult<Batch, void>>
}

/**
 * Walks a range in parts, several at a time, and hands them out in order. Each part is as long as a page is thought to
 * reach, by the pages before it; a range of one page costs one request. No part is read further than a page ahead of what
 * is taken, so memory is bounded and a slow reader slows the requests.
 *
 * @returns whole milliseconds, in order, each row once; who leaves early ends the requests under way
 * @throws what `ask` rejects with
 */
export async function* walkParts(source: Source, walk: Walk): AsyncGenerator<Batch, void, void> {
  const { controller, unlink } = link(source.signal)
  const ask = createAsk({ ...source, signal: controller.signal }, walk)
  const pace: Pace = { span: Number.POSITIVE_INFINITY, growth: 2, hasMore: false }
  const lanes: Lane[] = []
  let from = walk.from
  let seen: Part['seen'] = { times: [] }
  const ahead = (batches: AsyncGenerator<Batch, void, void>) => {
    const next = batches.next()
    next.catch(() => {}) // it is awaited when its turn comes
    return next
  }
  const fill = () => {
    while (lanes.length < parallel && from < walk.to) {
      const part: Part = { from, to: Math.min(walk.to, from + pace.span), seen }
      const batches = walkPart(ask, walk, part, pace)
      lanes.push({ part, batches, next: ahead(batches) })
      from = part.to
      seen = { times: [] }
    }
  }
  try {
    for (fill(); lanes[0]; fill()) {
      const [lane] = lanes
      const { value, done } = await lane.next
      if (done) {
        lanes.shift()
        continue
      }
      const { part } = lane
      // The last part turns out to be longer than it was thought to be: what is left of it becomes several.
      if (lanes.length === 1 && part.to - value.end > pace.span) {
        from = value.end
        seen = part.seen
        part.to = value.end
      }
      lane.next = ahead(lane.batches)
      fill()
      yield value
    }
  } finally {
    unlink()
    controller.abort()
  }
}
