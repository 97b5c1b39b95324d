import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { baseUrl, failure, fakeFetch, params, path } from '../../tests/fake-fetch.ts'
import { createLoggingClient, createManagementClient, type ManagementClient, unwrap } from '../index.ts'

const platform = (key: string) =>
  fakeFetch(({ headers }) =>
    headers.get('AccessKey') === key ? Response.json({ Id: 1 }) : new Response('', { status: 401 }),
  )

test('a credential function is called once, and again after a refusal; concurrent calls share one call', async () => {
  const { fetch, requests } = platform('fresh')
  let calls = 0
  const accessKey = async () => (++calls === 1 ? 'stale' : 'fresh')
  const client = createManagementClient({ baseUrl, fetch, accessKey })
  const results = await Promise.all(Array.from({ length: 20 }, () => client.GET(path, { params })))
  expect(results.every(({ response }) => response.ok)).toBe(true)
  expect([calls, requests.length]).toEqual([2, 40])
  await client.GET(path, { params })
  expect([calls, requests.length]).toEqual([2, 41])
})

test('an unchanged value is refused permanently, and a text is never renewed', async () => {
  for (const accessKey of ['stale', () => 'stale']) {
    const { fetch, requests } = platform('fresh')
    const { response } = await createManagementClient({ baseUrl, fetch, accessKey }).GET(path, { params })
    expect(response.status).toBe(401)
    expect(requests).toHaveLength(1)
  }
})

test('a credential function that fails, or returns an invalid value, rejects the call; the next call tries again', async () => {
  const { fetch, requests } = platform('k')
  const values: (() => string)[] = [
    () => {
      throw new Error('vault sealed')
    },
    () => 'CANARY\n',
    () => 'k',
  ]
  const client = createManagementClient({
    baseUrl,
    fetch,
    retry: false,
    accessKey: () => assertDefined(values.shift())(),
  })
  const failed = () => failure(client.GET(path, { params }))
  expect(await failed()).toMatchObject({ kind: 'credential', isUnsent: true, cause: { message: 'vault sealed' } })
  const second = await failed()
  expect(second).toMatchObject({ name: 'TransportError', kind: 'credential' })
  expect(JSON.stringify([second, String(Object(second).cause)])).not.toContain('CANARY')
  expect(requests).toHaveLength(0)
  expect(await unwrap(client.GET(path, { params }))).toEqual({ Id: 1 })
})

test('a write with a refused credential is repeated once, with its whole body', async () => {
  const { fetch, requests } = platform('fresh')
  const keys = ['stale', 'fresh']
  const client = createManagementClient({ baseUrl, fetch, accessKey: () => assertDefined(keys.shift()) })
  const body = { Hostname: 'a.example' }
  const { response } = await client.POST('/pullzone/{id}/addAllowedReferrer', { params, body })
  expect(response.ok).toBe(true)
  expect(await Promise.all(requests.map((request) => request.json()))).toEqual([body, body])
})

test('a stream with a refused credential is not sent again; the next call has the new value', async () => {
  const { fetch, requests } = platform('fresh')
  const keys = ['stale', 'fresh']
  const client = createManagementClient({ baseUrl, fetch, accessKey: () => assertDefined(keys.shift()) })
  const body = new Blob(['x']).stream() as unknown as Blob
  const { response } = await client.PUT('/videolibrary/{id}/watermark', { params, body })
  expect([response.status, requests.length]).toEqual([401, 1])
  expect((await client.GET(path, { params })).response.ok).toBe(true)
})

test('403 renews the credential on the logging interface only', async () => {
  for (const [create, renewed] of [
    [createManagementClient, false],
    [createLoggingClient, true],
  ] as const) {
    const keys = ['stale', 'fresh']
    const { fetch, requests } = fakeFetch(() => new Response('', { status: 403 }))
    // Safe: the fake platform answers every path, so the path of the management interface serves both clients.
    const client = create({ baseUrl, fetch, accessKey: () => keys.shift() ?? 'last' }) as ManagementClient
    await client.request('get', path, { params })
    expect(requests.length).toBe(renewed ? 2 : 1)
  }
})
