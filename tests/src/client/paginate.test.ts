import { createManagementClient, IncompleteListError, paginate } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** Creates an emulator with `count` pull zones. `between` runs before each request except the first. */
async function withZones(count: number, between: (zones: Zones) => void = () => {}) {
  const { fetch, managementUrl: baseUrl, fixtures, state } = await createEmulator()
  const first = 100_000
  let last = first + count - 1
  const zone = (Id: number) => ({ Id, Name: `zone-${Id}` })
  state.resources.add(
    '/pullzone',
    Array.from({ length: count }, (_, index) => zone(first + index)),
  )
  const live = Array.from({ length: count }, (_, index) => first + index)
  const removed = new Set<number>()
  const zones: Zones = {
    add: () => {
      live.push(++last)
      state.resources.add('/pullzone', [zone(last)])
    },
    remove: (place) => {
      const [id] = live.splice(Math.floor(place * live.length), 1)
      if (id === undefined) return
      removed.add(id)
      state.resources.remove('/pullzone', String(id))
    },
  }
  let requests = 0
  const client = createManagementClient({
    baseUrl,
    accessKey: fixtures.credentials.accessKey,
    fetch: (...request) => {
      if (requests++ > 0) between(zones)
      return fetch(...request)
    },
  })
  return {
    client,
    throughout: () => [...Array(count).keys()].map((index) => first + index).filter((id) => !removed.has(id)),
    requests: () => requests,
  }
}

interface Zones {
  add(): void
  /** @param place position in the list, from 0 to 1 */
  remove(place: number): void
}

async function idsOf(client: ReturnType<typeof createManagementClient>): Promise<number[]> {
  const ids: number[] = []
  for await (const { Id } of paginate(client, '/pullzone')) ids.push(Number(Id))
  return ids
}

test('of 3,000 zones, each that exists throughout is returned once, while others are added and removed', async () => {
  const place = fc.double({ min: 0, max: 0.999, noNaN: true })
  const change = fc.record({ adds: fc.nat(20), removes: fc.nat(50), place })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      let turn = 0
      const { client, throughout } = await withZones(3_000, (zones) => {
        const { adds, removes, place } = changes[turn++ % changes.length] as (typeof changes)[number]
        for (let each = 0; each < adds; each++) zones.add()
        for (let each = 0; each < removes; each++) zones.remove(place)
      })
      const ids = await idsOf(client)
      expect(new Set(ids).size).toBe(ids.length)
      const returned = new Set(ids)
      expect(throughout().filter((id) => !returned.has(id))).toEqual([])
    }),
    { numRuns: propertyRuns(2), examples: [[[{ adds: 3, removes: 25, place: 0 }]]] },
  )
})

test('10,000 zones that do not change take 11 requests', async () => {
  const { client, requests } = await withZones(10_000)
  expect((await idsOf(client)).length).toBeGreaterThanOrEqual(10_000)
  expect(requests()).toBe(11)
})

test.each([
  ['that has no pages', () => [{ Id: 1 }], 'the response is not a page'],
  ['with items without an id', () => page([{}], 1, false), 'an item has no Id'],
  ['that ignores the size of a page', () => page([{ Id: 1 }], 2, true), 'a page has 1 items instead of 1000'],
  ['that lacks items', () => page([{ Id: 1 }], 2, false), 'the platform has 2 items and returned 1'],
  [
    'that does not end',
    (size: number) =>
      page(
        Array.from({ length: size }, (_, Id) => ({ Id })),
        5000,
        true,
      ),
    '10 pages in succession have no new item',
  ],
] as const)('a list %s is an error', async (_name, respond, why) => {
  const fetch: typeof globalThis.fetch = async (input) =>
    Response.json(respond(Number(new URL(new Request(input).url).searchParams.get('perPage'))))
  const read = idsOf(createManagementClient({ fetch }))
  await expect(read).rejects.toThrow(IncompleteListError)
  await expect(read).rejects.toThrow(`The list GET /pullzone cannot be read completely: ${why}.`)
})

function page(Items: object[], TotalItems: number, HasMoreItems: boolean): object {
  return { Items, CurrentPage: 1, TotalItems, HasMoreItems }
}
