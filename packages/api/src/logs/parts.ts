import { link } from '../watch.ts'
import { type Ask, type Cut, createAsk, type Walk } from './ask.ts'
import type { Budget, Grant } from './budget.ts'
import type { RowBatch } from './row-batch.ts'
import type { Source } from './source.ts'
import { none, type Pace, type Part, walkPart } from './walk.ts'

/**
 * How many parts of a range are read at once: one after the other, requests would be too slow to use up the rate limit.
 * Where an answer takes 0.4 to 0.9 s, two use 92 % of it, three the 94 % that are possible (tests, on virtual time). Each
 * more holds another page in memory, so there are two where pages are large.
 */
const [parallel, parallelLarge] = [3, 2]
const largeBytes = 2 ** 22

/** A part that is being read, one batch ahead. */
interface Lane {
  readonly part: Part
  readonly batches: AsyncGenerator<RowBatch, void, void>
  /** For the page that is asked for, or waits in `next`. */
  readonly held: { grant: Grant | undefined }
  next: Promise<IteratorResult<RowBatch, void>>
}

/**
 * Walks a range in parts, several at a time, and hands them out in order. Each part is as long as a page is thought to
 * reach, by the pages before it; a range of one page costs one request. No part is read further than a page ahead of what
 * is taken, so memory is bounded and a slow reader slows the requests.
 *
 * @returns whole milliseconds, in order, each row once; who leaves early ends the requests under way
 * @throws what `ask` rejects with
 */
export async function* walkParts(
  source: Source,
  walk: Walk,
  cut: Cut,
  budget: Budget,
): AsyncGenerator<RowBatch, void, void> {
  const { pullZoneId } = walk
  const { controller, unlink } = link(source.signal)
  const ask = createAsk({ ...source, signal: controller.signal }, walk, cut)
  const pace: Pace = { span: Number.POSITIVE_INFINITY, growth: 2, hasMore: false }
  const lanes: Lane[] = []
  let from = walk.from
  let seen = none
  let pageBytes = 0
  const ahead = (batches: Lane['batches']) => {
    const next = batches.next()
    next.catch(() => {}) // it is awaited when its turn comes
    return next
  }
  const open = (grant: Grant | undefined) => {
    const part: Part = { from, to: Math.min(walk.to, from + pace.span), seen }
    const held = { grant }
    const askWithin: Ask = async (start, end, options) => {
      held.grant ??= await budget.reserve({ pullZoneId, ms: end - start }, controller.signal)
      const page = await ask(start, end, { ...options, rows: held.grant.rows, room: held.grant.room })
      pageBytes = page.bytes.length
      const covered = page.hasMore ? (page.times.at(-1) ?? start) : end
      held.grant.settle({ bytes: pageBytes, rows: page.times.length, ms: covered - start })
      return page
    }
    const batches = walkPart(askWithin, walk, part, pace)
    lanes.push({ part, batches, held, next: ahead(batches) })
    from = part.to
    seen = none
  }
  const drop = ({ next, held }: Lane) => next.catch(() => {}).finally(() => held.grant?.release())
  const fill = () => {
    while (lanes.length < (pageBytes > largeBytes ? parallelLarge : parallel) && from < walk.to) {
      const grant =
        lanes.length > 0 ? budget.reserveAhead({ pullZoneId, ms: Math.min(walk.to - from, pace.span) }) : undefined
      if (lanes.length > 0 && !grant) break
      open(grant)
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
      // It turns out to hold more pages than was thought: what is left of it, and those after it, become shorter parts.
      if (part.to - value.end > pace.span) {
        from = value.end
        seen = part.seen
        part.to = value.end
        lanes.splice(1).forEach(drop)
      }
      const { grant } = lane.held
      lane.held.grant = undefined
      lane.next = ahead(lane.batches)
      fill()
      try {
        yield value
      } finally {
        grant?.release(value.bytes.buffer)
      }
    }
  } finally {
    unlink()
    controller.abort()
    lanes.forEach(drop)
  }
}
