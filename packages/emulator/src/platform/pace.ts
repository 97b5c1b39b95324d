import { setImmediate } from 'node:timers/promises'

/** Length of a slice of work in milliseconds. The figure is our choice. */
const sliceMs = 5

/** Queue of waiting requests. Each iteration of the event loop runs one slice, regardless of how many requests wait. */
let queue: Promise<unknown> = Promise.resolve()

/**
 * Divides the long work of one request into slices. The first slice starts now.
 *
 * @returns a function to await between two steps of the work: once the current slice has used its time, other requests run first
 */
export function createPace(): () => Promise<void> {
  let start = performance.now()
  return async () => {
    if (performance.now() - start < sliceMs) return
    queue = queue.then(() => setImmediate())
    await queue
    start = performance.now()
  }
}

/**
 * Yields the parts of a body and lets other requests run in between.
 *
 * @param parts the parts; an empty part only marks a point at which other requests can run, and is not yielded
 */
export async function* paced(parts: Iterable<string>): AsyncGenerator<string> {
  const pause = createPace()
  for (const part of parts) {
    if (part !== '') yield part
    await pause()
  }
}
