import { type Client, wrapAsPathBasedClient } from 'openapi-fetch'
import { expectTypeOf, test } from 'vitest'
import {
  type ApiError,
  type CacheStatus,
  createLoggingClient,
  createManagementClient,
  isApiError,
  type LogFileRow,
  type LoggingErrorOf,
  type LoggingPaths,
  type LogRow,
  type MalformedLine,
  type ManagementClient,
  type ManagementErrorOf,
  type ManagementPaths,
  paginate,
  readLogFile,
  readLogs,
  unwrap,
} from './index.ts'
import type { CallResult } from './named-client.ts'

// The compiler checks the calls. They never run.
test('types of the calls', () => {
  for (const checked of [calls, options, narrowing, idiom, addOns]) expectTypeOf(checked).toBeFunction()
})

type Call = Parameters<ManagementClient['GET']>

/** The options of a call: the values of known options are checked, and unknown options do not compile. */
async function options(client: ManagementClient): Promise<void> {
  await client.GET('/pullzone', { timeout: 5000, idleTimeout: false, retry: { attempts: 3 } })
  await client.GET('/pullzone', { fetch: async (request: Request) => new Response(request.url), parseAs: 'text' })
  await client.GET('/pullzone', { querySerializer: { array: { style: 'form', explode: false } } })
  // @ts-expect-error: the time is a number of milliseconds
  await client.GET('/pullzone', { timeout: '5s' })
  // @ts-expect-error: did you mean timeout
  await client.GET('/pullzone', { timeOut: 5000 })
  // @ts-expect-error: did you mean retry
  await client.GET('/pullzone', { retries: 3 })
  // @ts-expect-error: the option is attempts
  await client.GET('/pullzone', { retry: { attempt: 3 } })
  // @ts-expect-error: the query is in params
  await client.GET('/pullzone', { query: { page: 1 } })
  // @ts-expect-error: no such format
  await client.GET('/pullzone', { parseAs: 'xml' })
  expectTypeOf<Call>().not.toBeAny()
}

type Paths = ManagementPaths & LoggingPaths
type Operation<Path extends keyof Paths> = Extract<
  Paths[Path][keyof Paths[Path] & ('get' | 'put' | 'post' | 'delete')],
  { responses: unknown }
>
type Results = { [Path in keyof Paths]: CallResult<Operation<Path>, 'json'> }[keyof Paths]
type Refusal = Extract<Results, { data?: never; error: unknown }>
type Bodies = {
  [Path in keyof Paths]: Operation<Path>['responses'][keyof Operation<Path>['responses'] & 200]
}[keyof Paths]

/** Every operation: `if (error)` decides between data and error. */
function narrowing(result: Results): void {
  expectTypeOf<Refusal['error']>().not.toBeNever()
  expectTypeOf<undefined extends Refusal['error'] ? true : false>().toEqualTypeOf<false>()
  if (result.error) expectTypeOf(result.data).toEqualTypeOf<undefined>()
  else expectTypeOf(result).toHaveProperty('data').not.toEqualTypeOf<Bodies>()
}

async function idiom(client: ManagementClient): Promise<string | null> {
  const { data, error } = await client.GET('/pullzone/{id}', { params: { path: { id: 1 } } })
  if (error) throw new Error(String(error['Message']))
  const library = await client.GET('/videolibrary/{id}', { params: { path: { id: 1 } } })
  if (library.error) expectTypeOf(library.error.Message).toEqualTypeOf<string | null | undefined>()
  else expectTypeOf(library.data.Id).toEqualTypeOf<number | bigint>()
  const page = await client.GET('/pullzone', { params: { query: { page: 1 } } })
  if (page.data && !Array.isArray(page.data))
    for (const zone of page.data.Items) expectTypeOf(zone.Name).toEqualTypeOf<string | null>()
  const write = await client.POST('/pullzone/{id}/addAllowedReferrer', {
    params: { path: { id: 1 } },
    body: { Hostname: 'a' },
  })
  if (write.error) expectTypeOf(write.error.Message).toEqualTypeOf<string | null | undefined>()
  return data.Name
}

/** The add-ons of openapi-fetch take the client. */
async function addOns(client: ManagementClient): Promise<void> {
  const byPath = wrapAsPathBasedClient<ManagementPaths>(client)
  const { data } = await byPath['/pullzone/{id}'].GET({ params: { path: { id: 1 } } })
  expectTypeOf(data?.Name).toEqualTypeOf<string | null | undefined>()
  expectTypeOf(client).toExtend<Client<ManagementPaths>>()
}

async function calls(): Promise<void> {
  const management = createManagementClient({ baseUrl: 'https://management.invalid' })
  const id = 1n

  for await (const each of paginate(management, '/pullzone', { query: { search: 'shop' } }))
    expectTypeOf(each.AllowedReferrers).toEqualTypeOf<string[] | null>()
  // @ts-expect-error: not a list
  paginate(management, '/pullzone/{id}')
  // @ts-expect-error: `paginate` chooses the pages
  paginate(management, '/pullzone', { query: { page: 2 } })

  const search: string | undefined = process.env['SEARCH']
  await management.GET('/pullzone', { params: { query: { search } } })
  paginate(management, '/pullzone', { query: { search } })

  const zone = await management.GET('/pullzone/{id}', { params: { path: { id } } })
  if (zone.data) {
    expectTypeOf(zone.data.Id).toEqualTypeOf<number | bigint>()
    expectTypeOf(zone.data.AllowedReferrers).toEqualTypeOf<string[] | null>()
  }
  expectTypeOf(zone.response).toEqualTypeOf<Response>()
  const data = await unwrap(management.GET('/pullzone/{id}', { params: { path: { id } } }))
  expectTypeOf(data.Name).toEqualTypeOf<string | null>()

  await management.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: 1 } } })
  await management.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id } }, body: { Hostname: 'a' } })
  await management.PUT('/videolibrary/{id}/watermark', { params: { path: { id } }, body: new Uint8Array() })

  // @ts-expect-error no such path
  await management.GET('/nowhere', {})
  // @ts-expect-error no such method on the path
  await management.GET('/videolibrary/{id}/watermark', { params: { path: { id } } })
  // @ts-expect-error the id is missing
  await management.GET('/pullzone/{id}')
  // @ts-expect-error the id is not text
  await management.GET('/pullzone/{id}', { params: { path: { id: '1' } } })
  // @ts-expect-error the body is missing
  await management.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id } } })
  // @ts-expect-error one credential, not both
  createManagementClient({ baseUrl: 'https://management.invalid', accessKey: 'a', bearer: 'b' })

  const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', bearer: process.env['CDN_BEARER_TOKEN'] })
  const path = { pullZoneId: 1, date: '11-20-26' }
  const text = await unwrap(logging.GET('/{date}/{pullZoneId}.log', { params: { path }, parseAs: 'text' }))
  expectTypeOf(text).toEqualTypeOf<string>()
  const query = { order: 'up' }
  // @ts-expect-error an unknown order
  await logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 }, query } })

  const error: unknown = undefined
  type Open = (string & {}) | undefined // any other code
  if (isApiError(error)) {
    expectTypeOf(error).toEqualTypeOf<ApiError>()
    expectTypeOf(error.code).toEqualTypeOf<string | undefined>()
  }
  if (isApiError<LoggingErrorOf<'get', '/v2/pullzones/{pullZoneId}/logs'>>(error)) {
    if (error.status === 404) expectTypeOf(error.code).toEqualTypeOf<'logging_disabled' | Open>()
    if (error.status === 429) expectTypeOf(error.code).toEqualTypeOf<'rate_limited' | Open>()
    expectTypeOf(error.body?.error.message).toEqualTypeOf<string | undefined>()
    // @ts-expect-error not a status of the contract
    if (error.status === 418) error.toJSON()
  }
  if (isApiError<ManagementErrorOf<'post', '/pullzone/{id}/addAllowedReferrer'>>(error) && error.status === 400) {
    expectTypeOf(error.body?.ErrorKey).toEqualTypeOf<string | null | undefined>()
  }

  const rows = readLogs(logging, { pullZoneId: 1, from: new Date(), to: '2026-11-20T00:00:00Z', status: '5xx' })
  for await (const row of rows) {
    expectTypeOf(row).toEqualTypeOf<LogRow>()
    expectTypeOf(row.cacheStatus).toEqualTypeOf<CacheStatus | null | undefined>()
    if (row.cacheStatus === 'HIT' || row.cacheStatus === 'EXPIRED') row.cacheStatus satisfies string
    expectTypeOf(row['newField']).toEqualTypeOf<unknown>()
  }
  expectTypeOf(rows.resume).toEqualTypeOf<string>()
  // @ts-expect-error `to` is missing
  readLogs(logging, { pullZoneId: 1, from: 0 })
  for await (const row of readLogFile(logging, { pullZoneId: 1, date: 0 })) {
    expectTypeOf(row).toEqualTypeOf<LogFileRow | MalformedLine>()
    if (row.malformed) expectTypeOf(row.text).toEqualTypeOf<string>()
    else expectTypeOf(row.timestamp).toEqualTypeOf<number>()
  }
}
