/** Unspecified points that the status of one request shows: spellings, credentials and bounds. */
import type { Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import { call, type Request } from '../../exchange/call.ts'
import type { Check, CheckContext, Need } from '../../exchange/check.ts'
import { need } from '../../exchange/failure.ts'
import { dayParameterOf, dayPath, operationOf } from '../../exchange/resources.ts'
import { shownDay } from '../logs/rows.ts'
import { pointCheck } from './point-check.ts'

const key = 'credentials.accessKey'
const zone = ['zoneId', key] as const
const logged = ['loggedZoneId', key] as const

interface StatusPoint {
  readonly needs?: readonly Need[]
  /** Writes the path of the operation in another way. */
  readonly respell?: (path: string) => string
  readonly request?: (context: CheckContext, operation: Operation) => Promise<Request> | Request
}

/** The points by the id of their observation. The operation is the second part of the id. */
const statusPoints: Readonly<Record<string, StatusPoint>> = {
  'management.get-pull-zone.path-case': { respell: (path) => path.replace(/\p{L}/u, (letter) => letter.toUpperCase()) },
  'management.get-pull-zone.trailing-slash': { respell: (path) => `${path}/` },
  'management.list-pull-zones.empty-parameter': { request: () => ({ search: 'page=&perPage=' }) },
  'logging.query-logs.bare-token': {
    needs: ['loggedZoneId', 'credentials.bearer'],
    request: ({ fixtures }) => ({
      credential: undefined,
      headers: { Authorization: need(fixtures.credentials.bearer, 'credentials.bearer') },
      query: { limit: '1' },
    }),
  },
  'logging.query-logs.limit-too-large': {
    request: (_, { parameters }) => {
      const { maximum = 0 } = parameters.find(({ name }) => name === 'limit')?.schema ?? {}
      return { query: { limit: `${maximum + 1}` } }
    },
  },
  'logging.query-logs.default-from': {
    request: ({ now }, { retentionMs = dayMs }) => ({
      query: { to: new Date(now().getTime() - retentionMs + dayMs / 2).toISOString(), limit: '1' },
    }),
  },
  'logging.query-logs.date-without-zone': {
    request: ({ now }) => ({
      query: { from: new Date(now().getTime() - hourMs).toISOString().slice(0, 19), limit: '1' },
    }),
  },
  'logging.read-log-file.date-form': {
    request: ({ now }, operation) => ({
      path: { [assertDefined(dayParameterOf(operation))]: now().toISOString().slice(0, 10) },
      query: { end: '1' },
    }),
  },
  'logging.read-log-file.status-codes': {
    request: async (context, operation) => ({
      path: dayPath(operation, (await shownDay(context)).day),
      query: { status: '404,500', end: '1' },
    }),
  },
}

export const statusPointChecks: readonly Check[] = Object.entries(statusPoints).map(
  ([id, { needs, respell, request }]) => {
    const operation = operationOf(id.split('.')[1] ?? '')
    const sent = respell ? { ...operation, path: respell(operation.path) } : operation
    const usual = operation.interface === 'logging' ? logged : zone
    return pointCheck(id, { effect: operation.effect, needs: needs ?? usual }, async (context) => ({
      [id]: { status: (await call(context, sent, (await request?.(context, operation)) ?? {})).status },
    }))
  },
)
