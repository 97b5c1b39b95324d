/** Mistakes of the management interface that no operator makes (§2, §4.1, §4.2). */
import { type Item, operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import {
  alterCall,
  alterPath,
  alterResponse,
  editJson,
  editText,
  isSuccess,
  jsonBody,
  keepBody,
  sharedResponse,
  textOf,
  withBody,
  withQuery,
} from '../alter-calls.ts'
import { type Behaviour, mutantsOf, onOperations, type ServerUnderTest, withAnyRequest } from '../mutant.ts'
import { changes, type Handled, replaceListAfter, replaceStateAfter } from '../operators/changed-state.ts'

const [adding, removing, deleting] = ['add-allowed-referrer', 'remove-allowed-referrer', 'delete-watermark']
const zones = '/pullzone'
const changeOf = (name: string) => assertDefined(changes.find((operation) => operation.name === name))

/** Changes items of a collection after each success of an operation: by default, all items. */
const after = (name: string, collection: string, fields: Item, isMeant = (_: Item, __: Handled) => true): Behaviour =>
  replaceStateAfter(changeOf(name), (done) => {
    const items = (done.after[collection] ?? []).map((item) => (isMeant(item, done) ? { ...item, ...fields } : item))
    return isSuccess(done.response) ? { ...done.after, [collection]: items } : done.after
  })

/** Accepts an empty hostname if the list is not empty. */
const emptyLater: Behaviour = onOperations(
  [adding],
  ({ state: { resources }, variants }) =>
    async (received, operation, next) => {
      const call = keepBody(received)
      const response = await next(call, operation)
      const id = call.path.split('/')[2] ?? ''
      const before = (resources.item(zones, id)?.['AllowedReferrers'] ?? []) as readonly string[]
      const { Hostname: hostname } = toRecord(await jsonBody(call))
      if (response.status !== 400 || hostname !== '' || before.length === 0) return response
      resources.change(zones, id, { AllowedReferrers: [...before, ''] })
      return { status: variants.addSuccess, headers: {}, body: null }
    },
)

const referrerMutants = mutantsOf(`management.${adding}`, {
  'referrers: each addition drops the oldest one': [
    'one-per-call effect',
    replaceListAfter(
      changeOf(adding),
      ({ response, earlier, sent }) => isSuccess(response) && [...earlier.slice(1), sent],
    ),
  ],
  'referrers: they are one text with commas': [
    'collection effect management.get-pull-zone.body',
    alterResponse(['get-pull-zone'], (response) =>
      editJson(response, 200, (zone) => ({ ...zone, AllowedReferrers: String(zone['AllowedReferrers']) })),
    ),
  ],
  'referrers: JSON is refused with 415': [
    '2xx',
    onOperations([adding], () => async () => ({ status: 415, headers: {}, body: null })),
  ],
  'referrers: a JSON string is accepted as the hostname': ['request-object 400', coercing((body) => body)],
  'referrers: a Hostname of any type is taken as text': [
    'hostname-type 400',
    coercing((body) => toRecord(body)['Hostname']),
  ],
  'referrers: text after the first JSON object of a body is ignored': [
    'request-object 400',
    onOperations([adding], () => (call, operation, next) => {
      const body = async () =>
        Buffer.from(
          Buffer.from(await call.body())
            .toString()
            .replace(/(?<=^\{[^{}]*\}).*$/s, ''),
        )
      return next({ ...call, body }, operation)
    }),
  ],
  'referrers: an empty hostname is added to a list that is not empty': ['hostname-length 400', emptyLater],
  'referrers: the first addition after a refused one is lost': [
    'effect',
    replaceListAfter(changeOf(adding), ({ response, earlier, memory, call, before }) => {
      if (response.status === 400) memory.set(call.path, before)
      return isSuccess(response) && memory.delete(call.path) && earlier
    }),
  ],
  'referrers: an addition changes how addresses are anonymised': [
    'effect',
    after(adding, zones, { LogAnonymizationType: 1 }, ({ Id }, { call }) => call.path.split('/')[2] === String(Id)),
  ],
  'referrers: a hostname in upper case removes the one in lower case': [
    `management.${removing}.effect management.${removing}.one-per-call`,
    replaceListAfter(
      changeOf(removing),
      ({ response, values, sent }) =>
        isSuccess(response) && values.filter((each) => String(each).toLowerCase() !== sent.toLowerCase()),
    ),
  ],
})

/** Takes a value of the body as the hostname: the body itself if it is a text, or a field that is neither a text nor an object. */
function coercing(read: (body: unknown) => unknown): Behaviour {
  return onOperations([adding], () => async (received, operation, next) => {
    const call = keepBody(received)
    const body = await jsonBody(call)
    const value = read(body)
    const isOther = value !== undefined && (value === body ? typeof value === 'string' : !isHostname(value))
    return next(isOther ? withBody(call, { Hostname: String(value) }) : call, operation)
  })
}

const isHostname = (value: unknown) => typeof value === 'string' || (typeof value === 'object' && value !== null)

const watermarkMutants = mutantsOf(`management.${deleting}`, {
  'watermark: an id is read as a double': [
    'library-id 404',
    alterPath([deleting], (path) => path.replace(/\d{16,}/, (id) => BigInt(Number(id)).toString())),
  ],
  'watermark: ids beyond 32 bits are unknown': [
    'library-id',
    alterPath([deleting], (path, { fixtures }) =>
      path.replace(/\d{10,}/, (id) => (BigInt(id) < 2n ** 32n ? id : fixtures.absentLibraryId)),
    ),
  ],
  'watermark: an id beyond 64 bits starts again at zero': [
    '404 library-id',
    alterPath([deleting], (path) => path.replace(/\d{20,}/, (id) => BigInt.asUintN(64, BigInt(id)).toString())),
  ],
  'watermark: a deletion without a body is refused': [
    'no-request-body 204',
    onOperations([deleting], () => async (call, operation, next) => {
      const { length } = await call.body()
      return length === 0 ? { status: 411, headers: {}, body: null } : next(call, operation)
    }),
  ],
  'watermark: a deletion sets the used bandwidth of each pull zone back': [
    'effect',
    after(deleting, zones, { MonthlyBandwidthUsed: -1 }),
  ],
})

/** Operations that return an array without `page`, and an object with `page`. */
const listed = operations
  .filter(({ action, responses }) => {
    const { anyOf = [] } = responses.find(({ status }) => status === '200')?.content['application/json'] ?? {}
    return action?.kind === 'list' && anyOf.some(({ type }) => type === 'array')
  })
  .map(({ name }) => name)
const pages = listed.map((name) => `${name}.pages`).join(' ')
const isPage = (query: string) => Number(new URLSearchParams(query).get('page')) > 0

/** Whether a query requests a page whose next page has a valid number: at most 1000. */
const isSmallPage = (query: URLSearchParams) => isPage(query.toString()) && Number(query.get('page')) < 1_000

const listMutants = mutantsOf('management', {
  'list: without page, it is a page': [
    pages,
    alterCall(listed, (call) => withQuery(call, (query) => query.get('page') ?? query.set('page', '1'))),
  ],
  'list: a page shows the items of the next one': [
    pages,
    alterCall(listed, (call) =>
      withQuery(call, (query) => isSmallPage(query) && query.set('page', `${Number(query.get('page')) + 1}`)),
    ),
  ],
  'list: HasMoreItems is true on the last page': [
    pages,
    alterResponse(listed, (response, { call }) =>
      isPage(call.query) ? editJson(response, 200, (page) => ({ ...page, HasMoreItems: true })) : response,
    ),
  ],
  'list: search selects nothing': [
    pages,
    alterResponse(listed, (response, { call }) =>
      call.query.includes('search=') ? editText(response, 200, () => '[]') : response,
    ),
  ],
  'parallel: reads of pull zones at once get the response of the last one': [
    'get-pull-zone.id',
    sharedResponse('get-pull-zone'),
  ],
  'parallel: reads of libraries at once get the response of the last one': [
    'get-video-library.id',
    sharedResponse('get-video-library'),
  ],
})

/** Serves a path in another spelling as the plain path, with a valid key. */
const spelled = (
  id: string,
  breaks: string,
  of: 'management' | 'logging',
  isMeant: (path: string) => boolean,
): ServerUnderTest =>
  withAnyRequest(id, [breaks], (request, { managementUrl, loggingUrl, fixtures }) => {
    const url = new URL(request.url)
    if (!request.url.startsWith(String(of === 'management' ? managementUrl : loggingUrl)) || !isMeant(url.pathname))
      return undefined
    url.pathname = url.pathname
      .replace(/\/$|;x$/, '')
      .replaceAll('//', '/')
      .toLowerCase()
    const headers = new Headers(request.headers)
    headers.set('AccessKey', fixtures.credentials.accessKey)
    return new Request(url, { method: request.method, headers })
  })

/** Answers a read of one fixture with the id of another one. */
function otherId(
  read: string,
  from: 'distantLibraryId' | 'loggedZoneId',
  to: 'libraryId' | 'otherLoggedZoneId',
): Behaviour {
  return alterResponse([read], (response, { call, emulator: { fixtures } }) =>
    call.path.endsWith(`/${fixtures[from]}`)
      ? editText(response, 200, (text) => text.replace(/"Id":\s*\d+/, `"Id":${fixtures[to]}`))
      : response,
  )
}

const bodyMutants = mutantsOf('management', {
  'pull zone: the body begins with a byte order mark': [
    'get-pull-zone.encoding',
    alterResponse(['get-pull-zone'], (response) =>
      response.body === null ? response : { ...response, body: `\ufeff${textOf(response)}` },
    ),
  ],
  'library: the distant one is answered with the first one': [
    'get-video-library.id',
    otherId('get-video-library', 'distantLibraryId', 'libraryId'),
  ],
  'pull zone: the logged one is answered with another one': [
    'get-pull-zone.id',
    otherId('get-pull-zone', 'loggedZoneId', 'otherLoggedZoneId'),
  ],
})

export const managementMutants: readonly ServerUnderTest[] = [
  ...bodyMutants,
  spelled('path: a slash at the end needs no key', 'management.authentication.missing', 'management', (path) =>
    path.endsWith('/'),
  ),
  spelled('path: in other letter case, no key is needed', 'management.authentication.missing', 'management', (path) =>
    /[A-Z]{4}/.test(path),
  ),
  spelled('path: a page with a path parameter needs no key', 'logging.authentication.missing', 'logging', (path) =>
    path.endsWith(';x'),
  ),
  ...referrerMutants,
  ...watermarkMutants,
  ...listMutants,
  withAnyRequest(
    'method: GET on the path of an addition adds the hostname of its query',
    [`management.${adding}.effect`],
    ({ method, url }, { state: { resources } }) => {
      const { pathname, searchParams } = new URL(url)
      const [, , id = '', name] = pathname.split('/')
      const item = resources.item(zones, id)
      if (method !== 'GET' || name !== 'addAllowedReferrer' || !item) return undefined
      const hostnames = (item['AllowedReferrers'] ?? []) as readonly string[]
      resources.change(zones, id, { AllowedReferrers: [...hostnames, searchParams.get('Hostname')] })
      return undefined
    },
  ),
]
