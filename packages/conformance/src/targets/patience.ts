import { toRequest } from '../core/to-request.ts'

/** Maximum time for an answer with its body, in milliseconds. */
const answerTimeoutMs = 30_000

/** Maximum time until an answer begins, in milliseconds. */
const patienceMs = 20_000
/** Number of consecutive time-outs after which the target counts as silent. */
const silentAfter = 3
/**
 * Time-out while the target is silent, in milliseconds, until it answers again. With the normal time-out, a run against a
 * silent target would take hours.
 */
const silentPatienceMs = 500

/** The time-outs. Tests change them. */
export interface PatienceOptions {
  readonly patienceMs?: number
  readonly silentAfter?: number
  readonly silentPatienceMs?: number
}

/**
 * Adds a time-out to `fetch`. The time-out is shorter while the target is silent.
 *
 * @returns a fetch that throws `no answer within ...` if no answer begins in time
 */
export function withPatience(send: typeof fetch, options: PatienceOptions = {}): typeof fetch {
  const figures = { patienceMs, silentAfter, silentPatienceMs, ...options }
  let silent = 0
  return async (input, init) => {
    const request = toRequest(input, init)
    const ms = silent < figures.silentAfter ? figures.patienceMs : figures.silentPatienceMs
    const giveUp = new AbortController()
    const timer = setTimeout(() => giveUp.abort(), ms)
    try {
      const response = await send(request, { signal: AbortSignal.any([giveUp.signal, request.signal]) })
      silent = 0
      return response
    } catch (error) {
      if (!giveUp.signal.aborted || request.signal.aborted) throw error
      silent++
      // The error has no cause, because the cause would only repeat that the request was aborted.
      throw new Error(`no answer within ${ms} ms`)
    } finally {
      clearTimeout(timer)
    }
  }
}

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
