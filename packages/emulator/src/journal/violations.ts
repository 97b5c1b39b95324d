import { hash } from 'node:crypto'
import { type Operation, operations } from '@cdn/api/contract'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from '../exchange/messages.ts'

/** The mistakes of callers, each with a short description. The list in docs/emulator.md is generated from this table. */
export const violationTable = {
  'unknown-operation': 'Neither the spec nor the supplement has an operation with this method and path.',
  'over-limit': 'The request was sent although the rate limit was exhausted, and got a 429 (§8).',
  'credential-in-url':
    'The path or the query contained a credential, or a parameter with a name such as token. Proxies and logs store URLs.',
  'credential-on-redirect': 'A credential was sent to another origin after a redirect.',
  'open-to':
    'A later page of a version 2 query had no `to`. The default moves with every request, so pages shift and paging may never end.',
  'repeated-post':
    'A POST was repeated after its response arrived or was lost, although the first POST may have taken effect.',
  'paging-by-returned':
    'The offset grew by `returned` instead of `limit`, so that entries of a short page are read twice.',
  'deep-offset': 'The offset was beyond the maximum page size. Read long ranges by time.',
} as const satisfies Record<string, string>

export type ViolationName = keyof typeof violationTable

/** A request and its outcome, for the journal. */
export interface RequestOutcome {
  readonly at: Date
  readonly call: EmulatorRequest
  /** Absent if the request matches no operation of the contract. */
  readonly operation?: Operation | undefined
  /** Absent if the connection ended before the request was complete. */
  readonly response?: EmulatorResponse | undefined
  readonly faults: readonly { readonly name: string }[]
  readonly overLimit: boolean
  readonly body?: Uint8Array | undefined
}

/** Maximum number of remembered page sequences, and of remembered POST requests. */
const maxRemembered = 1000

/** Maximum length of a range that may be read by offset alone, in milliseconds. The figure is our choice. */
const shortRangeMs = 1000

const maxPageSize = Math.max(
  ...operations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => Number(schema['maximum'] ?? 0)),
  ),
)

/**
 * Creates a function that finds the mistakes of a request. Some depend on earlier requests, so it must receive the requests of all
 * callers of one emulator in their order.
 */
export function createViolationFinder(): (outcome: RequestOutcome) => ViolationName[] {
  const isRepeated = createPosts()
  const isByReturned = createPageSequences()
  return ({ call, operation, response, overLimit, body }) => {
    if (!operation) return ['unknown-operation']
    if (!response) return []
    const mistakes: ViolationName[] = overLimit ? ['over-limit'] : []
    if (operation.method === 'post' && isRepeated(call, response, body)) mistakes.push('repeated-post')
    if (!operation.parameters.some(({ name }) => name === 'offset')) return mistakes
    const query = new URLSearchParams(call.query)
    if (!query.get('to') && Number(query.get('offset') ?? 0) > 0) mistakes.push('open-to')
    if (isDeep(query)) mistakes.push('deep-offset')
    if (isByReturned(call, response, query)) mistakes.push('paging-by-returned')
    return mistakes
  }
}

/**
 * Creates a function that returns whether a POST repeats the last POST with the same body to the same resource. A hostname that is
 * added again after its removal is no repetition. A refused POST (4xx) had no effect and does not count.
 */
function createPosts() {
  const last = new Map<string, string>()
  return (call: EmulatorRequest, response: EmulatorResponse, body: Uint8Array | undefined): boolean => {
    if (response.status >= 400 && response.status < 500) return false
    const resource = call.path.slice(0, call.path.lastIndexOf('/'))
    const key = `${call.interface} ${resource} ${hash('sha256', body ?? new Uint8Array())}`
    const isRepeated = last.get(key) === call.path
    remember(last, key, call.path)
    return isRepeated
  }
}

/** Creates a function that returns whether an offset is the offset of a short page plus its `returned`. */
function createPageSequences() {
  const short = new Map<string, number>()
  return (call: EmulatorRequest, response: EmulatorResponse, query: URLSearchParams): boolean => {
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

/**
 * Reads the pagination of a page that is not the last one (`hasMore` is true). `returned` and `limit` of such a page differ only if
 * filters shortened the page.
 */
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
