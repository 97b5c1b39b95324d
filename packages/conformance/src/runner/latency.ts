import { labelOf } from '../checks/resources.ts'
import { type Addresses, basesOf, requestedOperation } from '../core/requested-operation.ts'
import { toRequest } from '../core/to-request.ts'
import type { OperationLatency } from '../report/model.ts'

/**
 * Wraps the `fetch` of a run. Measures the time from each request to its response headers, without pauses for the rate limit.
 * Requests without a response do not count.
 *
 * @param now returns milliseconds
 */
export function timeResponses(send: typeof fetch, addresses: Addresses, now: () => number) {
  const bases = basesOf(addresses)
  const times = new Map<string, number[]>()
  const timed: typeof fetch = async (input, init) => {
    const request = toRequest(input, init)
    const operation = requestedOperation(request, bases)?.operation
    const started = now()
    const response = await send(request)
    const name = operation && `${operation.interface}.${labelOf(operation)}`
    if (name === undefined) return response
    const all = times.get(name) ?? []
    times.set(name, all)
    all.push(now() - started)
    return response
  }
  const latency = () =>
    [...times].map(([operation, all]): OperationLatency => {
      const sorted = all.toSorted((a, b) => a - b)
      const quantile = (share: number) => Math.max(0, Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0))
      return { operation, requests: sorted.length, medianMs: quantile(0.5), p95Ms: quantile(0.95) }
    })
  return { fetch: timed, latency }
}
