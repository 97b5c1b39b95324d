import type { Middleware } from '@cdn/api'

/** The platform's time, as far as its answers tell. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Reads the time of every answer. */
  readonly watch: Middleware
}

/** A Date header tells whole seconds, and an answer takes its time: less than this is no difference. */
const noiseMs = 3000

/**
 * Corrects a clock by the Date of the platform's answers: a clock that is fast would settle rows before they are due.
 *
 * @param local the machine's clock, in milliseconds since 1970
 */
export function createServerClock(local: () => number): ServerClock {
  let offset = 0
  return {
    now: () => local() + offset,
    watch: async (call, next) => {
      const outcome = await next(call)
      const date = Date.parse(outcome.response?.headers.get('Date') ?? '')
      const difference = date - local()
      if (!Number.isNaN(date)) offset = Math.abs(difference) > noiseMs ? difference : 0
      return outcome
    },
  }
}
