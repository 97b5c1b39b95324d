import type { ObservedCall, Observer } from './observer.ts'
import { copyRequest, requestFacts } from './request-facts.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Reports events of calls, for traces, metrics and logs. Outside of `withRetry`, `request` and `response` occur once per call.
 * Inside of it, they occur once per attempt. `retry` and `wait` come from wrappers further inside.
 *
 * @example
 * createManagementClient({ wrap: [withObserver({ response: ({ operation }, { status }) => console.log(operation, status) })] })
 */
export function withObserver(observer: Observer): FetchWrapper {
  return createWrapper(async (request, send) => {
    const { operation, observed } = requestFacts(request)
    const headers = new Headers(request.headers)
    const { host } = new URL(request.url)
    const call: ObservedCall = { operation, host, setHeader: (name, value) => headers.set(name, value) }
    observed.push({ observer, call })
    observer.request?.(call)
    let status: number | undefined
    let error: unknown
    try {
      const response = await send(copyRequest(request, { headers }))
      status = response.status
      return response
    } catch (cause) {
      error = cause
      throw cause
    } finally {
      observed.pop()
      observer.response?.(call, { status, error })
    }
  })
}
