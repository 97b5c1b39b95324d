/** A request that gets no answer at all is given up after this long, in milliseconds. */
const patienceMs = 20_000
/** After so many of them in a row the target counts as silent. */
const silentAfter = 3
/** A silent target is given so long, in milliseconds, until it answers again: or a run would take hours to say so. */
const silentPatienceMs = 500

/** The figures, for tests. */
export interface PatienceOptions {
  readonly patienceMs?: number
  readonly silentAfter?: number
  readonly silentPatienceMs?: number
}

/**
 * A fetch that loses its patience with a target that keeps silent.
 *
 * @returns throws `no answer within ...` where none begins in time
 */
export function withPatience(send: typeof fetch, options: PatienceOptions = {}): typeof fetch {
  const figures = { patienceMs, silentAfter, silentPatienceMs, ...options }
  let silent = 0
  return async (input, init) => {
    const request = new Request(input, init)
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
      // The cause would say no more than that it was aborted.
      throw new Error(`no answer within ${ms} ms`)
    } finally {
      clearTimeout(timer)
    }
  }
}
