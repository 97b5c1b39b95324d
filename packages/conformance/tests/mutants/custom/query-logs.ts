import { hourMs } from '@cdn/kit/time'
import {
  alterCall,
  alterPath,
  alterResponse,
  editJson,
  editRows,
  editText,
  type JsonObject,
  textOf,
  withQuery,
} from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'

const v2 = 'logging.query-logs'
const names = ['query-logs']

const otherZone = alterPath(names, (path, { fixtures: { loggedZoneId, otherLoggedZoneId } }) =>
  path.replace(otherLoggedZoneId, loggedZoneId),
)

/** Mistakes about the content of version 2: rows, zone and filters. */
export const queryLogsMutants: readonly ServerUnderTest[] = [
  mutant(
    'v2.whole-addresses',
    'Version 2 shows whole addresses, although the pull zone anonymises them.',
    [`${v2}.addresses`],
    alterResponse(names, (response) =>
      editRows(response, (rows) =>
        rows.map((row) => ({ ...row, remoteIp: String(row['remoteIp']).replace(/\.0$/, '.7') })),
      ),
    ),
  ),
  mutant(
    'v2.html-type',
    'Version 2 says that its JSON is HTML.',
    [`${v2}.json`],
    alterResponse(names, (response) => ({
      ...response,
      headers: { ...response.headers, 'content-type': 'text/html' },
    })),
  ),
  mutant(
    'v2.empty',
    'Version 2 shows no rows.',
    ['logging.service.raw-logs'],
    alterResponse(names, (response) => editRows(response, () => [])),
  ),
  mutant('v2.wrong-zone', 'Version 2 shows the rows of another pull zone.', [`${v2}.zone`], otherZone),
  mutant(
    'v2.wrong-zone-relabelled',
    'Version 2 shows the rows of another pull zone under the requested id.',
    [`${v2}.zone`],
    on(names, (emulator) => {
      const { loggedZoneId, otherLoggedZoneId } = emulator.fixtures
      const around = otherZone(emulator)
      return async (call, operation, next) => {
        const response = await around(call, operation, next)
        if (!call.path.includes(otherLoggedZoneId)) return response
        return editText(response, 200, (text) => text.replaceAll(`Id":${loggedZoneId}`, `Id":${otherLoggedZoneId}`))
      }
    }),
  ),
  mutant(
    'v2.echo-range',
    'The named range differs from the requested one.',
    [`${v2}.echo`, `${v2}.default-range`],
    alterResponse(names, (response) =>
      editJson(response, 200, (page: { query: { from: string } }) => {
        const from = new Date(Date.parse(page.query.from) - hourMs).toISOString()
        return { ...page, query: { ...page.query, from } }
      }),
    ),
  ),
  mutant(
    'v2.default-hour',
    'Without from, the range is an hour.',
    [`${v2}.default-range`],
    alterCall(names, (call, { emulator }) =>
      withQuery(call, (query) => {
        const to = query.get('to') ?? emulator.clock.now().toISOString()
        if (!query.has('from')) query.set('from', new Date(Date.parse(to) - hourMs).toISOString())
      }),
    ),
  ),
  mutant(
    'v2.shield-only',
    'A request for the origin shield hides all other entries.',
    [`${v2}.origin-shield`],
    on(names, () => async (call, operation, next) => {
      if (!call.query.includes('includeOriginShield=true')) return next(call, operation)
      const others = await next(without(call, 'includeOriginShield'), operation)
      const hidden = new Set(rowsOf(textOf(others)).map((row) => JSON.stringify(row)))
      return editRows(await next(call, operation), (rows) => rows.filter((row) => !hidden.has(JSON.stringify(row))))
    }),
  ),
  mutant(
    'v2.filter-first-value',
    'Only the first of several cache statuses counts.',
    [`${v2}.cache-status-filter`],
    alterValue('cacheStatus', (value) => value.split(',')[0]),
  ),
  mutant(
    'v2.filter-dash-ignored',
    'The cache status - cannot be used as a filter.',
    [`${v2}.cache-status-filter`],
    alterValue('cacheStatus', (value) => (value === '-' ? undefined : value)),
  ),
  mutant(
    'v2.filters-first-only',
    'Only the first of several filters counts.',
    [`${v2}.filters-combine`],
    alterCall(names, (call) =>
      withQuery(call, (query) => {
        const [, ...others] = [...query.keys()].filter((name) => ['cacheStatus', 'edgeLocation'].includes(name))
        for (const name of others) query.delete(name)
      }),
    ),
  ),
  mutant(
    'v2.status-class-only',
    'status uses the class only.',
    [`${v2}.status-filter`],
    alterValue('status', (value) => value.replaceAll(/(\d)\d\d/g, '$1xx')),
  ),
  mutant(
    'v2.invalid-filter-ignored',
    'A request id that is not a UUID is ignored.',
    [`${v2}.no-match`],
    alterValue('requestId', (value) => (/^[\da-f-]{32,36}$/i.test(value) ? value : undefined)),
  ),
  mutant(
    'v2.search-one-token',
    'search treats its tokens as one.',
    [`${v2}.search`],
    alterValue('search', (value) => value.replaceAll(' ', '_')),
  ),
]

/** Changes the value of a query parameter of version 2; undefined removes it. */
export function alterValue(name: string, change: (value: string) => string | undefined): Behaviour {
  return alterCall(names, (call) =>
    withQuery(call, (query) => {
      const value = query.get(name)
      const changed = value === null ? undefined : change(value)
      if (changed === undefined) query.delete(name)
      else query.set(name, changed)
    }),
  )
}

function without(call: Parameters<typeof withQuery>[0], name: string) {
  return withQuery(call, (query) => query.delete(name))
}

function rowsOf(text: string): readonly JsonObject[] {
  return JSON.parse(text).data
}
