import { createEmulator } from '@cdn/emulator'
import { stringifyJson } from '@cdn/kit/json'
import { expect, test } from 'vitest'
import { createPlan } from '../../../src/index.ts'
import type { ServerMutant } from '../mutant.ts'
import { unseenState } from './state.ts'

/** Sends requests to a new server, and returns every response and the state after each. */
async function seen(mutant?: ServerMutant): Promise<string[]> {
  const emulator = await createEmulator()
  mutant?.apply(emulator)
  const { fixtures, managementUrl, state, clock } = emulator
  const { credentials, libraryId, distantLibraryId, absentLibraryId, zoneId, absentZoneId, otherLoggedZoneId } =
    fixtures
  const lines: string[] = []
  const send = async (method: string, path: string, headers: HeadersInit = key, body?: BodyInit) => {
    const response = await emulator.fetch(new URL(path, managementUrl), { method, headers, body: body ?? null })
    lines.push(`${response.status} ${await response.text()} ${stringifyJson(state.resources.all)}`)
  }
  const key = { AccessKey: credentials.accessKey }
  const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` })
  const remove = (id: string, headers: HeadersInit = key) => send('DELETE', `videolibrary/${id}/watermark`, headers)
  const put = (headers: HeadersInit = key, id = libraryId) =>
    send('PUT', `videolibrary/${id}/watermark`, { ...headers, 'Content-Type': 'application/octet-stream' }, 'image')
  const hostname = (verb: 'add' | 'remove', Hostname: unknown, id = zoneId, headers: HeadersInit = key) =>
    send(
      'POST',
      `pullzone/${id}/${verb}AllowedReferrer`,
      { ...headers, 'Content-Type': 'application/json' },
      JSON.stringify({ Hostname }),
    )
  const look = async () => {
    for (const path of [`videolibrary/${libraryId}`, 'videolibrary', 'pullzone']) await send('GET', path)
  }

  await look()
  for (const headers of [{}, bearer(credentials.expired), { AccessKey: 'wrong' }, bearer(credentials.noScope)])
    await remove(libraryId, headers)
  await remove(libraryId, { AccessKey: credentials.noScopeKey })
  await remove(absentLibraryId)
  await remove(String(2 ** 32 + Number(libraryId)))
  for (const headers of [key, bearer(credentials.bearer), bearer(credentials.byScope['SubuserStream'])]) {
    await remove(libraryId, headers)
    await look()
    await look()
    clock.advance(30_000)
    await look()
    await put(headers)
    clock.advance(30_000)
    await look()
    await put(bearer(credentials.bearer), distantLibraryId)
  }
  await put()
  await remove(distantLibraryId)
  await remove(`%3${libraryId.slice(0, 1)}${libraryId.slice(1)}`)
  for (let count = 0; count < 3; count++) await remove(libraryId)
  await put(bearer(credentials.bearer))
  const values = ['a.example', 'B.example', 'a.example.org', '*.c.example', 'bücher.example ', 'x'.repeat(200)]
  for (const value of [...values, 'a.example', '', 7]) await hostname('add', value)
  await remove(libraryId)
  await hostname('add', 'd.example', zoneId, {})
  for (const id of [absentZoneId, String(2 ** 32 + Number(zoneId))]) await hostname('add', 'd.example', id)
  await hostname('add', 'a.example', otherLoggedZoneId)
  await look()
  clock.advance(30_000)
  await look()
  for (const value of ['absent.example', ...values]) await hostname('remove', value)
  clock.advance(30_000)
  await look()
  return lines
}

const right = await seen()

test.each(unseenState.map((mutant) => [mutant.id, mutant] as const))('%s leaves another state', async (_, mutant) => {
  expect(await seen(mutant)).not.toEqual(right)
})

test('each has an id of its own and breaks a known requirement', async () => {
  expect(await seen()).toEqual(right)
  expect(new Set(unseenState.map(({ id }) => id)).size).toBe(unseenState.length)
  const ids = new Set(createPlan().requirements.map(({ id }) => id))
  expect(unseenState.flatMap(({ breaks }) => breaks).filter((id) => !ids.has(id))).toEqual([])
})
