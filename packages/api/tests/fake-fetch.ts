/** A fetch that answers from a function and records its requests. */
export interface FakeFetch {
  readonly fetch: typeof fetch
  readonly requests: Request[]
}

/** The response may be a Response, or an error to throw. */
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
