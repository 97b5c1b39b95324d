import { expectTypeOf, test } from 'vitest'
import {
  createLoggingClient,
  createManagementClient,
  type LogFileRow,
  type LoggingError,
  type LogRow,
  type MalformedLine,
  type ManagementError,
  type ManagementErrorAt,
  readLogFile,
  readLogs,
  type TransportError,
} from './index.ts'

// Looked at by the compiler; the calls themselves never run.
test('types of the calls', () => {
  expectTypeOf(calls).toBeFunction()
})

async function calls(): Promise<void> {
  const management = createManagementClient({ baseUrl: 'https://management.invalid' })
  const id = 1n

  const zone = await management.GET('/pullzone/{id}', { params: { path: { id } } })
  expectTypeOf(zone.error).toExtend<ManagementError | TransportError | undefined>()
  if (zone.error) {
    expectTypeOf(zone.data).toEqualTypeOf<undefined>()
    expectTypeOf(zone.response).toEqualTypeOf<Response | undefined>()
  } else {
    expectTypeOf(zone.data.Id).toEqualTypeOf<number | bigint>()
    expectTypeOf(zone.data.AllowedReferrers).toEqualTypeOf<string[] | null>()
    expectTypeOf(zone.response).toEqualTypeOf<Response>()
  }
  if (zone.error?.status === 404) {
    expectTypeOf(zone.error).toEqualTypeOf<ManagementError | ManagementErrorAt<404>>()
    expectTypeOf(zone.error.errorKey).toEqualTypeOf<string | undefined>()
  }
  const { data, error } = zone
  if (!error) expectTypeOf(data.Name).toEqualTypeOf<string | null>()

  const deleted = await management.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: 1 } } })
  expectTypeOf(deleted.data).toEqualTypeOf<undefined>()
  await management.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id } }, body: { Hostname: 'a' } })
  await management.PUT('/videolibrary/{id}/watermark', { params: { path: { id } }, body: new Uint8Array() })

  // @ts-expect-error no such path
  await management.GET('/pullzone', {})
  // @ts-expect-error no such method on the path
  await management.GET('/videolibrary/{id}/watermark', { params: { path: { id } } })
  // @ts-expect-error the id is missing
  await management.GET('/pullzone/{id}')
  // @ts-expect-error the id is no text
  await management.GET('/pullzone/{id}', { params: { path: { id: '1' } } })
  // @ts-expect-error the body is missing
  await management.POST('/pullzone/{id}/addAllowedReferrer', { params: { path: { id } } })
  // @ts-expect-error no such option: a call cannot go to another origin
  await management.GET('/pullzone/{id}', { params: { path: { id } }, baseUrl: 'https://elsewhere.invalid' })
  // @ts-expect-error one credential, not both
  createManagementClient({ baseUrl: 'https://management.invalid', accessKey: 'a', bearer: 'b' })

  const logging = createLoggingClient({ baseUrl: 'https://logging.invalid', bearer: process.env['CDN_BEARER_TOKEN'] })
  const path = { pullZoneId: 1, date: '11-20-26' }
  const text = await logging.GET('/{date}/{pullZoneId}.log', { params: { path }, parseAs: 'text' })
  if (!text.error) expectTypeOf(text.data).toEqualTypeOf<string>()
  const page = await logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 } } })
  expectTypeOf(page.error).toExtend<LoggingError | TransportError | undefined>()
  type Open = (string & {}) | undefined // any other code
  if (page.error?.status === 404) expectTypeOf(page.error.code).toEqualTypeOf<'logging_disabled' | Open>()
  if (page.error?.status === 429) expectTypeOf(page.error.code).toEqualTypeOf<'rate_limited' | Open>()
  if (page.error?.status === 418) expectTypeOf(page.error.code).toEqualTypeOf<Open>()
  if (page.error?.name === 'LoggingError') expectTypeOf(page.error.status).toEqualTypeOf<number>()
  const query = { order: 'up' }
  // @ts-expect-error an order that is none
  await logging.GET('/v2/pullzones/{pullZoneId}/logs', { params: { path: { pullZoneId: 1 }, query } })

  const rows = readLogs(logging, { pullZoneId: 1, from: new Date(), to: '2026-11-20T00:00:00Z', status: '5xx' })
  for await (const row of rows) {
    expectTypeOf(row).toEqualTypeOf<LogRow>()
    expectTypeOf(row.cacheStatus).toEqualTypeOf<string | null | undefined>()
    expectTypeOf(row['newField']).toEqualTypeOf<unknown>()
  }
  expectTypeOf(rows.resume).toEqualTypeOf<string>()
  // @ts-expect-error the end is never open
  readLogs(logging, { pullZoneId: 1, from: 0 })
  for await (const row of readLogFile(logging, { pullZoneId: 1, date: 0 })) {
    expectTypeOf(row).toEqualTypeOf<LogFileRow | MalformedLine>()
    if (row.malformed) expectTypeOf(row.text).toEqualTypeOf<string>()
    else expectTypeOf(row.timestamp).toEqualTypeOf<number>()
  }
}
