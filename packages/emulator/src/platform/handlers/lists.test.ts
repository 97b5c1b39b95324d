import { describe, expect, test } from 'vitest'
import { start } from '../../../tests/support/start.ts'
import { createZone } from '../state/zones.ts'

interface Page {
  readonly Items: readonly { readonly Id: number; readonly Name: string }[]
  readonly CurrentPage: number
  readonly TotalItems: number
  readonly HasMoreItems: boolean
}

/** Starts an emulator with 23 pull zones: the six zones of the fixtures, and 17 zones with numbers as names. */
async function many() {
  const { emulator, ask } = await start()
  for (let number = 1; number <= 17; number++) {
    const id = String(5000 + number)
    emulator.state.zones.set(id, createZone(id, { name: `Shop-${number}` }))
  }
  const read = async (query: string): Promise<Page> => (await ask.management(`pullzone?${query}`)).json()
  return { emulator, ask, read }
}

describe('lists', () => {
  test('are a plain array without a page, and with page 0', async () => {
    const { ask } = await many()
    for (const query of ['', '?page=0', '?page=0&perPage=5']) {
      const zones: Page['Items'] = await (await ask.management(`pullzone${query}`)).json()
      expect(zones.map(({ Id }) => Id)).toEqual([
        ...[2001, 2002, 2003, 2004, 2005, 2006],
        ...Array.from({ length: 17 }, (_, index) => 5001 + index),
      ])
    }
  })

  test('return each item once over all pages', async () => {
    const { read } = await many()
    const pages = await Promise.all([1, 2, 3, 4].map((page) => read(`page=${page}&perPage=10`)))
    expect(pages.map(({ Items, ...rest }) => [Items.length, rest])).toEqual([
      [10, { CurrentPage: 1, TotalItems: 23, HasMoreItems: true }],
      [10, { CurrentPage: 2, TotalItems: 23, HasMoreItems: true }],
      [3, { CurrentPage: 3, TotalItems: 23, HasMoreItems: false }],
      [0, { CurrentPage: 4, TotalItems: 23, HasMoreItems: false }],
    ])
    expect(new Set(pages.flatMap(({ Items }) => Items.map(({ Id }) => Id))).size).toBe(23)
  })
})
