import { dayMs } from '@cdn/kit/time'
import { alterCall, alterPath, alterResponse, editRows, withHeader } from '../alter.ts'
import { mutant, type ServerMutant } from '../mutant.ts'
import { errorWith, filterNamesOf, isLaterPage, logError, logNames, pageNames, seeing, timeOf } from './parts.ts'

const v2 = 'logging.query-logs'

/** How many characters of a key the faulty comparison reads. */
const comparedLength = 32

/** Mistakes about who may read logs, and for how long, that show only in some requests (§5, §7, §8). */
export const unseenAccess: readonly ServerMutant[] = [
  mutant(
    'access.key-prefix',
    `Only the first ${comparedLength} characters of an API key are compared.`,
    ['logging.authentication.invalid'],
    alterCall(logNames, (call, { emulator }) => {
      const key = call.headers.get('AccessKey') ?? ''
      if (key.length < comparedLength || emulator.state.keys.has(key)) return call
      const known = [...emulator.state.keys.keys()].find((other) => other.startsWith(key.slice(0, comparedLength)))
      return known === undefined ? call : withHeader(call, 'AccessKey', known)
    }),
  ),
  mutant(
    'access.zone-before-credentials',
    'The state of a pull zone is examined before the credentials, so that a request without any learns it.',
    ['logging.authentication.missing'],
    seeing(logNames, ({ state }) => async ({ call, operation, next }) => {
      const response = await next(call)
      const zone = state.zones.get(/(\d+)(?:\.log|\/logs)$/.exec(call.path)?.[1] ?? '')
      if (response.status !== 401 || !zone) return response
      if (zone.status !== 'active') return logError(operation, 403)
      return zone.logging === 'disabled' ? logError(operation, 404) : response
    }),
  ),
  mutant(
    'access.suspended-by-request-id',
    'A query for a request id shows the logs of a suspended pull zone.',
    [`${v2}.403-suspended`],
    seeing(pageNames, ({ state }) => async ({ call, query, next }) => {
      const suspended = [...state.zones.values()].filter(({ status }) => status === 'suspended')
      const zone = suspended.find(({ id }) => call.path.includes(`/${id}/`))
      if (!zone || !query.has('requestId')) return next(call)
      zone.status = 'active'
      try {
        return await next(call)
      } finally {
        zone.status = 'suspended'
      }
    }),
  ),
  mutant(
    'access.zone-id-of-32-bits',
    'The id of a pull zone is cut to 32 bits, so that an absent one shows the logs of another.',
    [`${v2}.zone`],
    alterPath(pageNames, (path) => path.replace(/\d{10,19}/, (id) => BigInt.asUintN(32, BigInt(id)).toString())),
  ),
  mutant(
    'access.bearer-on-first-page',
    'A caller with a token may read the first page only.',
    [`${v2}.bearer`],
    seeing(pageNames, () => async ({ call, operation, query, next }) => {
      const response = await next(call)
      const isToken = !call.headers.get('AccessKey') && call.headers.get('Authorization')
      return response.status === 200 && isToken && isLaterPage(query) ? logError(operation, 403) : response
    }),
  ),
  mutant(
    'access.expired-code',
    'A 403 for an expired token has a code of its own.',
    ['logging.errors.forbidden'],
    alterResponse(logNames, (response, { call, emulator }) => {
      const { expired } = emulator.fixtures.credentials
      const isExpired = call.headers.get('Authorization')?.endsWith(expired)
      return response.status === 403 && isExpired ? errorWith(403, 'token_expired', 'The token has expired.') : response
    }),
  ),
  mutant(
    'access.filtered-two-days',
    'A query with a filter reads an index of the last two days only.',
    ['logging.retention.3-days'],
    alterResponse(pageNames, (response, { call, emulator }) => {
      const oldest = emulator.clock.now().getTime() - 2 * dayMs
      if (filterNamesOf(new URLSearchParams(call.query)).length === 0) return response
      return editRows(response, (rows) => rows.filter((row) => timeOf(row) >= oldest))
    }),
  ),
]
