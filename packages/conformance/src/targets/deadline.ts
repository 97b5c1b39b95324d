/** Maximum time for an answer with its body, in milliseconds. */
const answerTimeoutMs = 30_000

/**
 * Limits the time of each answer. The time starts when the request is sent; earlier time in a queue does not count.
 *
 * @returns a fetch that rejects with a TimeoutError after 30 s
 */
export function withDeadline(send: typeof fetch): typeof fetch {
  return (input, init) => {
    const signals = [AbortSignal.timeout(answerTimeoutMs), ...(init?.signal ? [init.signal] : [])]
    return send(input, { ...init, signal: AbortSignal.any(signals) })
  }
}
