import { operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { start } from '../../tests/support/start.ts'
import { allScopes, type EmulatorCredentials } from '../platform/fixtures.ts'
import type { Variants } from '../variants/variants.ts'

type HeadersOf = (credentials: EmulatorCredentials) => Readonly<Record<string, string>>
const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` })
const wrongKey: HeadersOf = (credentials) => ({ AccessKey: 'wrong', ...bearer(credentials.bearer) })
const wrongToken: HeadersOf = (credentials) => ({ AccessKey: credentials.accessKey, ...bearer('wrong') })
const path = 'videolibrary/1001/watermark'

/** The statuses of delete watermark, add referrer, version 2 and version 1. A refused request has no effect. */
test.each<[text: string, HeadersOf, statuses: readonly number[], variants?: Partial<Variants>]>([
  ['none', () => ({}), [401, 401, 401, 401]],
  ['an empty key', () => ({ AccessKey: '' }), [401, 401, 401, 401]],
  ['a wrong key', () => ({ AccessKey: 'wrong' }), [401, 401, 403, 403]],
  ['a forged token', () => bearer('eyJhbGciOiJub25lIn0.e30.'), [401, 401, 403, 403]],
  ['another scheme', () => ({ Authorization: 'Basic YTpi' }), [401, 401, 403, 403]],
  ['a key', (c) => ({ AccessKey: c.accessKey }), [204, 204, 200, 200]],
  ['a token: refused if only AccessKey is listed', (c) => bearer(c.bearer), [204, 401, 200, 200]],
  ['an expired token', (c) => bearer(c.expired), [401, 401, 403, 403]],
  ['a token without a scope: refused if scopes are stated', (c) => bearer(c.noScope), [401, 401, 200, 200]],
  ['a token with another scope', (c) => bearer(c.byScope['ScopedApiKey']), [401, 401, 200, 200]],
  ['no scope, with 403 as variant', (c) => bearer(c.noScope), [403, 401, 200, 200], { missingScope: 403 }],
  ['a wrong key, a token', wrongKey, [204, 401, 200, 200]],
  ['a key, a wrong token', wrongToken, [204, 204, 200, 200]],
  ['a wrong key that decides', wrongKey, [401, 401, 403, 403], { bothCredentials: 'key decides' }],
  ['a key that decides', wrongToken, [204, 204, 200, 200], { bothCredentials: 'key decides' }],
  ['a wrong key, and both are needed', wrongKey, [401, 401, 403, 403], { bothCredentials: 'both must be valid' }],
  ['a wrong token, and both are needed', wrongToken, [401, 204, 403, 403], { bothCredentials: 'both must be valid' }],
])('credentials (§5): %s', async (_text, headersOf, statuses, variants = {}) => {
  const { emulator, ask } = await start({ variants })
  const headers = headersOf(emulator.fixtures.credentials)
  const add = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{"Hostname":"a"}' }
  const deleted = await ask.management(path, { method: 'DELETE', headers })
  const added = await ask.management('pullzone/2001/addAllowedReferrer', add)
  const v2 = await ask.logging('v2/pullzones/2002/logs', { headers })
  const v1 = await ask.logging('06-17-26/2002.log', { headers })
  expect([deleted, added, v2, v1].map(({ status }) => status)).toEqual(statuses)
  const { resources } = emulator.state
  expect(resources.item('/videolibrary', '1001')?.['HasWatermark']).toBe(deleted.status !== 204)
  expect(resources.item('/pullzone', '2001')?.['AllowedReferrers']).toEqual(added.status === 204 ? ['a'] : [])
})

test('each documented scope is sufficient alone, for a token and for a key, until the token expires', async () => {
  const { scopes } = defined(operations.find(({ name }) => name === 'delete-watermark'))
  expect(allScopes).toEqual([...scopes, 'ScopedApiKey'])
  const { emulator, ask } = await start()
  const { byScope, keyByScope } = emulator.fixtures.credentials
  const statusWith = async (headers: Record<string, string>) =>
    (await ask.management(path, { method: 'DELETE', headers })).status
  for (const scope of allScopes) {
    const status = scopes.includes(scope) ? 204 : 401
    expect(await statusWith(bearer(byScope[scope])), scope).toBe(status)
    expect(await statusWith({ AccessKey: String(keyByScope[scope]) }), scope).toBe(status)
  }
  emulator.clock.advance(366 * 24 * 3_600_000)
  expect(await statusWith(bearer(byScope[String(scopes[0])]))).toBe(401)
})
