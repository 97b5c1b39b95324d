import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { jsonOf, prepared, type ReceivedResponse } from '../../core/answer.ts'
import { call, credentialOf, type SentCredential } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { need, Skip } from '../../core/failure.ts'
import { pageOf, queryLogs, type Row, range, rowTime, sample } from '../../core/logs.ts'
import { wrongKey } from '../contract/credentials.ts'
import { operationOf } from '../resources.ts'
import type { Probe } from './probe.ts'
import { schemaOf } from './schema.ts'
import { seenAnswer, tellingHeaders } from './seen.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Records unspecified behaviour of version 2 of the logging interface. */
export const loggingProbes: readonly Probe[] = [
  {
    name: 'logging.query-logs.sample',
    points: [
      'logging.log-entry.fields',
      'logging.query-logs.timestamp-style',
      'logging.query-logs.null-fields',
      'logging.query-logs.request-ids',
      'logging.query-logs.tie-order',
    ],
    effect: 'read',
    needs,
    observe: async (context) => {
      const { from, to, rows } = await sample(context)
      const order = await tieOrder(context, from, to, rows)
      return {
        'logging.log-entry.fields': schemaOf(rows).properties,
        'logging.query-logs.timestamp-style': distinct(
          rows.map(({ timestamp }) => /(Z|[+-]\d\d:\d\d)$/.exec(String(timestamp))?.[0] ?? 'no zone'),
        ),
        'logging.query-logs.null-fields': rows.some((row) => Object.values(row).includes(null)) ? 'null' : 'omitted',
        'logging.query-logs.request-ids': requestIds(rows),
        ...(order !== undefined && { 'logging.query-logs.tie-order': order }),
      }
    },
  },
  {
    name: 'logging.query-logs.body',
    points: [
      'logging.query-logs.body',
      'logging.service.newest-row',
      'logging.query-logs.empty-page',
      'logging.query-logs.page-cap',
      'logging.query-logs.future-to',
      'logging.rate-limit.other',
      'logging.versioning.deprecation',
    ],
    effect: 'read',
    needs,
    observe: async (context) => {
      const operation = operationOf('query-logs')
      const now = context.now().getTime()
      const answer = prepared(await call(context, operation, { query: { limit: '1' } }), 'a page of the logs')
      const { data: _, ...outer } = toRecord(jsonOf(answer))
      const empty = jsonOf(
        prepared(
          await call(context, operation, { query: { ...range(now - 60_000, now), requestId: 'f'.repeat(32) } }),
          'an empty page',
        ),
      )
      const wide = await queryLogs(context, { ...range(now - 60_000, now), limit: '10000' })
      const future = range(now - 60_000, now + 3_600_000)
      const { to } = (await queryLogs(context, { ...future, limit: '1' })).query
      const headers = tellingHeaders(answer)
      const newest = (await queryLogs(context, { limit: '1' })).rows[0]
      return {
        ...(newest && { 'logging.service.newest-row': ageOf(now - rowTime(newest)) }),
        'logging.query-logs.body': { status: answer.status, schema: schemaOf([outer]) },
        'logging.query-logs.empty-page': isRecord(empty) ? schemaOf([empty['data']]).type : 'no page',
        'logging.query-logs.page-cap': wide.pagination.limit,
        'logging.query-logs.future-to': Date.parse(to) === Date.parse(future.to) ? 'kept' : 'clamped',
        'logging.rate-limit.other': { headers: headers.filter((name) => !/deprecat|sunset/.test(name)) },
        'logging.versioning.deprecation': { headers: headers.filter((name) => /deprecat|sunset/.test(name)) },
      }
    },
  },
  {
    name: 'logging.query-logs.parameters',
    points: ['logging.query-logs.parameters', 'logging.errors.code-place'],
    effect: 'read',
    needs,
    observe: async (context) => {
      const operation = operationOf('query-logs')
      const unknown = await call(context, operation, { query: { limit: '1', 'conformance-unknown': '1' } })
      const invalid = await call(context, operation, { query: { order: 'sideways' } })
      const code = defined(operation.responses.find(({ status }) => status === '400')?.errorCode)
      return {
        'logging.query-logs.parameters': { 'unknown parameter': unknown.status },
        'logging.errors.code-place': { place: placeOf(code, invalid), ...seenAnswer(invalid) },
      }
    },
  },
  {
    name: 'logging.query-logs.unknown-zone',
    points: ['logging.query-logs.unknown-zone'],
    effect: 'read',
    needs: ['absentZoneId', 'credentials.accessKey'],
    observe: async (context) => {
      const pullZoneId = need(context.fixtures.absentZoneId, 'absentZoneId')
      const answer = await call(context, operationOf('query-logs'), { path: { pullZoneId } })
      return { 'logging.query-logs.unknown-zone': answer.status }
    },
  },
  {
    name: 'logging.authentication.scopes',
    points: ['logging.authentication.scopes'],
    effect: 'read',
    needs: ['loggedZoneId', 'credentials.noScope'],
    observe: async (context) => {
      const { noScope, byScope = {} } = context.fixtures.credentials
      const statuses: Record<string, number> = {}
      for (const [scope, value] of Object.entries({ 'no scope': need(noScope, 'noScope'), ...byScope }))
        statuses[scope] = (await plainPage(context, { scheme: 'bearer', value })).status
      return { 'logging.authentication.scopes': statuses }
    },
  },
  {
    name: 'logging.authentication.both-credentials',
    points: ['logging.authentication.both-credentials'],
    effect: 'read',
    needs,
    observe: async (context) => {
      const key = credentialOf(context, operationOf('query-logs'), 'AccessKey')
      const answer = await plainPage(context, key, { Authorization: 'Bearer not.a.token' })
      return { 'logging.authentication.both-credentials': { 'valid key, invalid token': answer.status } }
    },
  },
  {
    name: 'logging.authentication.both-credentials-token',
    points: ['logging.authentication.both-credentials-token'],
    effect: 'read',
    wrongKey: true,
    needs: ['loggedZoneId', 'credentials.bearer'],
    observe: async (context) => {
      const token = credentialOf(context, operationOf('query-logs'), 'bearer')
      const answer = await plainPage(context, token, { AccessKey: wrongKey(context) })
      return { 'logging.authentication.both-credentials-token': { 'invalid key, valid token': answer.status } }
    },
  },
  {
    name: 'logging.service.late-arrival',
    points: ['logging.service.late-arrival'],
    effect: 'read',
    // On a real clock, the run would have to wait for late rows.
    needs: [...needs, 'virtual-clock'],
    observe: async (context) => {
      const to = context.now().getTime() - 60_000
      const count = async () => {
        const page = await queryLogs(context, { ...range(to - 600_000, to), limit: '10000' })
        return page.rows.length
      }
      const before = await count()
      await context.wait(3_600_000)
      return { 'logging.service.late-arrival': (await count()) > before ? 'some' : 'none seen' }
    },
  },
]

function plainPage(context: CheckContext, credential: SentCredential, headers: Record<string, string> = {}) {
  return call(context, operationOf('query-logs'), { query: { limit: '1' }, credential, headers })
}

/** Reads the same range several times, to observe whether rows with equal timestamps keep their order. */
async function tieOrder(
  context: CheckContext,
  from: number,
  to: number,
  rows: readonly Row[],
): Promise<string | undefined> {
  const ties = [...Map.groupBy(rows, rowTime).values()].filter(({ length }) => length > 1)
  if (ties.length === 0) return undefined
  const first = JSON.stringify(rows)
  for (let again = 0; again < 3; again++) {
    const answer = await call(context, operationOf('query-logs'), {
      query: { ...range(from, to), order: 'asc', limit: '1000' },
    })
    if (JSON.stringify(pageOf(prepared(answer, 'the sample')).rows) !== first) return 'shuffled'
  }
  return 'stable'
}

function requestIds(rows: readonly Row[]): string {
  const ids = rows.map(({ requestId }) => requestId)
  if (ids.some((id) => id === null || id === undefined)) return 'some null'
  return new Set(ids).size < ids.length ? 'some shared' : 'unique'
}

/** Returns the age of a row by order of magnitude, because the exact value differs between runs. */
function ageOf(ms: number): string {
  const bounds = [
    [10_000, 'less than 10 s'],
    [60_000, 'less than 1 min'],
    [300_000, 'less than 5 min'],
    [3_600_000, 'less than 1 h'],
  ] as const
  return bounds.find(([bound]) => ms < bound)?.[1] ?? '1 h or more'
}

function distinct(values: readonly string[]): unknown {
  const different = [...new Set(values)].sort()
  return different.length === 1 ? different[0] : different
}

/** Returns where an answer carries a code: a path of keys, a header, or an unknown place in the text. */
function placeOf(code: string, { status, text, headers }: ReceivedResponse): string {
  if (status !== 400) throw new Skip(`an invalid parameter was answered ${status}`)
  const header = [...headers].find(([, value]) => value.includes(code))?.[0]
  if (header !== undefined) return `header ${header}`
  try {
    return keysTo(code, JSON.parse(text)) ?? 'nowhere'
  } catch {
    return text.includes(code) ? 'text' : 'nowhere'
  }
}

function keysTo(code: string, value: unknown): string | undefined {
  if (value === code) return ''
  if (!isRecord(value)) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const rest = keysTo(code, inner)
    if (rest !== undefined) return `/${key}${rest}`
  }
  return undefined
}
