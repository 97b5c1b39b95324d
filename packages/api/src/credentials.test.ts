import { expect, test } from 'vitest'
import { fakeFetch } from '../tests/fake-fetch.ts'
import { createManagementClient, unwrap } from './index.ts'

const baseUrl = 'https://management.invalid'
const path = '/pullzone/{id}'
const params = { path: { id: 1 } }

/** A platform that takes one key alone. */
const platform = (key: string) =>
  fakeFetch(({ headers }) =>
    headers.get('AccessKey') === key ? Response.json({ Id: 1 }) : new Response('', { status: 401 }),
  )

test('a function is asked once, and again when its value is refused; of many calls, one asks', async () => {
  const { fetch, requests } = platform('fresh')
  let asked = 0
  const accessKey = async () => (++asked === 1 ? 'stale' : 'fresh')
  const client = createManagementClient({ baseUrl, fetch, accessKey })
  const results = await Promise.all(Array.from({ length: 20 }, () => client.GET(path, { params })))
  expect(results.every(({ error }) => !error)).toBe(true)
  expect([asked, requests.length]).toEqual([2, 40])
  await client.GET(path, { params })
  expect([asked, requests.length]).toEqual([2, 41])
})

test('a value that stays the same is refused for good, and a text is never asked for again', async () => {
  for (const accessKey of ['stale', () => 'stale']) {
    const { fetch, requests } = platform('fresh')
    const { error } = await createManagementClient({ baseUrl, fetch, accessKey }).GET(path, { params })
    expect(error).toMatchObject({ status: 401 })
    expect(requests).toHaveLength(1)
  }
})

test('a function that fails, or gives what cannot be sent, is an error value; the next call asks again', async () => {
  const { fetch, requests } = platform('k')
  const given: (() => string)[] = [
    () => {
      throw new Error('vault sealed')
    },
    () => 'CANARY\n',
    () => 'k',
  ]
  const client = createManagementClient({ baseUrl, fetch, accessKey: () => given.shift()?.() ?? '' })
  const first = await client.GET(path, { params })
  expect(first.error).toMatchObject({ kind: 'credential', isUnsent: true, cause: { message: 'vault sealed' } })
  const second = await client.GET(path, { params })
  expect(second.error).toMatchObject({ kind: 'credential' })
  expect(JSON.stringify([second.error, String(second.error?.cause)])).not.toContain('CANARY')
  expect(requests).toHaveLength(0)
  expect(await unwrap(client.GET(path, { params }))).toEqual({ Id: 1 })
})

test('unwrap throws the error', async () => {
  const client = createManagementClient({ baseUrl, fetch: platform('k').fetch })
  await expect(unwrap(client.GET(path, { params }))).rejects.toMatchObject({ name: 'ManagementError', status: 401 })
})

test('errors name the request where the answer does, bounded', async () => {
  const { fetch } = fakeFetch(() => new Response('', { status: 500, headers: { 'CDN-RequestId': 'a1' } }))
  const { error } = await createManagementClient({ baseUrl, fetch }).GET(path, { params })
  expect(error).toMatchObject({ requestId: 'a1', attempts: 1 })
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    name: 'ManagementError',
    status: 500,
    message: error?.message,
  })
})
