import { alterCall, withHeader } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { isLaterPage, logError, logNames, pageNames, seeing } from './parts.ts'

const v2 = 'logging.query-logs'

/** How many characters of a key the faulty comparison reads. */
const comparedLength = 32

/** Mistakes about who may read logs, and for how long, that show only in some requests (§5, §7, §8). */
export const accessMutants: readonly ServerUnderTest[] = [
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
    'access.bearer-on-first-page',
    'A caller with a token may read the first page only.',
    [`${v2}.bearer`],
    seeing(pageNames, () => async ({ call, operation, query, next }) => {
      const response = await next(call)
      const isToken = !call.headers.get('AccessKey') && call.headers.get('Authorization')
      return response.status === 200 && isToken && isLaterPage(query) ? logError(operation, 403) : response
    }),
  ),
]
