import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { judge, type Seen } from './oracle/judge.ts'
import { jsonRequest, start } from './testing.ts'
import { chooseVariants, type VariantPoint, type Variants, variantTable } from './variants.ts'
import { toMarkdown } from './variants-table.ts'

const points: [string, VariantPoint][] = Object.entries(variantTable)

/** A run that touches everything on which the platform may differ; gives each exchange. */
async function tour(variants: Partial<Variants>): Promise<(Seen & { headers: string })[]> {
  const { emulator, ask } = await start({ variants })
  const { accessKey, bearer, noScope } = emulator.fixtures.credentials
  const seen: (Seen & { headers: string })[] = []
  const send = async (name: Seen['interface'], path: string, init: RequestInit = {}) => {
    const response = await ask[name](path, init)
    seen.push({
      interface: name,
      method: init.method ?? 'GET',
      path: `/${path.split('?')[0]}`,
      status: response.status,
      contentType: response.headers.get('content-type'),
      headers: JSON.stringify([...response.headers]),
      body: await response.text(),
    })
  }
  const management = (path: string, init?: RequestInit) => send('management', path, init)
  const logging = async (path: string, init?: RequestInit) => {
    await send('logging', path, init)
    emulator.clock.advance(1000)
  }
  const watermark = 'videolibrary/1001/watermark'
  const add = 'pullzone/2001/addAllowedReferrer'
  const hostname = { Hostname: 'a.example' }

  await management('pullzone/2001')
  await management('pullzone/2999')
  await management('videolibrary/1001', { headers: {} })
  await management(add, jsonRequest(emulator, hostname))
  await management(add, jsonRequest(emulator, hostname))
  await management(add, jsonRequest(emulator, {}))
  await management(add, { method: 'POST', body: '{"Hostname":"b.example"}' })
  await management(add, { ...jsonRequest(emulator, hostname), headers: {} })
  await management('pullzone/2999/addAllowedReferrer', jsonRequest(emulator, hostname))
  await management(add, {
    ...jsonRequest(emulator, hostname),
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
  })
  await management('pullzone/2001/removeAllowedReferrer', jsonRequest(emulator, { Hostname: 'absent.example' }))
  await management(watermark, { method: 'DELETE', headers: { Authorization: `Bearer ${noScope}` } })
  await management(watermark, { method: 'DELETE', headers: { AccessKey: 'wrong', Authorization: `Bearer ${bearer}` } })
  await management(watermark, { method: 'DELETE', headers: { AccessKey: accessKey, Authorization: 'Bearer wrong' } })
  await management(watermark, { method: 'DELETE' })
  await management(watermark, { method: 'DELETE' })
  await management('videolibrary/9007199254740993/watermark', { method: 'DELETE' })
  await management(watermark, { method: 'PUT', body: new Uint8Array(100_000) })

  const at = (ms: number) => new Date(emulator.clock.now().getTime() + ms).toISOString()
  const day = 24 * 3_600_000
  const logs = (query: string) => logging(`v2/pullzones/2003/logs?${query}`)
  const file = (query: string, date = '06-16-26') => logging(`${date}/2003.log?${query}`)
  for (const id of ['2999', '2004', '2005', '2006']) await logging(`v2/pullzones/${id}/logs`)
  await logging('v2/pullzones/2003/logs', { headers: {} })
  await logging('v2/pullzones/2003/logs', { headers: { AccessKey: 'wrong' } })
  await logs(`limit=10000&from=${at(-3 * day + 60_000)}`)
  await logs('search=NOTHING-LIKE-IT')
  await logs('search=CURL&limit=50')
  await logs(`to=${at(-2.5 * day)}`)
  await logs(`to=${at(day)}&limit=1`)
  await logs('limit=1&nonsense=1')
  await logs('limit=1&limit=2')
  await file('')
  await file('start=0&end=3&sort=asc')
  await file('start=100000')
  await file('search=CURL')
  await file('status=9')
  await file('', '06-01-26')

  // Bursts at both ends of a fixed window, then callers that keep asking.
  const burst = async (count: number, path: string) => {
    for (let sent = 0; sent < count; sent++) await send('logging', path)
  }
  const v2 = 'v2/pullzones/2002/logs?limit=1'
  emulator.clock.advance(19_000 - (emulator.clock.now().getTime() % 10_000))
  await burst(31, v2)
  await burst(2, '06-16-26/2002.log?end=1')
  for (const pause of [1500, 4000, 4500, 1000]) {
    emulator.clock.advance(pause)
    await burst(16, v2)
  }
  return seen
}

const plainTours = new Map<string, Promise<string>>()

/** The tour by the defaults, as text; made once. */
function plainTour(base: Partial<Variants>): Promise<string> {
  const key = JSON.stringify(base)
  const text = plainTours.get(key) ?? tour(base).then((seen) => JSON.stringify(seen))
  plainTours.set(key, text)
  return text
}

describe('every permitted variant', () => {
  it.each(points.flatMap(([name, { values }]) => values.slice(1).map((value) => [name, value] as const)))(
    '%s: %s shows, and keeps to the document',
    async (name, value) => {
      // Rounding shows on finer times alone.
      const base: Partial<Variants> = name === 'shownPrecision' ? { storedPrecision: 'microsecond' } : {}
      const seen = await tour({ ...base, [name]: value })
      expect(JSON.stringify(seen)).not.toBe(await plainTour(base))
      // A 403 for a missing scope is in no list of statuses: §5 leaves that status open.
      const isOpen = (exchange: Seen) => name === 'missingScope' && exchange.status === 403
      expect(seen.filter((exchange) => !isOpen(exchange)).flatMap((exchange) => judge(exchange, 'document'))).toEqual(
        [],
      )
    },
  )

  it('by default keeps to both contracts', async () => {
    const seen = await tour({})
    expect(seen.flatMap((exchange) => [...judge(exchange, 'document'), ...judge(exchange, 'full')])).toEqual([])
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 204, 400, 401, 403, 404, 429]))
  })
})

describe('variants', () => {
  it('are named in one sentence where they do not exist', () => {
    expect(() => chooseVariants({ nonsense: 1 } as Partial<Variants>)).toThrow('There is no variant "nonsense"')
    expect(() => chooseVariants({ addSuccess: 202 } as unknown as Partial<Variants>)).toThrow(
      'Variant addSuccess cannot be 202; permitted: 204, 200, 201',
    )
  })

  it('stand in the README', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    // The formatter pads the columns of a table.
    const bare = (text: string) => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---')
    expect(bare(readme)).toContain(bare(toMarkdown()))
  })
})
