import { createManagementClient } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { followZones, listZones } from './zones.ts'

const never = new AbortController().signal

/** An account with a thousand additional zones, so that its list has two pages. */
async function createAccount() {
  const emulator = await createEmulator({ traffic: { zones: 1000, rowsPerSecond: 0.001 } })
  const { fetch, managementUrl, fixtures, state, faults } = emulator
  const client = createManagementClient({ baseUrl: managementUrl, accessKey: fixtures.credentials.accessKey, fetch })
  const zone = (id: string) => {
    const zone = state.zones.get(id)
    if (!zone) throw new Error(`Unknown zone ${id}`)
    return zone
  }
  return { state, faults, zone, list: (name: string, signal = never) => listZones(client, name, signal) }
}

test('the list has all zones with logging on and a fully matching name, from all pages', async () => {
  const { zone, list, state } = await createAccount()
  Object.assign(zone('10001'), { name: 'shop-a.b' })
  Object.assign(zone('11000'), { name: 'shop-' })
  Object.assign(zone('10002'), { name: 'shop-off', logging: 'disabled' })
  Object.assign(zone('10003'), { name: 'my shop-c' })
  expect(await list('shop-*')).toEqual(['10001', '11000'])
  expect(await list('shop-a.b')).toEqual(['10001'])
  await expect(list('shop-a?b')).rejects.toThrow('No pull zone with logging on matches the name "shop-a?b".')
  const logged = [...state.zones.values()].filter(({ logging }) => logging === 'enabled')
  expect(await list('*')).toEqual(logged.map(({ id }) => id))
})

test('a list that changes between two pages has every zone that stays', async () => {
  const { state, faults, list } = await createAccount()
  const before = await list('*')
  faults.add({
    name: 'shrinking',
    text: 'A zone disappears after the first page.',
    async around(call, operation, next) {
      const answer = await next(call, operation)
      state.zones.delete('10001')
      return answer
    },
  })
  expect(await list('*')).toEqual(before)
  expect(await list('*')).toEqual(before.filter((id) => id !== '10001'))
})

test('a list that is incomplete or has no end, or an id that is not a decimal integer, is rejected in a sentence', async () => {
  const zone = (Id: unknown) => ({ Id, Name: 'a', EnableLogging: true })
  const list = (toItems: (first: number, perPage: number) => unknown[]) => {
    const fetch = async (request: RequestInfo | URL) => {
      const { searchParams } = new URL((request as Request).url)
      const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('perPage'))]
      const items = toItems((page - 1) * perPage, perPage)
      return Response.json({ Items: items, CurrentPage: page, TotalItems: 1, HasMoreItems: true })
    }
    return listZones(createManagementClient({ baseUrl: 'http://localhost', accessKey: 'key', fetch }), '*', never)
  }
  const page = (toId: (index: number) => unknown) => (first: number, perPage: number) =>
    Array.from({ length: perPage }, (_, index) => zone(toId(first + index)))
  await expect(list(() => [zone(1)])).rejects.toThrow(
    'The list GET /pullzone cannot be read completely: a page has 1 items instead of 1000.',
  )
  await expect(list(page((index) => index))).rejects.toThrow('The list of pull zones has more than 200000 zones.')
  await expect(list(page(() => '../../\u202e\nx'))).rejects.toThrow(
    'The platform returned a pull zone with the id "../../\\u202e\\nx"; expected a decimal integer.',
  )
  for (const id of [-1, 1.5, 1e21, null, {}, '']) await expect(list(page(() => id))).rejects.toThrow('decimal integer')
})

test('new and removed zones are logged; a failed listing changes nothing', async () => {
  const lists: (readonly string[] | Error)[] = [['1', '2'], new Error('away'), ['2', '3'], ['2', '3']]
  const stop = new AbortController()
  const said: unknown[] = []
  const log = { info: (...entry: unknown[]) => said.push(entry), warn: (...entry: unknown[]) => said.push(entry) }
  const changes: (readonly string[])[] = []
  await followZones(['1', '2'], {
    async list() {
      const next = defined(lists.shift())
      if (next instanceof Error) throw next
      return next
    },
    onChange: (zones) => changes.push(zones),
    sleep: async () => {
      if (lists.length === 0) stop.abort()
    },
    log: { ...log, error: () => {} },
    signal: stop.signal,
  })
  expect(changes).toEqual([['2', '3']])
  expect(said).toEqual([
    [{ error: { name: 'Error', message: 'away' } }, expect.stringContaining('cannot be listed')],
    [{ zones: ['3'] }, expect.stringContaining('their export begins')],
    [{ zones: ['1'] }, expect.stringContaining('their export ends')],
  ])
})
