/** Mistakes in version 2 of the logs (§4.3) that the generated mutants do not cover. */
import { dayMs, hourMs } from '@cdn/kit/time'
import {
  alterPath,
  alterResponse,
  editJson,
  editText,
  type JsonObject,
  sharedResponse,
  withQuery,
} from '../alter-calls.ts'
import {
  alterPage,
  alterPageText,
  alterParameter,
  alterQuery,
  alterRangeEnd,
  alterRows,
  createBehaviour,
  entriesAt,
  entriesOf,
  hasFixedRange,
  isLaterPage,
  logError,
  numberOf,
  type Page,
  reverseOrder,
  servePageAtOffset,
  v2,
  withRows,
} from '../alter-logs.ts'
import { type Behaviour, mutantsOf, onOperations, type ServerUnderTest } from '../mutant.ts'

const filters = 'status cacheStatus country edgeLocation urlContains userAgentContains refererContains'.split(' ')

const otherZone = alterPath(v2, (path, { fixtures: { loggedZoneId, otherLoggedZoneId } }) =>
  path.replace(otherLoggedZoneId, loggedZoneId),
)

/** Changes each row 20 s after it was first shown. */
function later(change: (row: JsonObject) => readonly JsonObject[]): Behaviour {
  return createBehaviour(v2, ({ clock }) => {
    const first = new Map<unknown, number>()
    return async ({ call, next }) =>
      editJson(await next(call), 200, (shown: Page) => {
        const now = clock.now().getTime()
        const rows = shown.data?.flatMap((row) => {
          const at = first.get(row['requestId']) ?? now
          first.set(row['requestId'], at)
          return now - at > 20_000 ? change(row) : [row]
        })
        return withRows(shown, rows ?? [])
      })
  })
}

/** Mistakes about rows, pull zones and filters. */
const contents = mutantsOf('logging.query-logs', {
  'v2: it shows whole addresses, although the pull zone anonymises them': [
    'addresses logging.agreement.v1-v2',
    alterRows((all) => all.map((row) => ({ ...row, remoteIp: String(row['remoteIp']).replace(/\.0$/, '.7') }))),
  ],
  'v2: it says that its JSON is HTML': [
    'json',
    alterResponse(v2, (response) => ({ ...response, headers: { ...response.headers, 'content-type': 'text/html' } })),
  ],
  'v2: the bytes of a row are negative now and then': [
    'body',
    alterRows((all) => all.map((row, index) => (index % 3 === 1 ? { ...row, bytesSent: -1 } : row))),
  ],
  'v2: it lacks the oldest hour of the retention': [
    'logging.agreement.v1-v2 logging.retention.3-days',
    alterRows((all, { emulator }) =>
      all.filter((row) => Date.parse(String(row['timestamp'])) > emulator.clock.now().getTime() - 71 * hourMs),
    ),
  ],
  'v2: the bytes of a row grow 20 s after it was first shown': [
    'logging.service.raw-logs',
    later((row) => [{ ...row, bytesSent: Number(row['bytesSent']) + 1 }]),
  ],
  'v2: a row is gone 20 s after it was first shown': ['logging.service.raw-logs', later(() => [])],
  'v2: it shows no rows': ['logging.service.raw-logs', alterRows(() => [])],
  'v2: it shows the rows of another pull zone': ['zone', otherZone],
  'v2: it shows the rows of another pull zone under the requested id': [
    'zone logging.agreement.v1-v2 logging.rate-limit.per-pull-zone',
    onOperations(v2, (emulator) => {
      const { loggedZoneId, otherLoggedZoneId } = emulator.fixtures
      const around = otherZone(emulator)
      return async (call, operation, next) => {
        const response = await around(call, operation, next)
        if (!call.path.includes(otherLoggedZoneId)) return response
        return editText(response, 200, (text) => text.replaceAll(`Id":${loggedZoneId}`, `Id":${otherLoggedZoneId}`))
      }
    }),
  ],
  'parallel: queries at once get the same page': ['zone order', sharedResponse('query-logs')],
  'v2: the named range differs from the requested one': [
    'echo default-range',
    alterPage((shown) => {
      const from = new Date(Date.parse(shown.query.from) - hourMs).toISOString()
      return { ...shown, query: { ...shown.query, from } }
    }),
  ],
  'v2: returned is the limit plus one': [
    'echo',
    alterPage((shown) => ({ ...shown, pagination: { ...shown.pagination, returned: shown.pagination.limit + 1 } })),
  ],
  'v2: without from, the range is an hour': [
    'default-range',
    alterQuery(v2, (sent, { emulator }) => {
      const to = Date.parse(sent.get('to') ?? emulator.clock.now().toISOString())
      if (!sent.has('from') && to > 0) sent.set('from', new Date(to - hourMs).toISOString())
    }),
  ],
  'v2: with to alone, the range begins 24 hours before now': [
    'default-range',
    alterQuery(v2, (sent, { emulator }) => {
      if (sent.has('from') || !(Date.parse(sent.get('to') ?? '') > 0)) return
      sent.set('from', new Date(emulator.clock.now().getTime() - dayMs).toISOString())
    }),
  ],
  'v2: a request for the origin shield hides all other entries': [
    'origin-shield',
    createBehaviour(v2, () => async ({ call, query: sent, next, ask }) => {
      if (sent.get('includeOriginShield') !== 'true') return next(call)
      const others = await ask(withQuery(call, (other) => other.delete('includeOriginShield')))
      const hidden = new Set(entriesOf(others).map((row) => JSON.stringify(row)))
      const isShown = (row: object) => !hidden.has(JSON.stringify(row))
      return editJson(await next(call), 200, (shown: Page) => withRows(shown, shown.data?.filter(isShown) ?? []))
    }),
  ],
  'v2: only the first of several cache statuses counts': [
    'cache-status-filter',
    alterParameter(v2, 'cacheStatus', (text) => text.split(',')[0]),
  ],
  'v2: the cache status - is no filter': [
    'cache-status-filter',
    alterParameter(v2, 'cacheStatus', (text) => (text === '-' ? undefined : text)),
  ],
  'v2: only the first of two filters counts': [
    'filters-combine',
    alterQuery(v2, (sent) => {
      const [, ...others] = [...sent.keys()].filter((name) => ['cacheStatus', 'edgeLocation'].includes(name))
      for (const name of others) sent.delete(name)
    }),
  ],
  'v2: status is ignored with a token': [
    'bearer',
    alterQuery(v2, (sent, { call }) => !call.headers.get('AccessKey') && sent.delete('status')),
  ],
  'v2: only the last status of a list counts': [
    'status-filter',
    alterParameter(v2, 'status', (text) => text.split(',').at(-1)),
  ],
  'v2: urlContains minds the case of upper-case letters': [
    'url-contains-filter per-field-search',
    alterParameter(v2, 'urlContains', (text) => (/[A-Z]/.test(text) ? 'no-such-text' : text)),
  ],
  'v2: a hyphenated request id matches nothing': [
    'request-id-filter',
    alterParameter(v2, 'requestId', (text) => (text.includes('-') ? '0'.repeat(32) : text)),
  ],
  'v2: the other pull zone ignores cacheStatus': [
    'cache-status-filter',
    alterQuery(
      v2,
      (sent, { call, emulator: { fixtures } }) =>
        call.path.includes(fixtures.otherLoggedZoneId) && sent.delete('cacheStatus'),
    ),
  ],
  'v2: status uses the class only': [
    'status-filter',
    alterParameter(v2, 'status', (text) => text.replaceAll(/(\d)\d\d/g, '$1xx')),
  ],
  'v2: a request id that is not a UUID is ignored': [
    'no-match',
    alterParameter(v2, 'requestId', (text) => (/^[\da-f-]{32,36}$/i.test(text) ? text : undefined)),
  ],
  'v2: search takes its tokens as one': ['search', alterParameter(v2, 'search', (text) => text.replaceAll(' ', '_'))],
  'v2: urlContains loses its percent signs and underscores': [
    'per-field-search url-contains-filter',
    alterParameter(v2, 'urlContains', (text) => text.replaceAll(/[%_]/g, '')),
  ],
  'v2: a text of a filter is decoded as Latin-1': [
    'per-field-search url-contains-filter user-agent-contains-filter referer-contains-filter search',
    alterQuery(v2, (sent) => {
      for (const name of ['urlContains', 'userAgentContains', 'refererContains', 'search'])
        if (sent.has(name)) sent.set(name, Buffer.from(sent.get(name) ?? '').toString('latin1'))
    }),
  ],
  'v2: control characters stand unescaped in its JSON': [
    'json',
    alterPageText((text) =>
      text.replaceAll(
        /(?<!\\)((?:\\\\)*)\\u(00[01][\da-f])/g,
        (_all, slashes: string, code: string) => slashes + String.fromCharCode(Number.parseInt(code, 16)),
      ),
    ),
  ],
  'v2: milliseconds below 100 have no leading zeros': [
    'logging.agreement.v1-v2',
    alterPageText((text) => text.replaceAll(/("timestamp":"[^".]*\.)0{1,2}(\d)/g, '$1$2')),
  ],
  'v2: bytesSent is a text beyond 31 bits': [
    'body',
    alterPageText((text) =>
      text.replaceAll(/"bytesSent":(\d{10,})/g, (all, size) =>
        Number(size) < 2 ** 31 ? all : `"bytesSent":"${size}"`,
      ),
    ),
  ],
  'v2: a 400 with several problems has a list of errors instead of the code': [
    'logging.errors.invalid-request',
    alterResponse(v2, (response) =>
      editJson(response, 400, (body: { error: { details?: readonly string[] } }) =>
        (body.error.details?.length ?? 0) > 1 ? { errors: body.error.details } : body,
      ),
    ),
  ],
})

/** Mistakes about pages, ranges, order and notations. */
const pages = mutantsOf('logging.query-logs', {
  'pages: an entry between two pages is left out': [
    'pagination',
    alterParameter(v2, 'offset', (text) => (/^[1-9]\d{0,8}$/.test(text) ? String(Number(text) + 1) : text)),
  ],
  'pages: every page but the first holds its first entry twice': [
    'pagination',
    alterRows((all, { call }) => (/offset=[1-9]/.test(call.query) ? [...all.slice(0, 1), ...all] : all)),
  ],
  'pages: hasMore is never true': [
    'pagination has-more',
    alterPageText((text) => text.replace('"hasMore":true', '"hasMore":false')),
  ],
  'pages: hasMore is always true': [
    'has-more',
    alterPageText((text) => text.replace('"hasMore":false', '"hasMore":true')),
  ],
  'pages: hasMore is true on a last page that is full': [
    'has-more',
    alterPage(({ pagination, ...others }) => {
      const hasMore = pagination.hasMore || pagination.returned === pagination.limit
      return { ...others, pagination: { ...pagination, hasMore } }
    }),
  ],
  'pages: together with status, offset counts the entries of every status': [
    'pagination',
    createBehaviour(v2, () => async (seen) => {
      const offset = numberOf(seen.query, 'offset')
      if (!seen.query.has('status') || !(offset > 0 && offset <= 10_000)) return seen.next(seen.call)
      const skipped = await entriesAt(seen, 0, offset, (sent) => sent.delete('status'))
      const texts = new Set(skipped.map((entry) => JSON.stringify(entry)))
      const matching = await entriesAt(seen, 0, 10_000)
      return servePageAtOffset(seen, matching.filter((entry) => texts.has(JSON.stringify(entry))).length)
    }),
  ],
  'pages: a page begins after the millisecond at which the previous one ended': [
    'pagination',
    createBehaviour(v2, () => async (seen) => {
      const response = await seen.next(seen.call)
      if (response.status !== 200 || !isLaterPage(seen.query)) return response
      const [last] = await entriesAt(seen, numberOf(seen.query, 'offset') - 1, 1)
      return editJson(response, 200, (shown: Page) =>
        withRows(shown, shown.data?.filter(({ timestamp }) => timestamp !== last?.['timestamp']) ?? []),
      )
    }),
  ],
  'pages: they overlap from the third page on': [
    'pagination',
    createBehaviour(v2, () => (seen) => {
      const offset = numberOf(seen.query, 'offset')
      const isLate = offset >= 2 * numberOf(seen.query, 'limit') && offset < 10_000
      return isLate && offset > 0 ? servePageAtOffset(seen, offset - 1) : seen.next(seen.call)
    }),
  ],
  'pages: offset is cut to 32 bits': [
    'pagination',
    createBehaviour(v2, () => (seen) => {
      const offset = numberOf(seen.query, 'offset')
      return offset >= 2 ** 32 && Number.isSafeInteger(offset)
        ? servePageAtOffset(seen, offset % 2 ** 32)
        : seen.next(seen.call)
    }),
  ],
  'pages: an offset beyond the end shows the last page again': [
    'pagination',
    createBehaviour(v2, () => async (seen) => {
      const response = await seen.next(seen.call)
      const isEmpty = response.status === 200 && isLaterPage(seen.query) && entriesOf(response).length === 0
      // The emulator applies these filters after it has cut the page, so an empty page does not prove the end.
      if (!isEmpty || seen.query.has('search') || seen.query.has('country')) return response
      const total = (await entriesAt(seen, 0, 10_000)).length
      return total > 0 ? servePageAtOffset(seen, Math.max(0, total - numberOf(seen.query, 'limit'))) : response
    }),
  ],
  'pages: the server fails if offset + limit is above 2^63 - 1': [
    '2xx pagination',
    createBehaviour(v2, () => async ({ call, operation, query: sent, next }) => {
      const response = await next(call)
      if (response.status !== 200) return response
      const end = BigInt(sent.get('offset') ?? 0) + BigInt(sent.get('limit') ?? 100)
      return end >= 2n ** 63n ? logError(operation, 500) : response
    }),
  ],
  'pages: a limit that is too large is lowered': [
    'limit-bounds 400',
    alterParameter(v2, 'limit', (text) => String(Math.min(Number(text), 10_000))),
  ],
  'pages: a limit of 0 is the default': [
    'limit-bounds 400',
    alterParameter(v2, 'limit', (text) => (text === '0' ? undefined : text)),
  ],
  'pages: a limit of exactly 10000 is refused': [
    'limit-bounds',
    createBehaviour(v2, () => async ({ call, operation, query: sent, next }) => {
      const response = await next(call)
      return response.status === 200 && sent.get('limit') === '10000' ? logError(operation, 400) : response
    }),
  ],
  'range: it excludes the entries at from': ['from-inclusive partition', alterRangeEnd('from', (from) => from + 1)],
  'range: it begins a millisecond early': ['from-inclusive partition', alterRangeEnd('from', (from) => from - 1)],
  'range: it includes the entries at to': ['to-exclusive partition', alterRangeEnd('to', (to) => to + 1)],
  'range: with order=asc, it includes the entries at to': [
    'to-exclusive',
    createBehaviour(v2, () => async ({ call, query: sent, next, ask }) => {
      const response = await next(call)
      if (response.status !== 200 || sent.get('order') !== 'asc' || !hasFixedRange(sent)) return response
      const to = new Date(String(sent.get('to')))
      const end = new Date(to.getTime() + 1).toISOString()
      const longer = await ask(withQuery(call, (other) => other.set('to', end)))
      return longer.status === 200 ? editText(longer, 200, (text) => text.replaceAll(end, to.toISOString())) : response
    }),
  ],
  'range: the fraction .5 of from is read as 5 ms': [
    'from-inclusive',
    alterParameter(v2, 'from', (text) =>
      text.replace(/\.(\d\d?)Z$/, (_all, digits: string) => `.${digits.padStart(3, '0')}Z`),
    ),
  ],
  'order: a filter reverses it': [
    'order',
    alterQuery(v2, (sent) => {
      if (filters.some((name) => sent.has(name))) sent.set('order', sent.get('order') === 'asc' ? 'desc' : 'asc')
    }),
  ],
  'order: asc and desc are swapped': ['order', alterParameter(v2, 'order', reverseOrder)],
  'order: each page is sorted by size': [
    'order',
    alterRows((all) => all.toSorted((a, b) => Number(a['bytesSent']) - Number(b['bytesSent']))),
  ],
  'order: a query without order has that of the previous query of the pull zone': [
    'order',
    createBehaviour(v2, () => {
      const orders = new Map<string, string>()
      return ({ call, query: sent, next }) => {
        const order = sent.get('order') ?? orders.get(call.path)
        if (order !== 'asc' && order !== 'desc') return next(call)
        orders.set(call.path, order)
        return next(withQuery(call, (other) => other.set('order', order)))
      }
    }),
  ],
  'notation: the offset of a time is ignored': [
    'notations',
    alterQuery(v2, (sent) => {
      for (const name of ['from', 'to'])
        if (sent.has(name)) sent.set(name, String(sent.get(name)).replace(/[+-]\d\d:\d\d$/, 'Z'))
    }),
  ],
  'notation: a reversed range is answered like the range in order': [
    'notations',
    alterQuery(v2, (sent) => {
      const [from, to] = ['from', 'to'].map((name) => sent.get(name) ?? '')
      if (!from || !to || Date.parse(from) <= Date.parse(to)) return
      sent.set('from', to ?? '')
      sent.set('to', from)
    }),
  ],
  'notation: a range of one millisecond is empty': [
    'notations from-inclusive',
    alterRows((all, { call }) => {
      const sent = new URLSearchParams(call.query)
      return Date.parse(sent.get('to') ?? '') - Date.parse(sent.get('from') ?? '') === 1 ? [] : all
    }),
  ],
  'notation: a number with a leading zero is octal': [
    'notations',
    alterParameter(v2, 'limit', (text) => (/^0[0-7]+$/.test(text) ? String(Number.parseInt(text, 8)) : text)),
  ],
  'notation: limit is cut to 32 bits': [
    'limit-bounds',
    alterParameter(v2, 'limit', (text) => String(Number(text) % 2 ** 32)),
  ],
  'notation: the end of a range without a start is ignored': [
    'notations',
    alterQuery(v2, (sent) => !sent.has('from') && sent.delete('to')),
  ],
  'notation: if the default order is stated, a filter by country is ignored': [
    'notations pagination',
    alterQuery(v2, (sent) => sent.get('order') === 'desc' && sent.has('offset') && sent.delete('country')),
  ],
})

export const queryLogsMutants: readonly ServerUnderTest[] = [...contents, ...pages]
