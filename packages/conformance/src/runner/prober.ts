import { setTimeout as sleep } from 'node:timers/promises'
import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { operationOf, pathTo } from '../checks/resources.ts'
import type { Fixtures } from '../core/check.ts'
import { reasonOf, SuiteConfigurationError } from '../core/failure.ts'
import { parseOrUndefined } from '../core/read-json.ts'
import { urlBelow } from '../core/requested-operation.ts'
import { readTextStart } from '../recording/recorder.ts'

/** A response to a request of the preflight. */
export interface PreflightResponse {
  readonly status: number
  readonly location: string | null
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown
}

/** What a live run uses. */
export interface Setup {
  readonly urls: Readonly<Record<'management' | 'logging', URL>>
  readonly fixtures: Fixtures
  /** Milliseconds since 1970, by the local clock. */
  readonly now: () => number
}

/** Sends the harmless requests of a preflight, and measures the offset of the target's clock. */
export interface Prober extends Setup {
  /** Reads a path below the URL of an interface; without a path, the URL itself. */
  get(name: keyof Setup['urls'], path?: string, credential?: 'accessKey' | 'bearer'): Promise<PreflightResponse>
  /** Number of requests that were sent. */
  requests(): number
  /**
   * How far the target's clock is ahead of the local clock, in ms, according to its `Date` headers. 0 if the difference
   * is within the precision of the headers.
   */
  clockOffsetMs(): number
}

/** Maximum time for a response, in ms. After this time, the target counts as silent. */
const patienceMs = 10_000
/** A `Date` header has a precision of one second, and a response takes some time. */
const clockPrecisionMs = 3_000
/** Pauses before further attempts, in ms. An unexpected response counts only if the last attempt gets it. */
const pausesMs = [100, 200, 400]
/** Maximum length of a body that is read, in characters. It is enough to recognise the server. */
const maxBody = 1_000_000

export function createProber(setup: Setup, send: typeof fetch, signal: AbortSignal): Prober {
  const { urls, fixtures, now } = setup
  const offsets: number[] = []
  let requests = 0
  const once = async (url: URL, headers: Readonly<Record<string, string>>): Promise<PreflightResponse> => {
    requests++
    const sentAt = now()
    const silence = AbortSignal.timeout(patienceMs)
    try {
      const response = await send(url, { headers, redirect: 'manual', signal: AbortSignal.any([signal, silence]) })
      const date = Date.parse(response.headers.get('date') ?? '')
      // The header has whole seconds, so the true time is half a second later on average.
      if (!Number.isNaN(date)) offsets.push(date + 500 - (sentAt + now()) / 2)
      const json = parseOrUndefined(await readTextStart(response, maxBody))
      return { status: response.status, location: response.headers.get('location'), json }
    } catch (error) {
      if (signal.aborted) throw error
      throw new SuiteConfigurationError(silence.aborted ? `no response within ${patienceMs / 1_000} s` : explain(error))
    }
  }
  return {
    ...setup,
    requests: () => requests,
    clockOffsetMs() {
      const middle = offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? 0
      return Math.abs(middle) <= clockPrecisionMs ? 0 : middle
    },
    async get(name, path, credential) {
      const url = path === undefined ? urls[name] : urlBelow(urls[name], path)
      const headers = credential ? headerOf(credential, fixtures.credentials[credential]) : {}
      // A wrong set-up gives the same response each time; a transient error does not.
      for (const pauseMs of pausesMs) {
        const response = await once(url, headers).catch((error) => {
          if (signal.aborted) throw error
        })
        if (response && !isOdd(response)) return response
        await sleep(pauseMs, undefined, { signal })
      }
      return once(url, headers)
    },
  }
}

function headerOf(credential: 'accessKey' | 'bearer', value = ''): Record<string, string> {
  const kind = credential === 'bearer' ? 'bearer' : 'key'
  const { header } = defined(contracts.management.schemes.find((scheme) => scheme.kind === kind))
  return { [header]: kind === 'bearer' ? `Bearer ${value}` : value }
}

/** Returns the path of an operation for the resource with an id. */
export function resourcePath(name: string, id: string): string {
  const operation = operationOf(name)
  return Object.entries(pathTo(operation, id)).reduce(
    (path, [parameter, value]) => path.replace(`{${parameter}}`, value),
    operation.path,
  )
}

/** Explains why no response came. A server without HTTP/1.1 refuses the protocol that Node's `fetch` speaks. */
function explain(error: unknown): string {
  const reason = reasonOf(error)
  return /no application protocol/i.test(reason) ? 'it answers HTTP/2 only, and HTTP/1.1 is needed' : reason
}

function isOdd({ status, json }: PreflightResponse): boolean {
  return status >= 500 || (status >= 300 && status < 400) || (status === 200 && json === undefined)
}
