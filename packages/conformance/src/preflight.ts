import { ConfigurationError, reasonOf } from './failure.ts'

/** A target that has not answered by then counts as silent. */
const patienceMs = 10_000
/** How many requests a preflight sends. */
export const preflightRequests = 2

/**
 * Makes sure that something answers at a live target's URLs, before anything depends on it. Sends one GET without a
 * credential to each base URL; any HTTP answer will do.
 *
 * @param interruption ends it early, without a word
 * @throws ConfigurationError naming the interface, the URL and the reason
 */
export async function preflight(
  urls: { management: string; logging: string },
  interruption: AbortSignal,
): Promise<void> {
  await Promise.all(Object.entries(urls).map(([name, url]) => reach(name, url, interruption)))
}

async function reach(name: string, url: string, interruption: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(patienceMs)])
  try {
    const response = await fetch(url, { redirect: 'manual', signal })
    await response.body?.cancel()
  } catch (error) {
    if (interruption.aborted) return
    const silent = error instanceof Error && error.name === 'TimeoutError'
    const reason = silent ? `no answer within ${patienceMs / 1_000} s` : reasonOf(error)
    throw new ConfigurationError(`The ${name} interface cannot be reached at ${url}: ${reason}.`)
  }
}
