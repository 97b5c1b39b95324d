import { setImmediate } from 'node:timers/promises'

/** Divides long work into slices. Other requests are served between two slices. */
export interface WorkPace {
  /** Whether the current slice has used its time. */
  isDue(): boolean
  /** Lets other requests run. The next slice starts when the promise resolves. */
  rest(): Promise<void>
}

/** Length of a slice in milliseconds. The figure is our choice. */
const sliceMs = 5

/** Number of rows between two checks of the time. A check takes longer than the work for one row. */
export const rowsPerCheck = 32

/** Queue of waiting requests. Each iteration of the event loop runs one slice, regardless of how many requests wait. */
let queue: Promise<unknown> = Promise.resolve()

/** Creates the pace of one request. The first slice starts now. */
export function createPace(): WorkPace {
  let start = performance.now()
  return {
    isDue: () => performance.now() - start >= sliceMs,
    async rest() {
      queue = queue.then(() => setImmediate())
      await queue
      start = performance.now()
    },
  }
}

/**
 * Yields the parts of a body and lets other requests run in between.
 *
 * @param parts the parts; an empty part only marks a point at which other requests can run, and is not yielded
 */
export async function* paced(parts: Iterable<string>): AsyncGenerator<string> {
  const pace = createPace()
  for (const part of parts) {
    if (part !== '') yield part
    if (pace.isDue()) await pace.rest()
  }
}
