import { operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { describe, expect, test } from 'vitest'
import { start } from '../../tests/support/start.ts'
import { allScopes } from '../platform/fixtures.ts'

const deleting = { method: 'DELETE' }
const path = 'videolibrary/1001/watermark'

async function attempt(
  headersOf: (c: Awaited<ReturnType<typeof start>>['emulator']['fixtures']['credentials']) => HeadersInit,
) {
  const { emulator, ask } = await start()
  const headers = headersOf(emulator.fixtures.credentials)
  const deleted = await ask.management(path, { ...deleting, headers })
  const v2 = await ask.logging('v2/pullzones/2002/logs', { headers })
  const v1 = await ask.logging('06-17-26/2002.log', { headers })
  const added = await ask.management('pullzone/2001/addAllowedReferrer', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...Object.fromEntries(new Headers(headers)) },
    body: '{"Hostname":"a.example"}',
  })
  const effects = [
    !emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark'],
    JSON.stringify(emulator.state.resources.item('/pullzone', '2001')?.['AllowedReferrers']) !== '[]',
  ]
  return { statuses: [deleted.status, added.status, v2.status, v1.status], effects }
}

describe('credentials (§5): delete watermark, add referrer, v2, v1', () => {
  test.each([
    { name: 'none', headers: () => ({}), statuses: [401, 401, 401, 401], effects: [false, false] },
    {
      name: 'an empty key',
      headers: () => ({ AccessKey: '' }),
      statuses: [401, 401, 401, 401],
      effects: [false, false],
    },
    {
      name: 'a wrong key',
      headers: () => ({ AccessKey: 'wrong' }),
      statuses: [401, 401, 403, 403],
      effects: [false, false],
    },
    {
      name: 'a forged token',
      headers: () => ({ Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }),
      statuses: [401, 401, 403, 403],
      effects: [false, false],
    },
    {
      name: 'another scheme',
      headers: () => ({ Authorization: 'Basic YTpi' }),
      statuses: [401, 401, 403, 403],
      effects: [false, false],
    },
  ])('$name', async ({ headers, statuses, effects }) => {
    expect(await attempt(headers)).toEqual({ statuses, effects })
  })

  test('a key', async () => {
    expect(await attempt((c) => ({ AccessKey: c.accessKey }))).toEqual({
      statuses: [204, 204, 200, 200],
      effects: [true, true],
    })
  })

  test('a token: refused if only AccessKey is listed', async () => {
    const result = await attempt((c) => ({ Authorization: `Bearer ${c.bearer}` }))
    expect(result).toEqual({ statuses: [204, 401, 200, 200], effects: [true, false] })
  })

  test('an expired token', async () => {
    const result = await attempt((c) => ({ Authorization: `Bearer ${c.expired}` }))
    expect(result).toEqual({ statuses: [401, 401, 403, 403], effects: [false, false] })
  })

  test('a token without a scope: refused if scopes are stated', async () => {
    const result = await attempt((c) => ({ Authorization: `Bearer ${c.noScope}` }))
    expect(result).toEqual({ statuses: [401, 401, 200, 200], effects: [false, false] })
  })
})

describe('scopes', () => {
  const documented = defined(operations.find(({ name }) => name === 'delete-watermark')).scopes

  test('match the contract', () => {
    expect(allScopes).toEqual([...documented, 'ScopedApiKey'])
  })

  test('are required by each operation', async () => {
    const { emulator, ask } = await start()
    const headers = { Authorization: `Bearer ${emulator.fixtures.credentials.byScope['ScopedApiKey']}` }
    expect((await ask.management('videolibrary/1001', { headers })).status).toBe(200)
    expect((await ask.management(path, { ...deleting, headers })).status).toBe(401)
  })

  test.each(documented)('%s alone is sufficient, for a token and for a key', async (scope) => {
    const { emulator, ask } = await start()
    const token = emulator.fixtures.credentials.byScope[scope]
    expect((await ask.management(path, { ...deleting, headers: { Authorization: `Bearer ${token}` } })).status).toBe(
      204,
    )
    emulator.state.keys.set('other', { scopes: [scope] })
    expect((await ask.management(path, { ...deleting, headers: { AccessKey: 'other' } })).status).toBe(204)
    emulator.state.keys.set('other', { scopes: ['Unheard'] })
    expect((await ask.management(path, { ...deleting, headers: { AccessKey: 'other' } })).status).toBe(401)
  })

  test('end with the expiry of the token, by the clock', async () => {
    const { emulator, ask } = await start()
    const headers = { Authorization: `Bearer ${emulator.fixtures.credentials.bearer}` }
    expect((await ask.management(path, { ...deleting, headers })).status).toBe(204)
    emulator.clock.advance(366 * 24 * 3_600_000)
    expect((await ask.management(path, { ...deleting, headers })).status).toBe(401)
  })

  test('have a separate status in that variant', async () => {
    const { emulator, ask } = await start({ variants: { missingScope: 403 } })
    const headers = { Authorization: `Bearer ${emulator.fixtures.credentials.noScope}` }
    expect((await ask.management(path, { ...deleting, headers })).status).toBe(403)
  })
})

describe('both credentials at once', () => {
  test.each([
    ['one valid is enough', 204, 204],
    ['key decides', 401, 204],
    ['both must be valid', 401, 401],
  ] as const)('%s', async (bothCredentials, withWrongKey, withWrongToken) => {
    const { emulator, ask } = await start({ variants: { bothCredentials } })
    const { accessKey, bearer } = emulator.fixtures.credentials
    const wrongKey = { AccessKey: 'wrong', Authorization: `Bearer ${bearer}` }
    const wrongToken = { AccessKey: accessKey, Authorization: 'Bearer wrong' }
    expect((await ask.management(path, { ...deleting, headers: wrongKey })).status).toBe(withWrongKey)
    expect((await ask.management(path, { ...deleting, headers: wrongToken })).status).toBe(withWrongToken)
  })
})
