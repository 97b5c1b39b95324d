import { createManagementClient, type ManagementPaths, unwrap } from '@cdn/api'
import { setupServer } from 'msw/node'
import { createOpenApiHttp } from 'openapi-msw'
import { afterAll, beforeAll, expect, test } from 'vitest'

const baseUrl = 'https://management.invalid'
const http = createOpenApiHttp<ManagementPaths>({ baseUrl })
const zone = { Id: 42, Name: 'shop', AllowedReferrers: [], EnableLogging: true }
const server = setupServer(
  http.get('/pullzone/{id}', ({ params, request, response }) =>
    params.id === '42' && request.headers.get('AccessKey') === 'k' ? response(200).json(zone) : response(404).empty(),
  ),
)
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterAll(() => server.close())

test('openapi-msw can answer our client', async () => {
  const client = createManagementClient({ baseUrl, accessKey: 'k' })
  expect(await unwrap(client.GET('/pullzone/{id}', { params: { path: { id: 42 } } }))).toEqual(zone)
  const { error, response } = await client.GET('/pullzone/{id}', { params: { path: { id: 7 } } })
  expect([Boolean(error), response.status]).toEqual([true, 404])
})
