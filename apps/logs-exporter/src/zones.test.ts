import { createManagementClient } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { createNotifier } from './notifier.ts'
import { followZones, type ListedZones, listZones } from './zones.ts'

const never = new AbortController().signal

/** An account with a thousand additional zones, so that its list has two pages. */
async function createAccount() {
  const emulator = await createEmulator({ traffic: { zones: 1000, rowsPerSecond: 0.001 } })
  const { fetch, managementUrl, fixtures, state } = emulator
  const client = createManagementClient({ baseUrl: managementUrl, accessKey: fixtures.credentials.accessKey, fetch })
  const zone = (id: string) => {
    const zone = state.zones.get(id)
    if (!zone) throw new Error(`Unknown zone ${id}`)
    return zone
  }
  return { state, zone, list: (name: string, signal = never) => listZones(client, name, signal) }
}

test('the list has all zones with a fully matching name, from all pages, and says which are paused', async () => {
  const { zone, list, state } = await createAccount()
  Object.assign(zone('10001'), { name: 'shop-a.b' })
  Object.assign(zone('11000'), { name: 'shop-' })
  Object.assign(zone('10002'), { name: 'shop-off', logging: 'disabled' })
  Object.assign(zone('10004'), { name: 'shop-suspended', status: 'suspended' })
  Object.assign(zone('10005'), { name: 'shop-disabled', status: 'disabled' })
  Object.assign(zone('10003'), { name: 'my shop-c' })
  expect(await list('shop-*')).toEqual({ zones: ['10001', '11000'], paused: ['10002', '10004', '10005'] })
  expect(await list('shop-a.b')).toEqual({ zones: ['10001'], paused: [] })
  await expect(list('shop-a?b')).rejects.toThrow('No pull zone matches the name "shop-a?b".')
  const isActive = ({ logging, status }: ReturnType<typeof zone>) => logging === 'enabled' && status === 'active'
  const active = [...state.zones.values()].filter(isActive)
  expect((await list('*')).zones).toEqual(active.map(({ id }) => id))
})

test('a list that has no end, or an id that is not a decimal integer, is rejected in a sentence', async () => {
  const list = (toId: (index: number) => unknown) => {
    const fetch = async (request: RequestInfo | URL) => {
      const { searchParams } = new URL(new Request(request).url)
      const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('perPage'))]
      const toItem = (_: unknown, n: number) => ({ Id: toId((page - 1) * perPage + n), Name: 'a', EnableLogging: true })
      const Items = Array.from({ length: perPage }, toItem)
      return Response.json({ Items, CurrentPage: page, TotalItems: 1, HasMoreItems: true })
    }
    return listZones(createManagementClient({ baseUrl: 'http://localhost', accessKey: 'key', fetch }), '*', never)
  }
  await expect(list((index) => index)).rejects.toThrow('The list of pull zones has more than 200000 zones.')
  await expect(list(() => '../../\u202e\nx')).rejects.toThrow(
    'The platform returned a pull zone with the id "../../\\u202e\\nx"; expected a decimal integer.',
  )
  for (const id of [-1, 1.5, 1e21, null, {}, '']) await expect(list(() => id)).rejects.toThrow('decimal integer')
})

/** Runs `followZones` with several lists in turn. @returns the log entries and the changes */
async function follow(first: ListedZones, lists: (ListedZones | Error)[]) {
  const stop = new AbortController()
  const said: unknown[] = []
  const say = (...entry: unknown[]) => void said.push(entry)
  const changes: ListedZones[] = []
  await followZones(first, {
    async list() {
      const next = assertDefined(lists.shift())
      if (next instanceof Error) throw next
      return next
    },
    onChange: (zones) => changes.push(zones),
    refused: () => new Promise(() => {}),
    sleep: async () => {
      if (lists.length === 0) stop.abort()
    },
    log: { info: say, warn: say, error: say },
    signal: stop.signal,
  })
  return { said, changes }
}
const active = (...zones: string[]) => ({ zones, paused: [] })

test('new and removed zones are logged; a failed listing changes nothing', async () => {
  const lists = [active('1', '2'), new Error('away'), active('2', '3'), active('2', '3')]
  const { said, changes } = await follow(active('1', '2'), lists)
  expect(changes).toEqual([active('2', '3')])
  expect(said).toEqual([
    [{ error: { name: 'Error', message: 'away' } }, expect.stringContaining('cannot be listed')],
    [{ zones: ['1'] }, expect.stringContaining('their export ends')],
    [{ zones: ['3'] }, expect.stringContaining('their export begins')],
  ])
})

test('a zone that is paused leaves the export, and comes back by itself', async () => {
  const paused = { zones: ['1'], paused: ['2'] }
  const { said, changes } = await follow(active('1', '2'), [paused, paused, active('1', '2')])
  expect(changes).toEqual([paused, active('1', '2')])
  expect(said).toEqual([
    [{ zones: ['2'] }, expect.stringContaining('their export pauses')],
    [{ zones: ['2'] }, expect.stringContaining('no longer paused')],
  ])
})

test('the zones are listed again half a minute after a refusal, otherwise after five minutes', async () => {
  const refused = createNotifier()
  const stop = new AbortController()
  const slept: number[] = []
  let time = 0
  const listedAt: number[] = []
  await followZones(active('1'), {
    async list() {
      listedAt.push(time)
      if (listedAt.length === 2) stop.abort()
      return active('1')
    },
    onChange: () => {},
    refused: refused.next,
    async sleep(ms, signal) {
      slept.push(ms)
      if (slept.length === 1) refused.notify()
      await new Promise(setImmediate)
      if (!signal.aborted) time += ms
    },
    log: { info() {}, warn() {}, error() {} },
    signal: stop.signal,
  })
  expect(listedAt).toEqual([30_000, 330_000])
})
