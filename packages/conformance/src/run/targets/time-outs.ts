import { toRequest } from '../../exchange/requested-operation.ts'

/** The time-outs of a target, in ms. */
const usual = {
  /** Maximum time for a response with its body. */
  responseMs: 30_000,
  /** Maximum time until a response begins. */
  firstByteMs: 20_000,
  /** Number of consecutive time-outs after which the target counts as silent, until it answers again. */
  silentAfter: 3,
  /** Maximum time until a response of a silent target begins. With the usual time, a run against it would take hours. */
  silentMs: 500,
}

/**
 * Adds time-outs to `fetch`. They start when the request is sent; earlier time in a queue does not count.
 *
 * @param options other time-outs, for tests
 * @returns a fetch that throws `no response within ...` if no response begins in time
 */
export function withTimeOuts(send: typeof fetch, options: Partial<typeof usual> = {}): typeof fetch {
  const { responseMs, firstByteMs, silentAfter, silentMs } = { ...usual, ...options }
  let silent = 0
  return async (input, init) => {
    const request = toRequest(input, init)
    const ms = silent < silentAfter ? firstByteMs : silentMs
    const giveUp = new AbortController()
    const timer = setTimeout(() => giveUp.abort(), ms)
    try {
      const signal = AbortSignal.any([giveUp.signal, request.signal, AbortSignal.timeout(responseMs)])
      const response = await send(request, { signal })
      silent = 0
      return response
    } catch (error) {
      if (!giveUp.signal.aborted || request.signal.aborted) throw error
      silent++
      // The error has no cause, because the cause would only repeat that the request was aborted.
      throw new DOMException(`no response within ${ms} ms`, 'TimeoutError')
    } finally {
      clearTimeout(timer)
    }
  }
}
