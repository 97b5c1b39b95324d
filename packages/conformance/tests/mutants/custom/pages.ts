import { editJson, editRows, withQuery } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import {
  alterParameters,
  atOffset,
  entriesOf,
  isLaterPage,
  logError,
  numberOf,
  pageNames,
  seeing,
  timeOf,
} from './parts.ts'

const v2 = 'logging.query-logs'

/** Mistakes in pages and ranges that show only in combination or on a boundary. */
export const pageMutants: readonly ServerUnderTest[] = [
  mutant(
    'pages.offset-before-status',
    'Together with status, offset counts the entries of every status.',
    [`${v2}.pagination`],
    seeing(pageNames, () => async (seen) => {
      const { call, query, ask, next } = seen
      const offset = numberOf(query, 'offset')
      if (!query.has('status') || !(offset > 0 && offset <= 10_000)) return next(call)
      const skipped = withQuery(call, (other) => {
        other.delete('status')
        other.set('offset', '0')
        other.set('limit', String(offset))
      })
      const matching = withQuery(call, (other) => {
        other.set('offset', '0')
        other.set('limit', '10000')
      })
      const texts = new Set(entriesOf(await ask(skipped)).map((entry) => JSON.stringify(entry)))
      const passed = entriesOf(await ask(matching)).filter((entry) => texts.has(JSON.stringify(entry)))
      return atOffset(seen, passed.length)
    }),
  ),
  mutant(
    'pages.tie-skipped',
    'A page begins after the millisecond at which the previous page ended.',
    [`${v2}.pagination`],
    seeing(pageNames, () => async ({ call, query, ask, next }) => {
      const response = await next(call)
      if (response.status !== 200 || !isLaterPage(query)) return response
      const before = withQuery(call, (other) => {
        other.set('offset', String(numberOf(query, 'offset') - 1))
        other.set('limit', '1')
      })
      const [last] = entriesOf(await ask(before))
      return last ? editRows(response, (rows) => rows.filter((row) => timeOf(row) !== timeOf(last))) : response
    }),
  ),
  mutant(
    'pages.offset-of-32-bits',
    'offset is cut to 32 bits, so that 2^32 is the first page.',
    [`${v2}.pagination`],
    seeing(pageNames, () => (seen) => {
      const offset = numberOf(seen.query, 'offset')
      return offset >= 2 ** 32 && Number.isSafeInteger(offset) ? atOffset(seen, offset % 2 ** 32) : seen.next(seen.call)
    }),
  ),
  mutant(
    'pages.last-page-repeated',
    'An offset beyond the end shows the last page again.',
    [`${v2}.pagination`],
    seeing(pageNames, () => async (seen) => {
      const { call, query, ask, next } = seen
      const response = await next(call)
      if (response.status !== 200 || !isLaterPage(query) || entriesOf(response).length > 0) return response
      // A search is applied after a page is cut, so that an empty page of it says nothing about the end.
      if (query.has('search') || query.has('country')) return response
      const all = withQuery(call, (other) => {
        other.set('offset', '0')
        other.set('limit', '10000')
      })
      const total = entriesOf(await ask(all)).length
      return total > 0 ? atOffset({ call, next: ask }, Math.max(0, total - numberOf(query, 'limit'))) : response
    }),
  ),
  mutant(
    'pages.limit-maximum',
    'A limit of exactly 10000 is refused.',
    [`${v2}.limit-bounds`],
    seeing(pageNames, () => async ({ call, operation, query, next }) => {
      const response = await next(call)
      return response.status === 200 && query.get('limit') === '10000' ? logError(operation, 400) : response
    }),
  ),
  mutant(
    'pages.ascending-to-inclusive',
    'With order=asc, the range holds the entries at to.',
    [`${v2}.to-exclusive`],
    seeing(pageNames, () => async ({ call, query, next, ask }) => {
      const response = await next(call)
      if (response.status !== 200 || query.get('order') !== 'asc' || !query.has('from') || !query.has('to'))
        return response
      const to = new Date(String(query.get('to')))
      const end = new Date(to.getTime() + 1).toISOString()
      const longer = await ask(withQuery(call, (other) => other.set('to', end)))
      if (longer.status !== 200) return response
      return editJson(longer, 200, (page: { query: object }) => ({ ...page, query: { ...page.query, to } }))
    }),
  ),
  mutant(
    'pages.short-fraction',
    'The fraction of a second of from is read as milliseconds, so that .5 is 5 ms.',
    [`${v2}.from-inclusive`],
    alterParameters(
      pageNames,
      (query) => /\.\d\d?Z$/.test(query.get('from') ?? ''),
      (query) =>
        query.set(
          'from',
          String(query.get('from')).replace(/\.(\d\d?)Z$/, (_all, digits) => `.${digits.padStart(3, '0')}Z`),
        ),
    ),
  ),
  mutant(
    'pages.offset-overflows',
    'The server fails if offset + limit is above 2^63 - 1.',
    [`${v2}.2xx`],
    seeing(pageNames, () => async ({ call, operation, query, next }) => {
      const response = await next(call)
      if (response.status !== 200) return response
      const end = BigInt(query.get('offset') ?? 0) + BigInt(query.get('limit') ?? 100)
      return end >= 2n ** 63n ? logError(operation, 500) : response
    }),
  ),
]
