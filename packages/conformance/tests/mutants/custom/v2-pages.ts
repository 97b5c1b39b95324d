import { hourMs } from '@cdn/kit/time'
import { alterCall, alterResponse, editJson, editRows, editText } from '../alter.ts'
import { type Behaviour, mutant, type ServerUnderTest } from '../mutant.ts'
import { alterValue } from './query-logs.ts'

const v2 = 'logging.query-logs'
const names = ['query-logs']

interface PageBody {
  readonly pagination: { readonly limit: number; readonly returned: number; readonly hasMore: boolean }
}

/** Mistakes about the pages and ranges of version 2. */
export const v2PageMutants: readonly ServerUnderTest[] = [
  mutant(
    'v2.pages-gap',
    'An entry between two pages is left out.',
    [`${v2}.pagination`],
    shiftNumber('offset', (offset) => (offset > 0 ? offset + 1 : 0)),
  ),
  mutant(
    'v2.page-twice',
    'Every page but the first holds its first entry twice.',
    [`${v2}.pagination`],
    alterResponse(names, (response, { call }) =>
      /offset=[1-9]/.test(call.query) ? editRows(response, (rows) => [...rows.slice(0, 1), ...rows]) : response,
    ),
  ),
  mutant('v2.no-more', 'hasMore is never true.', [`${v2}.pagination`, `${v2}.has-more`], alwaysMore(false)),
  mutant('v2.has-more-always', 'hasMore is always true.', [`${v2}.has-more`], alwaysMore(true)),
  mutant(
    'v2.more-when-full',
    'hasMore is true on a last page that is full.',
    [`${v2}.has-more`],
    alterResponse(names, (response) =>
      editJson(response, 200, (page: PageBody) => {
        const { pagination } = page
        const hasMore = pagination.hasMore || pagination.returned === pagination.limit
        return { ...page, pagination: { ...pagination, hasMore } }
      }),
    ),
  ),
  mutant(
    'v2.echo-returned',
    'returned is always the limit.',
    [`${v2}.echo`],
    alterResponse(names, (response) =>
      editJson(response, 200, (page: PageBody) => {
        return { ...page, pagination: { ...page.pagination, returned: page.pagination.limit + 1 } }
      }),
    ),
  ),
  mutant(
    'v2.from-exclusive',
    'The range excludes the entries at from.',
    [`${v2}.from-inclusive`, `${v2}.partition`],
    shiftTime('from', (time) => time + 1),
  ),
  mutant(
    'v2.from-early',
    'The range begins a millisecond early.',
    [`${v2}.partition`],
    shiftTime('from', (time) => time - 1),
  ),
  mutant(
    'v2.to-inclusive',
    'The range includes the entries at to.',
    [`${v2}.to-exclusive`, `${v2}.partition`],
    shiftTime('to', (time) => time + 1),
  ),
  mutant(
    'v2.whole-seconds',
    'from and to are cut to whole seconds.',
    [`${v2}.partition`],
    alterCall(names, (call) => ({ ...call, query: call.query.replaceAll(/\.\d{3}Z/g, 'Z') })),
  ),
  mutant(
    'v2.local-time',
    'Timestamps are shown in local time but marked as UTC.',
    [`${v2}.from-inclusive`, `${v2}.to-exclusive`],
    alterResponse(names, (response) =>
      editRows(response, (rows) =>
        rows.map((row) => {
          const time = Date.parse(String(row['timestamp'])) + 2 * hourMs
          return { ...row, timestamp: new Date(time).toISOString() }
        }),
      ),
    ),
  ),
  mutant(
    'v2.order-swapped',
    'asc and desc are swapped.',
    [`${v2}.order`],
    alterValue('order', (order) => (order === 'asc' ? 'desc' : 'asc')),
  ),
  mutant(
    'v2.order-in-page',
    'Each page is sorted by size.',
    [`${v2}.order`],
    alterResponse(names, (response) =>
      editRows(response, (rows) => [...rows].sort((a, b) => Number(a['bytesSent']) - Number(b['bytesSent']))),
    ),
  ),
  mutant(
    'v2.limit-clamped',
    'A limit that is too large is lowered instead of refused.',
    [`${v2}.limit-bounds`],
    shiftNumber('limit', (limit) => Math.min(limit, 10_000)),
  ),
  mutant(
    'v2.limit-zero',
    'A limit of 0 is treated as omitted.',
    [`${v2}.limit-bounds`],
    shiftNumber('limit', (limit) => limit || 100),
  ),
]

function shiftNumber(name: string, change: (value: number) => number) {
  return alterValue(name, (value) => String(change(Number(value))))
}

function shiftTime(name: string, change: (time: number) => number) {
  return alterValue(name, (value) => new Date(change(Date.parse(value))).toISOString())
}

/** Makes `hasMore` the same on every page. */
function alwaysMore(value: boolean): Behaviour {
  return alterResponse(names, (response) =>
    editText(response, 200, (text) => text.replace(`"hasMore":${!value}`, `"hasMore":${value}`)),
  )
}
