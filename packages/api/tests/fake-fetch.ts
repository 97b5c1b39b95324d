import { type ClientOptions, createManagementClient } from '../src/index.ts'

/** A fetch that answers from a function and records its requests. */
export interface FakeFetch {
  readonly fetch: typeof fetch
  readonly requests: Request[]
}

/** @param respond returns a Response, or an error to throw */
export function fakeFetch(respond: (request: Request) => Response | Error | Promise<Response | Error>): FakeFetch {
  const requests: Request[] = []
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    requests.push(request)
    request.signal.throwIfAborted()
    const result = await respond(request)
    if (result instanceof Error) throw result
    return result
  }
  return { fetch, requests }
}

export const noWait = async (): Promise<void> => {}

export const baseUrl = 'https://management.invalid'
export const path = '/pullzone/{id}'
export const params = { path: { id: 1 } }

/** Options that callers without types can pass. */
export type AnyOptions = { [Name in keyof ClientOptions]?: unknown }

/** A client of the management interface without retries, and the requests that it sends. */
export function management(respond: Parameters<typeof fakeFetch>[0], options: AnyOptions = {}) {
  const { fetch, requests } = fakeFetch(respond)
  const all = { baseUrl, accessKey: 'key-1', fetch, retry: false, ...options } as ClientOptions
  return { client: createManagementClient(all), requests }
}

export const getZone = (respond: Parameters<typeof fakeFetch>[0]) => management(respond).client.GET(path, { params })

/** The error of a rejected promise; undefined if it resolves. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  )
