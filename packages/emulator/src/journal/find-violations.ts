import { hash } from 'node:crypto'
import type { Operation } from '@cdn/api/contract'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from '../http/messages.ts'
import { platformOperations } from '../platform/operations.ts'
import type { ViolationName } from './violation-table.ts'

/** The parts of a request and its response that show mistakes of the caller. */
export interface CallerExchange {
  readonly call: EmulatorRequest
  readonly operation: Operation
  /** The response that the caller received. */
  readonly response: EmulatorResponse
  /** Whether the request exceeded the contract's rate limit, as opposed to a limit that a fault lowered. */
  readonly overLimit: boolean
  /** The request body of a POST; undefined if it was not read. */
  readonly body: Uint8Array | undefined
}

/** Returns the mistakes of one request. Some mistakes depend on earlier requests. */
export type FindViolations = (exchange: CallerExchange) => ViolationName[]

/** Maximum number of remembered page sequences, and of remembered POST requests. */
const maxRemembered = 1000

/** Maximum length of a range that may be read by offset alone, in milliseconds. The figure is our choice. */
const shortRangeMs = 1000

const maxPageSize = Math.max(
  ...platformOperations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => Number(schema['maximum'] ?? 0)),
  ),
)

/** Creates a function that finds mistakes. It must receive the requests of all callers of one emulator in their order. */
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
 * Creates a function that returns whether a POST repeats the last POST with the same body to the same resource. It is not a
 * repetition to add a hostname again after its removal. A POST that was refused (4xx) had no effect and does not count.
 */
function createPosts(): (exchange: CallerExchange) => boolean {
  const last = new Map<string, string>()
  return ({ call, response, body }) => {
    if (response.status >= 400 && response.status < 500) return false
    const resource = call.path.slice(0, call.path.lastIndexOf('/'))
    const key = `${call.interface} ${resource} ${hash('sha256', body ?? new Uint8Array())}`
    const isRepeated = last.get(key) === call.path
    remember(last, key, call.path)
    return isRepeated
  }
}

/** Creates a function that returns whether an offset is the offset of a short page plus its `returned`. */
function createPageSequences(): (exchange: CallerExchange, query: URLSearchParams) => boolean {
  const short = new Map<string, number>()
  return ({ call, response }, query) => {
    const offset = Number(query.get('offset') ?? 0)
    query.delete('offset')
    const key = `${call.path}?${query}`
    const wrong = short.get(key)
    short.delete(key)
    const page =
      response.status === 200 && (query.has('country') || query.has('search')) ? pagination(response) : undefined
    if (page && page.returned > 0 && page.returned < page.limit) remember(short, key, offset + page.returned)
    return wrong !== undefined && wrong === offset
  }
}

/** Reads the pagination of a page before the last one. There `returned` and `limit` differ only if filters shortened the page. */
function pagination({ body }: EmulatorResponse): { limit: number; returned: number } | undefined {
  if (body === null || !isWhole(body)) return undefined
  // The part after the rows is far shorter than 500 characters.
  const foot = typeof body === 'string' ? body.slice(-500) : new TextDecoder().decode(body.subarray(-500))
  const match = /"limit":(\d+),"returned":(\d+),"hasMore":true/.exec(foot.slice(foot.lastIndexOf('"pagination":')))
  return match ? { limit: Number(match[1]), returned: Number(match[2]) } : undefined
}

/** Whether an offset is too deep. Short ranges are exempt: a millisecond can have more entries than one page can hold. */
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
