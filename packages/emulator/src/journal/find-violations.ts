import { hash } from 'node:crypto'
import type { Operation } from '@cdn/api/contract'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from '../http/messages.ts'
import { platformOperations } from '../platform-operations.ts'
import type { ViolationName } from './violation-table.ts'

/** A request and its response, as far as they show mistakes of the caller. */
export interface CallerExchange {
  readonly call: EmulatorRequest
  readonly operation: Operation
  /** The response that the caller received. */
  readonly answer: EmulatorResponse
  /** Whether the request exceeded the contract's rate limit, as opposed to a limit that a fault lowered. */
  readonly overLimit: boolean
  /** The request body of a POST; undefined if it was not read. */
  readonly body: Uint8Array | undefined
}

/** Returns the mistakes of one request, considering earlier requests. */
export type FindViolations = (exchange: CallerExchange) => ViolationName[]

/** Maximum number of page sequences, and of POST requests, to remember. */
const maxRemembered = 1000

/** Ranges up to this length, in milliseconds, may be read by offset alone. The figure is our choice. */
const shortRangeMs = 1000

const maxPageSize = Math.max(
  ...platformOperations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => Number(schema['maximum'] ?? 0)),
  ),
)

/** Creates a check for the requests of all callers of one emulator, in their order. */
export function createViolationFinder(): FindViolations {
  const isRepeated = createPosts()
  const isByReturned = createPageSequences()
  return (exchange) => {
    const names: ViolationName[] = []
    if (exchange.overLimit) names.push('over-limit')
    if (exchange.operation.method === 'post' && isRepeated(exchange)) names.push('repeated-post')
    if (takes(exchange.operation, 'offset')) {
      const query = new URLSearchParams(exchange.call.query)
      if (!query.get('to')) names.push('open-to')
      if (isDeep(query)) names.push('deep-offset')
      if (isByReturned(exchange, query)) names.push('paging-by-returned')
    }
    return names
  }
}

function takes({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name)
}

/**
 * Whether a POST repeats the last POST to that resource with this body. Adding a hostname again after its removal is not a
 * repetition, and a POST that was refused (4xx) had no effect and does not count.
 */
function createPosts(): (exchange: CallerExchange) => boolean {
  const last = new Map<string, string>()
  return ({ call, answer, body }) => {
    if (answer.status >= 400 && answer.status < 500) return false
    const resource = call.path.slice(0, call.path.lastIndexOf('/'))
    const key = `${call.interface} ${resource} ${hash('sha256', body ?? new Uint8Array())}`
    const isRepeated = last.get(key) === call.path
    remember(last, key, call.path)
    return isRepeated
  }
}

/** Whether an offset continues after a short page by `returned`. Pages of one sequence differ only in the offset. */
function createPageSequences(): (exchange: CallerExchange, query: URLSearchParams) => boolean {
  const short = new Map<string, number>()
  return ({ call, answer }, query) => {
    const offset = Number(query.get('offset') ?? 0)
    query.delete('offset')
    const key = `${call.path}?${query}`
    const wrong = short.get(key)
    short.delete(key)
    const page = answer.status === 200 && (query.has('country') || query.has('search')) ? pagination(answer) : undefined
    if (page && page.returned > 0 && page.returned < page.limit) remember(short, key, offset + page.returned)
    return wrong !== undefined && wrong === offset
  }
}

/** Before the last page, `returned` and `limit` differ only if filters shortened the page after it was cut. */
function pagination({ body }: EmulatorResponse): { limit: number; returned: number } | undefined {
  if (body === null || !isWhole(body)) return undefined
  // The part after the rows is far shorter than this.
  const foot = typeof body === 'string' ? body.slice(-500) : new TextDecoder().decode(body.subarray(-500))
  const match = /"limit":(\d+),"returned":(\d+),"hasMore":true/.exec(foot.slice(foot.lastIndexOf('"pagination":')))
  return match ? { limit: Number(match[1]), returned: Number(match[2]) } : undefined
}

/** One millisecond can have more entries than a page can hold. Only an offset can reach all of them. */
function isDeep(query: URLSearchParams): boolean {
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  return Number(query.get('offset') ?? 0) >= maxPageSize && !(span <= shortRangeMs)
}

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.delete(key)
  memory.set(key, value)
  const [oldest] = memory.keys()
  if (memory.size > maxRemembered && oldest !== undefined) memory.delete(oldest)
}
