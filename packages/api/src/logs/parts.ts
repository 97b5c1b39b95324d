import { link } from '../watch.ts'
import { type Ask, createAsk, type Walk } from './ask.ts'
import type { Budget, Grant } from './budget.ts'
import type { Cut } from './cut-rows.ts'
import type { RowBatch } from './row-batch.ts'
import type { Source } from './source.ts'
import { none, type Pace, type Part, type Reached, readStart } from './walk.ts'

/**
 * How many parts of a range are read at once: one after the other, requests would be too slow to use up the rate limit.
 * Where an answer takes 0.4 to 0.9 s, two use 92 % of it, three the 94 % that are possible (tests, on virtual time). Each
 * more holds another page in memory, so there are two where pages are large.
 */
const [parallel, parallelLarge] = [3, 2]
const largeBytes = 2 ** 22

/** A part whose first page is asked for, or waits for its turn. */
interface Lane {
  readonly to: number
  readonly page: Promise<Reached>
  readonly held: { grant: Grant | undefined }
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
  let { from } = walk
  let seen = none
  let pageBytes = 0
  const open = (part: Part, grant?: Grant): Lane => {
    const held = { grant }
    const askWithin: Ask = async (start, end, options) => {
      held.grant ??= await budget.reserve({ pullZoneId, ms: end - start }, controller.signal)
      const { grant } = held
      const page = await ask(start, end, { ...options, rows: grant.rows, room: grant.room })
      pageBytes = page.bytes.length
      const covered = page.hasMore ? (page.times.at(-1) ?? start) : end
      grant.settle({ bytes: pageBytes, rows: page.times.length, ms: covered - start })
      return page
    }
    const page = readStart(askWithin, walk, part, pace)
    page.catch(() => {}) // it is awaited when its turn comes
    return { to: part.to, page, held }
  }
  const drop = ({ page, held }: Lane) => page.catch(() => {}).finally(() => held.grant?.release())
  const fill = () => {
    while (lanes.length < (pageBytes > largeBytes ? parallelLarge : parallel) && from < walk.to) {
      const to = Math.min(walk.to, from + pace.span)
      const grant = lanes.length > 0 ? budget.reserveAhead({ pullZoneId, ms: to - from }) : undefined
      if (lanes.length > 0 && !grant) break
      lanes.push(open({ from, to, seen }, grant))
      from = to
      seen = none
    }
  }
  try {
    for (fill(); lanes[0]; fill()) {
      const [{ to, page, held }] = lanes
      const { batch, seen: shown } = await page
      if (to - batch.end > pace.span) {
        // It turns out to hold more pages than was thought: what is left of it, and those after it, become shorter parts.
        lanes.splice(1).forEach(drop)
        from = batch.end
        seen = shown
      } else if (to > batch.end) lanes.splice(1, 0, open({ from: batch.end, to, seen: shown }))
      const { grant } = held
      held.grant = undefined
      fill()
      try {
        yield batch
      } finally {
        grant?.release(batch.bytes.buffer)
      }
      lanes.shift()
    }
  } finally {
    unlink()
    controller.abort()
    lanes.forEach(drop)
  }
}
