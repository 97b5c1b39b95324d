import { expectTypeOf, test } from 'vitest'
import {
  type ApiError,
  createLoggingClient,
  createManagementClient,
  isApiError,
  type LogFileRow,
  type LoggingErrorOf,
  type LogRow,
  type MalformedLine,
  type ManagementErrorOf,
  paginate,
  readLogFile,
  readLogs,
  unwrap,
} from './index.ts'

// The compiler checks the calls. They never run.
test('types of the calls', () => {
  expectTypeOf(calls).toBeFunction()
})

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
    expectTypeOf(row.cacheStatus).toEqualTypeOf<string | null | undefined>()
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
