import { alterCall, alterResponse, editLines, editRows, textOf, withHeader, withQuery } from '../alter.ts'
import { type Behaviour, mutant, type ServerMutant } from '../mutant.ts'
import { follows, hostnamesOf, list, mark, onSuccess, undone } from './change-state.ts'
import { counting } from './memory.ts'
import { fileNames, filterNamesOf, isLaterPage, logError, logNames, pageNames, seeing } from './parts.ts'

const deletion = 'management.delete-watermark'
const addition = 'management.add-allowed-referrer'
const v2 = 'logging.query-logs'
const hourMs = 3_600_000

type Call = Parameters<Parameters<typeof alterCall>[1]>[0]

const isToken = ({ headers }: Call) => !headers.get('AccessKey') && Boolean(headers.get('Authorization'))
const idOf = ({ path }: Call) => path.split('/')[2] ?? ''

/** Servers that an earlier form of the suite did not detect. A reviewer derived them from the specification alone. */
export const reviewedMutants: readonly ServerMutant[] = [
  mutant(
    'reviewed.delete-bearer-nothing',
    'With a token, a deletion succeeds and deletes nothing.',
    [`${deletion}.effect`],
    onSuccess('delete-watermark', ({ isToken, before, after }) => (isToken ? before : after)),
  ),
  mutant(
    'reviewed.delete-returns-3s',
    'A deleted watermark is there again three seconds later.',
    [`${deletion}.effect`],
    undone('delete-watermark', ({ ms }) => ms >= 3_000),
  ),
  mutant(
    'reviewed.delete-int64-top-500',
    'Ids from 2^62 are answered 500.',
    [`${deletion}.404`],
    replying('delete-watermark', 404, (call) => /^\d+$/.test(idOf(call)) && BigInt(idOf(call)) >= 2n ** 62n, 500),
  ),
  mutant(
    'reviewed.delete-absent-bearer-401',
    'With a token, an absent library is answered 401.',
    [`${deletion}.404`],
    replying('delete-watermark', 404, isToken, 401),
  ),
  mutant(
    'reviewed.delete-two-libraries',
    'A deletion also deletes the watermark of the next library.',
    [`${deletion}.effect`],
    onSuccess('delete-watermark', ({ after, id }) => mark(after, false, follows(id))),
  ),
  mutant(
    'reviewed.add-one-char-refused',
    'A hostname of one character is refused.',
    [`${addition}.hostname-length`],
    seeing(['add-allowed-referrer'], () => async ({ call, next }) => {
      const bytes = await call.body()
      const isShort = /"Hostname"\s*:\s*"[^"\\]"/.test(new TextDecoder().decode(bytes))
      return next({ ...call, body: async () => (isShort ? new TextEncoder().encode('{"Hostname":""}') : bytes) })
    }),
  ),
  mutant(
    'reviewed.add-twice-removes',
    'Adding a hostname that is there removes it.',
    [`${addition}.effect`],
    onSuccess('add-allowed-referrer', ({ before, after, id, hostname }) =>
      hostnamesOf(before, id).includes(hostname)
        ? list(after, id, (names) => names.filter((name) => name !== hostname))
        : after,
    ),
  ),
  mutant(
    'reviewed.add-vanishes-3s',
    'An added hostname is gone three seconds later.',
    [`${addition}.effect`],
    undone('add-allowed-referrer', ({ ms }) => ms >= 3_000),
  ),
  mutant(
    'reviewed.add-long-cut',
    'An added hostname is cut after 64 characters.',
    [`${addition}.effect`],
    onSuccess('add-allowed-referrer', ({ after, id, hostname }) =>
      list(after, id, (names) => names.map((name) => (name === hostname ? String(name).slice(0, 64) : name))),
    ),
  ),
  mutant(
    'reviewed.add-wrong-key-ok',
    'The addition of a referrer accepts any key.',
    [`${addition}.access-key`],
    alterCall(['add-allowed-referrer'], (call, { emulator }) =>
      call.headers.get('AccessKey') ? withHeader(call, 'AccessKey', emulator.fixtures.credentials.accessKey) : call,
    ),
  ),
  mutant(
    'reviewed.log-limit-5s',
    'The rate limit is 30 requests per 5 seconds.',
    ['logging.rate-limit.429'],
    counting(() => (times, _version, now) => {
      const isFull = times.filter((time) => time > now - 5_000).length >= 30
      return isFull ? times.length : times.length + 1
    }),
  ),
  mutant(
    'reviewed.v1-bearer-empty',
    'With a token, a file of version 1 is empty.',
    ['logging.bearer'],
    alterResponse(fileNames, (response, { call }) => (isToken(call) ? editLines(response, () => []) : response)),
  ),
  mutant(
    'reviewed.lag-3h',
    'Both versions show a request three hours later.',
    ['logging.service.near-real-time'],
    alterResponse(logNames, (response, { operation, emulator }) => {
      const shown = emulator.clock.now().getTime() - 3 * hourMs
      return operation.name === 'query-logs'
        ? editRows(response, (rows) => rows.filter((row) => Date.parse(String(row['timestamp'])) < shown))
        : editLines(response, (lines) => lines.filter((line) => Number(line.split('|')[2]) < shown))
    }),
  ),
  mutant(
    'reviewed.page-filter-skip',
    'With a filter, a later page leaves out its first row.',
    [`${v2}.pagination`],
    alterResponse(pageNames, (response, { call }) => {
      const query = new URLSearchParams(call.query)
      const isHit = response.status === 200 && isLaterPage(query) && filterNamesOf(query).length > 0
      return isHit ? editRows(response, (rows) => rows.slice(1)) : response
    }),
  ),
  mutant(
    'reviewed.filter-bearer-ignored',
    'With a token, the filter by status is ignored.',
    [`${v2}.status-filter`],
    alterCall(pageNames, (call) => (isToken(call) ? withQuery(call, (query) => query.delete('status')) : call)),
  ),
  mutant(
    'reviewed.retention-70h',
    'Entries are gone after 70 hours.',
    ['logging.retention.3-days'],
    alterResponse(logNames, (response, { operation, emulator }) => {
      const kept = emulator.clock.now().getTime() - 70 * hourMs
      return operation.name === 'query-logs'
        ? editRows(response, (rows) => rows.filter((row) => Date.parse(String(row['timestamp'])) >= kept))
        : editLines(response, (lines) => lines.filter((line) => Number(line.split('|')[2]) >= kept))
    }),
  ),
  mutant(
    'reviewed.v2-latin1',
    'A page of version 2 is encoded as Latin-1.',
    [`${v2}.json`],
    alterResponse(pageNames, (response) =>
      response.status === 200
        ? { ...response, body: Uint8Array.from(Buffer.from(textOf(response), 'latin1')) }
        : response,
    ),
  ),
]

/** Replaces one status by another in the responses to some calls. */
function replying(name: string, from: number, selects: (call: Call) => boolean, status: number): Behaviour {
  return seeing([name], () => async ({ call, operation, next }) => {
    const response = await next(call)
    return response.status === from && selects(call) ? { ...logError(operation, status), status } : response
  })
}
