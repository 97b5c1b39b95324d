import { kebabCase } from '@cdn/kit/letter-case'
import { dayMs, hourMs } from '@cdn/kit/time'
import { call, type RequestParts } from '../../exchange/call.ts'
import type { Check, CheckContext, Need } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { requireOrSkip, Skip } from '../../exchange/failure.ts'
import { wrongKey } from '../../exchange/invalid-credentials.ts'
import { type Row, rowText, timeOfLine } from '../../exchange/log-rows.ts'
import { dayParameterOf, dayPath, idPath, operationOf } from '../../exchange/resources.ts'
import { jsonOf, successOrSkip } from '../../exchange/response.ts'
import { pageOf as listPageOf } from '../../rules/state/registers.ts'
import { itemsOfLines } from '../logs/compare-rows.ts'
import { referenceOf } from '../logs/reference.ts'
import {
  fileResponse,
  maxSample,
  parsePage,
  queryLogs,
  rangeQuery,
  readFileLines,
  rowTime,
  shownDay,
} from '../logs/rows.ts'
import { validCall } from '../success-status.ts'
import { pointCheck, schemaOf, seenResponse } from './point-check.ts'

const key = 'credentials.accessKey'
const logged = ['loggedZoneId', key] as const

type ToRequest = (context: CheckContext) => Promise<RequestParts> | RequestParts
/** An unspecified point that one response shows: the operation, the needed fixtures, and the request. */
type Point = readonly [id: string, operation: string, needs: readonly Need[], request: ToRequest]

const plain: ToRequest = () => ({})
/** Selects no row, so that the schema of the page does not depend on the traffic. */
const noRow = ({ now }: CheckContext, query = {}): RequestParts => {
  const time = now().getTime()
  return { query: { ...rangeQuery(time - 60_000, time), requestId: 'f'.repeat(32), ...query } }
}

/** Makes a request with a token of the fixtures: `bearer`, `noScope`, or the token of the scope `name`. */
const withToken =
  (name: string, toRequest: ToRequest = plain): ToRequest =>
  async (context) => {
    const { byScope, bearer, noScope } = context.fixtures.credentials
    const value = requireOrSkip({ ...byScope, bearer, noScope }[name], `token ${name}`)
    return { ...(await toRequest(context)), credential: { scheme: 'bearer', value } }
  }

/** Makes a point whose request selects the resource of a fixture that the operation does not use otherwise. */
function pointTo(id: string, operation: string, fixture: 'absentZoneId' | 'absentLibraryId' | 'unloggedZoneId'): Point {
  const toRequest: ToRequest = ({ fixtures }) => ({
    path: idPath(operationOf(operation), requireOrSkip(fixtures[fixture], fixture)),
  })
  return [id, operation, [fixture, key], toRequest]
}

function pointOfLogs(id: string, toRequest: ToRequest, needs: readonly Need[] = logged): Point {
  return [`logging.${id}`, id.startsWith('read-log-file') ? 'read-log-file' : 'query-logs', needs, toRequest]
}

const points: readonly Point[] = [
  ...(['bearer', 'noScope'] as const).map((name): Point => {
    const id = `management.authentication.other-scopes${name === 'bearer' ? '.all' : ''}`
    return [id, 'get-pull-zone', ['zoneId', `credentials.${name}`], withToken(name)]
  }),
  [
    'management.add-allowed-referrer.bearer',
    'add-allowed-referrer',
    ['zoneId', key, 'credentials.bearer'],
    withToken('bearer'),
  ],
  pointTo('management.delete-watermark.error-body', 'delete-watermark', 'absentLibraryId'),
  pointTo('management.get-video-library.error-body', 'get-video-library', 'absentLibraryId'),
  pointTo('logging.query-logs.unknown-zone', 'query-logs', 'absentZoneId'),
  pointTo('logging.read-log-file.error-body', 'read-log-file', 'unloggedZoneId'),
  pointOfLogs('query-logs.body', noRow),
  pointOfLogs('query-logs.parameters', (context) => noRow(context, { 'conformance-unknown': '1' })),
  pointOfLogs('errors.code-place', () => ({ query: { order: 'sideways' } })),
  pointOfLogs('authentication.scopes', withToken('noScope', noRow), ['loggedZoneId', 'credentials.noScope']),
  ...operationOf('delete-watermark').scopes.map((scope) =>
    pointOfLogs(`authentication.scopes.${kebabCase(scope)}`, withToken(scope, noRow), [
      'loggedZoneId',
      'credentials.byScope',
    ]),
  ),
  pointOfLogs('authentication.both-credentials', (context) => ({
    ...noRow(context),
    headers: { Authorization: 'Bearer not.a.token' },
  })),
  pointOfLogs(
    'authentication.both-credentials-token',
    withToken('bearer', (context) => ({
      ...noRow(context),
      headers: { AccessKey: wrongKey(context, operationOf('read-log-file')) },
    })),
    ['loggedZoneId', 'credentials.bearer'],
  ),
  pointOfLogs('read-log-file.old-day', ({ now }) => ({
    path: dayPath(operationOf('read-log-file'), new Date(now().getTime() - 30 * dayMs)),
    query: { end: '1' },
  })),
]

/** Points that only the status of one response shows: spellings, credentials and bounds. */
const statusPoints: readonly Point[] = [
  [
    'management.get-pull-zone.path-case',
    'get-pull-zone',
    ['zoneId', key],
    () => ({ spell: (path) => path.replace(/\p{L}/u, (letter) => letter.toUpperCase()) }),
  ],
  [
    'management.get-pull-zone.trailing-slash',
    'get-pull-zone',
    ['zoneId', key],
    () => ({ spell: (path) => `${path}/` }),
  ],
  [
    'management.list-pull-zones.empty-parameter',
    'list-pull-zones',
    ['zoneId', key],
    () => ({ search: 'page=&perPage=' }),
  ],
  pointOfLogs(
    'query-logs.bare-token',
    ({ fixtures }) => ({
      credential: undefined,
      headers: { Authorization: requireOrSkip(fixtures.credentials.bearer, 'credentials.bearer') },
      query: { limit: '1' },
    }),
    ['loggedZoneId', 'credentials.bearer'],
  ),
  pointOfLogs('query-logs.limit-too-large', () => {
    const { maximum = 0 } = operationOf('query-logs').parameters.find(({ name }) => name === 'limit')?.schema ?? {}
    return { query: { limit: `${maximum + 1}` } }
  }),
  pointOfLogs('query-logs.default-from', ({ now }) => {
    const { retentionMs = dayMs } = operationOf('query-logs')
    return { query: { to: new Date(now().getTime() - retentionMs + dayMs / 2).toISOString(), limit: '1' } }
  }),
  pointOfLogs('query-logs.date-without-zone', ({ now }) => ({
    query: { from: new Date(now().getTime() - hourMs).toISOString().slice(0, 19), limit: '1' },
  })),
  pointOfLogs('read-log-file.date-form', ({ now }) => ({
    path: { [dayParameterOf(operationOf('read-log-file')) ?? '']: now().toISOString().slice(0, 10) },
    query: { end: '1' },
  })),
  pointOfLogs('read-log-file.status-codes', async (context) => ({
    path: dayPath(operationOf('read-log-file'), (await shownDay(context)).day),
    query: { status: '404,500', end: '1' },
  })),
]

/** Makes the checks of points that one response shows. */
function checksOf(of: readonly Point[], see: (response: ReceivedResponse) => unknown): Check[] {
  return of.map(([id, name, needs, toRequest]) => {
    const operation = operationOf(name)
    const wrongKey = id.endsWith('both-credentials-token') && { wrongKey: true as const }
    const send = operation.effect === 'read' ? call : validCall
    return pointCheck(id, { effect: operation.effect, needs, ...wrongKey }, async (context) => ({
      [id]: see(await send(context, operation, await toRequest(context))),
    }))
  })
}

type Observe = Parameters<typeof pointCheck>[2]

const seenRows: Observe = async (context) => {
  const { from, to, items } = await referenceOf(context)
  const rows = items.map(({ row }) => row)
  const ids = rows.map(({ requestId }) => requestId)
  const zones = rows.map(({ timestamp }) => /(Z|[+-]\d\d:\d\d)$/.exec(String(timestamp))?.[0] ?? 'no zone')
  const order = await tieOrder(context, from, to, rows)
  const isShared = new Set(ids).size < ids.length
  return {
    'logging.log-entry.fields': schemaOf(rows).properties,
    'logging.query-logs.timestamp-style': [...new Set(zones)].sort().join(', '),
    // The id of a request is a point of its own.
    'logging.query-logs.null-fields': rows.some(({ requestId, ...row }) => Object.values(row).includes(null))
      ? 'null'
      : 'omitted',
    'logging.query-logs.request-ids': ids.some((id) => id == null) ? 'some null' : isShared ? 'some shared' : 'unique',
    ...(order !== undefined && { 'logging.query-logs.tie-order': order }),
    ...surrogates(rows),
    ...(await searchCase(context, from, to, rows)),
  }
}

/** Reads the same range several times, to observe whether rows with equal timestamps keep their order. */
async function tieOrder(context: CheckContext, from: number, to: number, rows: readonly Row[]) {
  if (new Set(rows.map(rowTime)).size === rows.length) return undefined
  const request = { query: { ...rangeQuery(from, to), order: 'asc', limit: '1000' } }
  const textOf = (shown: readonly Row[]) => shown.map(rowText).join()
  for (let again = 0; again < 8; again++) {
    const response = successOrSkip(await call(context, operationOf('query-logs'), request), 'the sample')
    if (textOf(parsePage(response).rows) !== textOf(rows)) return 'shuffled'
  }
  return 'stable'
}

/**
 * Observes lone surrogates in the texts of rows, which a platform may replace. Rows with neither surrogates nor replacements show nothing.
 */
function surrogates(rows: readonly Row[]) {
  const texts = rows.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string')
  const isRaw = texts.some((text) => !text.isWellFormed())
  if (!isRaw && !texts.some((text) => text.includes('\ufffd'))) return {}
  return { 'logging.query-logs.lone-surrogates': isRaw ? 'raw' : 'replaced' }
}

/** Searches for a path of the sample with the case of its letters swapped. */
async function searchCase(context: CheckContext, from: number, to: number, rows: readonly Row[]) {
  const path = rows.map((row) => String(row['path'])).find((text) => /^[\w/.-]+$/.test(text) && /[a-z]{3}/i.test(text))
  if (path === undefined) return {}
  const search = path.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const page = await queryLogs(context, { ...rangeQuery(from, to), search, limit: `${maxSample}` })
  return { 'logging.query-logs.search-case': page.rows.length > 0 ? 'insensitive' : 'sensitive' }
}

const seenParameters: Observe = async (context) => {
  const operation = operationOf('query-logs')
  const limitOf = async (search: string) => {
    const response = await call(context, operation, { search })
    return response.status === 400 ? 'refused' : parsePage(successOrSkip(response, 'a page')).pagination.limit
  }
  const coded = successOrSkip(await call(context, operation, { headers: { 'Accept-Encoding': 'gzip' } }), 'a page')
  const repeated = await limitOf('limit=1&limit=2')
  return {
    'logging.query-logs.parameter-case': (await limitOf('Limit=3')) === 3 ? 'ignored' : 'unknown',
    'logging.query-logs.repeated-parameter':
      { 1: 'first wins', 2: 'last wins', refused: 'refused' }[String(repeated)] ?? repeated,
    'logging.query-logs.coding': coded.headers.get('content-encoding') ?? 'identity',
  }
}

const seenList: Observe = async (context) => {
  const body = jsonOf(successOrSkip(await call(context, operationOf('list-pull-zones')), 'the list'))
  const { items = [] } = listPageOf(body)
  const { action } = operationOf('add-allowed-referrer')
  const lists = items.map((item) => (action?.kind === 'add' ? item[action.field] : undefined))
  const isNull = lists.includes(null)
  const isEmpty = isNull || lists.some((list) => Array.isArray(list) && list.length === 0)
  return {
    'management.list-pull-zones.without-page': Array.isArray(body) ? 'array' : 'page',
    ...(isEmpty && { 'management.list-pull-zones.empty-list': isNull ? 'null' : 'array' }),
  }
}

const seenBounds: Observe = async (context) => {
  const now = context.now().getTime()
  const { to, from } = rangeQuery(now - 60_000, now + hourMs)
  const { pagination, query } = await queryLogs(context, { from, to, limit: '10000' })
  return {
    'logging.query-logs.page-cap': pagination.limit,
    'logging.query-logs.future-to': Date.parse(query.to) === Date.parse(to) ? 'kept' : 'clamped',
  }
}

/** Observes whether a day file has the rows that version 2 shows only with `includeOriginShield`. */
async function shieldLines(context: CheckContext) {
  const { from, to, shield } = await referenceOf(context, 'read-log-file')
  if (shield.length === 0 || to - from > dayMs) return {}
  const lines = await readFileLines(context, new Date(from), { sort: 'asc', end: `${2 * maxSample}` })
  const keys = new Set(itemsOfLines(lines).map(({ key: one }) => one))
  return { 'logging.read-log-file.shield': shield.some(({ key: one }) => keys.has(one)) ? 'included' : 'left out' }
}

const seenLines: Observe = async (context) => {
  const { day, lines } = await shownDay(context)
  const { text } = await fileResponse(context, day, { end: `${maxSample}` })
  const cut = await readFileLines(context, day, { sort: 'asc', start: '0', end: '1' })
  if (lines.length < 3) throw new Skip('the day has too few lines')
  const operation = operationOf('read-log-file')
  const request = { path: dayPath(operation, day), query: { start: '1000000' } }
  return {
    'logging.read-log-file.path': [...new Set(lines.map((line) => line.split('|').length))].sort((a, b) => a - b),
    'logging.read-log-file.order': lines.every(
      (line, index) => !(timeOfLine(line) < timeOfLine(lines[index - 1] ?? '')),
    )
      ? 'sorted'
      : 'unsorted',
    'logging.read-log-file.blank-lines': /\n\r?\n/.test(text) ? 'some' : 'none',
    ...(await shieldLines(context)),
    'logging.read-log-file.end': cut.length === 1 ? 'exclusive' : 'inclusive',
    // For a read beyond the end, the server may have to count all lines, so read beyond the end of a short file only.
    ...(lines.length < maxSample && {
      'logging.read-log-file.past-end': (await call(context, operation, request)).status,
    }),
  }
}

/** The checks of the unspecified points. The runner treats them like any other check. */
export const pointChecks: readonly Check[] = [
  ...checksOf(points, seenResponse),
  ...checksOf(statusPoints, ({ status }) => ({ status })),
  ...Object.entries({
    'logging.query-logs.sample': seenRows,
    'logging.query-logs.bounds': seenBounds,
    'logging.query-logs.notation': seenParameters,
    'logging.read-log-file.lines': seenLines,
  }).map(([name, observe]) => pointCheck(name, { effect: 'read', needs: logged }, observe)),
  pointCheck('management.list-pull-zones.list', { effect: 'read', needs: [key] }, seenList),
]
