/** The property of the logs on servers with one fault that no mutant has, and on servers without a fault. */
import { createEmulator, createZone, type Emulator, type TrafficOptions } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { expect, test } from 'vitest'
import { createPlan } from '../src/run/plan.ts'
import { runCheck } from '../src/run/run-check.ts'
import { sessionOn } from '../src/run/targets/emulator.ts'
import type { Session } from '../src/run/targets/target.ts'
import { worlds } from './support/worlds.ts'

const checks = createPlan().checks.filter(({ id }) => /^logging\.(query-logs|read-log-file|agreement)\./.test(id))
const { signal } = new AbortController()
const filters = [
  'status',
  'cacheStatus',
  'country',
  'edgeLocation',
  'urlContains',
  'userAgentContains',
  'refererContains',
]

interface FaultyRequest {
  readonly url: URL
  readonly query: URLSearchParams
  readonly isV2: boolean
  readonly isBearer: boolean
  /** The filters of version 2 in the query. */
  readonly filters: readonly string[]
  send(query: URLSearchParams): Promise<Response>
}

/** Answers a request wrongly. Undefined: changes only the query. */
type Fault = (request: FaultyRequest) => Promise<Response> | undefined

const shift = (change: (offset: number) => number) => async (request: FaultyRequest) => {
  const offset = Number(request.query.get('offset') ?? 0)
  const query = new URLSearchParams(request.query)
  query.set('offset', String(change(offset)))
  const response = await request.send(query)
  if (!response.ok) return response
  const page = await response.json()
  return Response.json({ ...page, pagination: { ...page.pagination, offset } })
}

const skip = (rows: number) => shift((offset) => offset + rows)

const faults: readonly (readonly [name: string, requirement: string, needs: RegExp, fault: Fault])[] = [
  [
    'two filters are joined by "or"',
    'query-logs.filters-combine',
    /for \w+=[^=]+, \w+=[^=]+, saw/,
    ({ filters: [first, second], query, send }) => {
      if (first === undefined || second === undefined) return undefined
      return (async () => {
        const pages = []
        for (const name of [first, second]) {
          const one = new URLSearchParams(query)
          one.delete(name)
          one.set('limit', '1000')
          one.delete('offset')
          pages.push(await (await send(one)).json())
        }
        const rows = new Map<string, object>(
          pages.flatMap(({ data }) => data.map((row: object) => [JSON.stringify(row), row])),
        )
        const sign = query.get('order') === 'asc' ? 1 : -1
        const time = (row: object) => Date.parse((row as { timestamp: string }).timestamp)
        const all = [...rows.values()].sort((a, b) => sign * (time(a) - time(b)))
        const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)]
        const data = all.slice(offset, offset + limit)
        const hasMore = all.length > offset + limit
        return Response.json({ ...pages[0], data, pagination: { offset, limit, returned: data.length, hasMore } })
      })()
    },
  ],
  [
    'status is ignored with a token',
    'query-logs.bearer/cases',
    /for status=[^,]+, bearer token, saw/,
    ({ isBearer, query }) => void (isBearer && query.delete('status')),
  ],
  [
    'a file is empty with a token',
    'read-log-file.bearer/cases',
    /for bearer token, saw/,
    ({ isV2, isBearer }) => (isBearer && !isV2 ? Promise.resolve(new Response('')) : undefined),
  ],
  [
    'pages overlap from the third page on',
    'query-logs.pagination',
    /for (limit=\d+, )?offset=\d+, saw/,
    (request) => {
      const { query } = request
      return Number(query.get('offset') ?? 0) >= 2 * Number(query.get('limit') ?? 100) ? skip(-1)(request) : undefined
    },
  ],
  [
    'only the last status of a list counts',
    'query-logs.status-filter',
    /for status=[^=]+,[^=]+, saw/,
    ({ isV2, query }) =>
      void (isV2 && query.has('status') && query.set('status', query.get('status')?.split(',').at(-1) ?? '')),
  ],
  [
    'urlContains minds the case of upper-case letters',
    'query-logs.url-contains-filter',
    /for urlContains=[^,]*[A-Z]/,
    ({ query }) => void (/[A-Z]/.test(query.get('urlContains') ?? '') && query.set('urlContains', 'no-such-text')),
  ],
  [
    'a hyphenated request id matches nothing',
    'query-logs.request-id-filter',
    /for requestId=[\da-f-]{36}, saw/,
    ({ query }) => void (query.get('requestId')?.includes('-') && query.set('requestId', '0'.repeat(32))),
  ],
  [
    'the other pull zone ignores cacheStatus',
    'query-logs.cache-status-filter',
    /for cacheStatus=[^,]+, .*"pullZoneId":"2003"/s,
    ({ url, query }) => void (url.pathname.includes('2003') && query.delete('cacheStatus')),
  ],
  [
    'a status of a file ends the search',
    'read-log-file.search',
    /for (status=.*, search=|search=.*, status=)/,
    ({ isV2, query }) => void (!isV2 && query.has('status') && query.delete('search')),
  ],
  [
    'a file without sort starts one line late',
    'read-log-file.slice',
    /for start=\d+, saw/,
    ({ isV2, query }) =>
      void (
        !isV2 &&
        !query.has('sort') &&
        query.has('start') &&
        query.set('start', String(Number(query.get('start')) + 1))
      ),
  ],
  [
    'a file shows other networks than version 2',
    'agreement.v1-v2/read-log-file',
    /for a plain query, saw \d+ missing/,
    ({ isV2, query, send }) =>
      isV2
        ? undefined
        : send(query).then(
            async (response) => new Response((await response.text()).replaceAll('.0|', '.7|'), response),
          ),
  ],
]

function faultySession(emulator: Emulator, fault: Fault): Session {
  const session = sessionOn(emulator)
  const faulty: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.origin !== session.bases.logging?.origin) return session.fetch(request)
    const query = new URLSearchParams(url.search)
    const send = (other: URLSearchParams) => {
      const changed = new URL(url)
      changed.search = other.toString()
      return session.fetch(new Request(changed, request))
    }
    const isV2 = url.pathname.startsWith('/v2/')
    const present = isV2 ? filters.filter((name) => query.has(name)) : []
    const isBearer = request.headers.has('authorization')
    return (await fault({ url, query, isV2, isBearer, filters: present, send })) ?? send(query)
  }
  return { ...session, fetch: faulty }
}

test.each(faults)('%s: fails %s', async (_, requirement, needs, fault) => {
  const check = checks.find(({ id }) => id === `logging.${requirement}`)
  if (!check) throw new Error(`no check ${requirement}`)
  const { result } = await runCheck(check, faultySession(await createEmulator(), fault), { signal })
  expect(result).toMatchObject({ outcome: 'fail', evidence: { calls: [{ operation: expect.any(String) }] } })
  expect(`${result.message} ${JSON.stringify(result.evidence?.calls)}`).toMatch(needs)
  const replay = { signal, stored: result.evidence?.calls, replay: true }
  const repeated = await runCheck(check, faultySession(await createEmulator(), fault), replay)
  expect(repeated.result).toMatchObject({ outcome: 'fail', evidence: { calls: result.evidence?.calls } })
  const right = await runCheck(check, sessionOn(await createEmulator()), replay)
  expect(right.result).toMatchObject({ outcome: 'pass', cases: 1 })
})

test('a filter reverses the order: fails the rule of the order, whose exchanges are not shrunk', async () => {
  const check = defined(checks.find(({ id }) => id === 'logging.query-logs.order'))
  const reversed: Fault = ({ filters, query }) =>
    void (filters.length > 0 && query.set('order', query.get('order') === 'asc' ? 'desc' : 'asc'))
  const { result } = await runCheck(check, faultySession(await createEmulator(), reversed), { signal })
  expect(result).toMatchObject({ outcome: 'fail', evidence: { seen: 'another order' } })
})

/** The traffic of each world once, and that of a new emulator. */
const profiles = [...new Map(worlds.map(({ traffic }) => [JSON.stringify(traffic), traffic])).values()]

test('no check fails on a correct server, whatever the traffic and the seed', { timeout: 3_600_000 }, async () => {
  for (let seed = 0; seed < propertyRuns(3); seed++) {
    const traffic = profiles[(4 * seed) % profiles.length]
    const session = await sessionWith(traffic, seed)
    for (const check of checks.filter(({ needs }) => !needs.includes('virtual-clock'))) {
      const { outcome, message } = (await runCheck(check, session, { signal, seed })).result
      expect(['pass', 'skip'], `${check.id} with ${JSON.stringify(traffic)}, seed ${seed}: ${message}`).toContain(
        outcome,
      )
    }
  }
})

async function sessionWith(
  traffic: Omit<TrafficOptions, 'zones'> | 'planted' | undefined,
  seed: number,
): Promise<Session> {
  const emulator = await createEmulator({ seed })
  const session = sessionOn(emulator)
  if (traffic === 'planted') return session
  const [loggedZoneId, otherLoggedZoneId] = ['3001', '3002'] as const
  for (const id of [loggedZoneId, otherLoggedZoneId])
    emulator.state.zones.set(id, createZone(id, { logging: 'enabled' }))
  if (traffic) emulator.state.addTraffic({ ...traffic, zones: [loggedZoneId, otherLoggedZoneId] })
  return { ...session, fixtures: { ...session.fixtures, loggedZoneId, otherLoggedZoneId } }
}
