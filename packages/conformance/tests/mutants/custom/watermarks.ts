import { alterCall, alterPath, editJson, textOf, withHeader } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { credentialKind, done, refusedAndDone } from './writing.ts'

const watermark = 'management.delete-watermark'
const onDelete = (behaviour: Behaviour) => on(['delete-watermark'], behaviour)

/** Mistakes about watermarks (§4.1, §5). */
export const watermarkMutants: readonly ServerUnderTest[] = [
  mutant(
    'watermark.id-as-double',
    'The id of a library is read as a double, so that an id beyond 2^53 addresses a neighbour.',
    [`${watermark}.library-id`, `${watermark}.404`],
    alterPath(['delete-watermark'], (path) => path.replace(/\d{16,}/, (id) => BigInt(Number(id)).toString())),
  ),
  mutant(
    'watermark.id-of-32-bits',
    'Ids that do not fit into 32 bits are unknown.',
    [`${watermark}.library-id`],
    alterPath(['delete-watermark'], (path, { fixtures }) =>
      path.replace(/\d{10,}/, (id) => (BigInt(id) < 2n ** 32n ? id : fixtures.absentLibraryId)),
    ),
  ),
  mutant(
    'watermark.not-deleted-renamed',
    'A deletion is reported as done, but the watermark stays, and the record of the library uses another field name.',
    [`${watermark}.effect`],
    on(['delete-watermark', 'get-video-library'], () => async (call, operation, next) => {
      if (operation.name === 'delete-watermark') return done
      const response = await next(call, operation)
      return editJson(response, 200, ({ HasWatermark, ...record }) => ({ ...record, hasWatermark: HasWatermark }))
    }),
  ),
  mutant(
    'watermark.stale-read',
    'Every read of a library returns its first state.',
    [`${watermark}.effect`],
    on(['get-video-library'], () => {
      let first: string | undefined
      return async (call, operation, next) => {
        const response = await next(call, operation)
        if (response.status !== 200) return response
        first ??= textOf(response)
        return { ...response, body: first }
      }
    }),
  ),
  mutant(
    'watermark.body-demanded',
    'A deletion without a request body is refused.',
    [`${watermark}.no-request-body`, `${watermark}.204`],
    onDelete(() => async (call, operation, next) => {
      const { length } = await call.body()
      return length === 0 ? { status: 411, headers: {}, body: null } : next(call, operation)
    }),
  ),
  ...['none', 'wrong-key', 'expired-token', 'forged-token', 'unsigned-token'].map((kind) =>
    mutant(
      `watermark.401-and-deleted.${kind}`,
      `A deletion is answered 401 and still done (${kind}).`,
      [`${watermark}.401`],
      refusedAndDone('delete-watermark', (sent, emulator) => credentialKind(sent, emulator) === kind),
    ),
  ),
  mutant(
    'watermark.scope-missing-and-deleted',
    'A token without scopes is refused and still deletes the watermark.',
    [`${watermark}.scope-missing`],
    refusedAndDone('delete-watermark', ({ bearer }, { fixtures }) => bearer === fixtures.credentials.noScope),
  ),
  mutant(
    'watermark.token-needs-key',
    'A bearer token counts only together with an API key.',
    [`${watermark}.bearer`],
    alterCall(['delete-watermark'], (call) =>
      call.headers.get('AccessKey') ? call : withHeader(call, 'Authorization', null),
    ),
  ),
  mutant(
    'watermark.key-needs-token',
    'An API key counts only together with a bearer token.',
    [`${watermark}.access-key`],
    alterCall(['delete-watermark'], (call) =>
      call.headers.get('Authorization') ? call : withHeader(call, 'AccessKey', null),
    ),
  ),
]
