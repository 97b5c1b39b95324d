import type { FetchWrapper } from '@cdn/api'

/** Ignores differences up to this size: a Date header has whole seconds, and a response takes time. */
const noiseMs = 3000

/**
 * Corrects the machine's clock by the Date header of the platform's responses. With a fast clock, windows would close before late
 * rows arrive. Every single response corrects the clock: a tail only shows rows, so a wrong Date costs one repeated read. The
 * exporter records what it has read, so its clock waits for a second response.
 *
 * @param local the machine's clock, in milliseconds since 1970
 * @returns the platform's time in the same unit, and the wrapper that reads the responses
 */
export function createTailClock(local: () => number) {
  let offset = 0
  const watch: FetchWrapper = (fetch) => async (input, init) => {
    const response = await fetch(input, init)
    const date = Date.parse(response.headers.get('Date') ?? '')
    const difference = date - local()
    if (!Number.isNaN(date)) offset = Math.abs(difference) > noiseMs ? difference : 0
    return response
  }
  return { now: () => local() + offset, watch }
}
