import { hash } from 'node:crypto'
import { type Operation, operations } from '@cdn/api/contract'
import { type Answer, type Call, isWhole } from '../http/call.ts'
import type { VerdictName } from './verdict-table.ts'

/** An exchange as far as the caller is judged by it. */
export interface Exchanged {
  readonly call: Call
  readonly operation: Operation
  /** As the caller got it. */
  readonly answer: Answer
  /** Whether the platform's own limiter refused it, by the contract's limit. */
  readonly overLimit: boolean
  /** The request body of a POST, where it was read. */
  readonly body: Uint8Array | undefined
}

/** What a caller does wrong by one request, in the light of those before. */
export type JudgeCaller = (exchange: Exchanged) => VerdictName[]

/** How many walks and posts are remembered at once. */
const remembered = 1000

/** A range so short that it cannot be cut further by time, in milliseconds; our own figure. */
const shortRange = 1000

const largestPage = Math.max(
  ...operations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => Number(schema['maximum'] ?? 0)),
  ),
)

/** Judges the requests of all callers of one emulator, in their order. */
export function createJudge(): JudgeCaller {
  const isRepeated = createPosts()
  const isByReturned = createWalks()
  return (exchange) => {
    const found: VerdictName[] = []
    if (exchange.overLimit) found.push('over-limit')
    if (exchange.operation.method === 'post' && isRepeated(exchange)) found.push('repeated-post')
    if (takes(exchange.operation, 'offset')) {
      const query = new URLSearchParams(exchange.call.query)
      if (!query.get('to')) found.push('open-to')
      if (isDeep(query)) found.push('deep-offset')
      if (isByReturned(exchange, query)) found.push('paging-by-returned')
    }
    return found
  }
}

function takes({ parameters }: Operation, name: string): boolean {
  return parameters.some((parameter) => parameter.name === name)
}

/**
 * The same path and body as the last POST to that resource with this body: adding a hostname again after it was removed
 * repeats nothing, and neither does a POST that was refused (4xx) and had no effect.
 */
function createPosts(): (exchange: Exchanged) => boolean {
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

/** Pages of one walk have the same path and query but for the offset. */
function createWalks(): (exchange: Exchanged, query: URLSearchParams) => boolean {
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

/** Filters that come after the page is cut make it short; only then do `returned` and `limit` differ before the end. */
function pagination({ body }: Answer): { limit: number; returned: number } | undefined {
  if (body === null || !isWhole(body)) return undefined
  // What comes after the rows is far shorter.
  const foot = typeof body === 'string' ? body.slice(-500) : new TextDecoder().decode(body.subarray(-500))
  const found = /"limit":(\d+),"returned":(\d+),"hasMore":true/.exec(foot.slice(foot.lastIndexOf('"pagination":')))
  return found ? { limit: Number(found[1]), returned: Number(found[2]) } : undefined
}

/** More entries than a page can hold may lie on one millisecond: those can be read by offset alone. */
function isDeep(query: URLSearchParams): boolean {
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  return Number(query.get('offset') ?? 0) >= largestPage && !(span <= shortRange)
}

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.delete(key)
  memory.set(key, value)
  const [oldest] = memory.keys()
  if (memory.size > remembered && oldest !== undefined) memory.delete(oldest)
}
