import type { FetchWrapper } from '@cdn/api'

/** The platform's time, according to its responses. */
export interface TailClock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Reads the time of every response. */
  readonly watch: FetchWrapper
}

/** Maximum difference to ignore: a Date header has whole seconds, and a response takes time. */
const noiseMs = 3000

/**
 * Corrects a clock by the Date of the platform's responses: with a fast clock, windows would close before late rows arrive.
 * Every response counts at once: a tail shows rows, and a wrong Date costs a repeated read. The exporter's clock, which decides what
 * is recorded as read, waits for a second response.
 *
 * @param local the machine's clock, in milliseconds since 1970
 */
export function createTailClock(local: () => number): TailClock {
  let offset = 0
  return {
    now: () => local() + offset,
    watch: (fetch) => async (input, init) => {
      const response = await fetch(input, init)
      const date = Date.parse(response.headers.get('Date') ?? '')
      const difference = date - local()
      if (!Number.isNaN(date)) offset = Math.abs(difference) > noiseMs ? difference : 0
      return response
    },
  }
}
