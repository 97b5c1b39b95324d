import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf, SuiteConfigurationError } from '../core/failure.ts'
import { parseOrUndefined } from '../core/read-json.ts'
import { readTextStart } from '../recording/recorder.ts'

/** An answer to a request of the preflight. */
export interface PreflightResponse {
  readonly status: number
  readonly location: string | undefined
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown
}

/** Sends the harmless requests of a preflight, and measures the offset of the target's clock. */
export interface Prober {
  get(url: URL, headers?: Readonly<Record<string, string>>): Promise<PreflightResponse>
  /** Number of requests that were sent. */
  requests(): number
  /**
   * How far the target's clock is ahead of the local clock, in ms, according to its `Date` headers. 0 if the difference
   * is within the precision of the headers.
   */
  clockOffsetMs(): number
}

export interface ProberOptions {
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Maximum time for an answer, in ms. After this time, the target counts as silent. */
const patienceMs = 10_000
/** A `Date` header has a precision of one second, and an answer takes some time. */
const clockPrecisionMs = 3_000
/** Number of attempts. An unexpected answer counts only if the last attempt gets it. */
const attempts = 4
/** Pause before the second attempt, in ms. It doubles for each further attempt. */
const pauseMs = 100
/** Maximum length of a body that is read, in characters. It is enough to recognise the server. */
const maxBody = 1_000_000

export function createProber({ fetch: send, now, signal }: ProberOptions): Prober {
  const offsets: number[] = []
  let requests = 0
  return {
    requests: () => requests,
    clockOffsetMs() {
      const middle = offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? 0
      return Math.abs(middle) <= clockPrecisionMs ? 0 : middle
    },
    async get(url, headers = {}) {
      for (let attempt = 1; ; attempt++) {
        const answer = await once(url, headers).catch((error) => {
          if (signal.aborted || attempt === attempts) throw error
          return undefined
        })
        // A wrong set-up gives the same answer each time; a transient error does not.
        if (answer && (attempt === attempts || !isOdd(answer))) return answer
        await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal })
      }
    },
  }

  async function once(url: URL, headers: Readonly<Record<string, string>>): Promise<PreflightResponse> {
    requests++
    const sentAt = now()
    const silence = AbortSignal.timeout(patienceMs)
    const init = { headers, redirect: 'manual', signal: AbortSignal.any([signal, silence]) } as const
    try {
      const response = await send(url, init)
      const date = Date.parse(response.headers.get('date') ?? '')
      // The header has whole seconds, so the true time is half a second later on average.
      if (!Number.isNaN(date)) offsets.push(date + 500 - (sentAt + now()) / 2)
      const text = await readTextStart(response, maxBody)
      const location = response.headers.get('location') ?? undefined
      return { status: response.status, location, json: parseOrUndefined(text) }
    } catch (error) {
      if (signal.aborted) throw error
      throw new SuiteConfigurationError(silence.aborted ? `no answer within ${patienceMs / 1_000} s` : explain(error))
    }
  }
}

/** Explains why no answer came. A server without HTTP/1.1 refuses the protocol that Node's `fetch` speaks. */
function explain(error: unknown): string {
  const reason = reasonOf(error)
  return /no application protocol/i.test(reason) ? 'it answers HTTP/2 only, and HTTP/1.1 is needed' : reason
}

function isOdd({ status, json }: PreflightResponse): boolean {
  return status >= 500 || (status >= 300 && status < 400) || (status === 200 && json === undefined)
}
