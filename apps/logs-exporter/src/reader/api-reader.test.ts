import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { defaults } from '../config/defaults.ts'
import { createPageCutter } from '../rows/cut-page.ts'
import { createEncoder, type Source } from '../rows/encoder.ts'
import { rowKey, v1Key } from '../rows/row-key.ts'
import { createReader } from './api-reader.ts'
import { createBudget } from './budget.ts'
import type { Reader } from './reader.ts'

const { signal } = new AbortController()
const privacy = { authorizationHeader: 'drop', queryTokens: 'mask', addresses: 'truncate' } as const
const dayMs = 86_400_000

interface Set {
  readonly emulator: Emulator
  readonly reader: Reader
  readonly zone: string
  /** Start of the UTC day before the emulator's own. */
  readonly day: number
  readonly requests: URL[]
  readonly held: () => number
}

async function set(options: EmulatorOptions = {}): Promise<Set> {
  const emulator = await createEmulator(options)
  const { clock, fixtures } = emulator
  const now = () => clock.now().getTime()
  const requests: URL[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    requests.push(new URL((input as Request).url))
    return emulator.fetch(input, init)
  }
  const budget = createBudget(2 ** 24)
  const clients = { baseUrl: emulator.loggingUrl, accessKey: fixtures.credentials.accessKey, fetch }
  const sleep = async (ms: number) => void clock.advance(ms)
  const reader = createReader({ clients, budget, cut: createPageCutter(defaults.privacy), now, sleep })
  const day = (Math.floor(now() / dayMs) - 1) * dayMs
  return { emulator, reader, zone: fixtures.loggedZoneId, day, requests, held: budget.held }
}

async function linesOf(source: Source, reader: Reader, zone: string, day: number): Promise<string[]> {
  const encode = createEncoder(source, { privacy })
  const batches = source === 'v2' ? reader.walk(zone, day, day + dayMs, signal) : reader.dayFile(zone, day, signal)
  const lines: string[] = []
  for await (const batch of batches) {
    const { bytes, rejects } = encode(batch, 0, batch.times.length)
    expect(rejects).toEqual([])
    lines.push(...Buffer.from(bytes).toString().split('\n').slice(0, -1))
  }
  return lines
}

test('a day of version 2 has every row of the store, each line is its identity, and the budget gets all back', async () => {
  const { emulator, reader, zone, day, held } = await set()
  const lines = await linesOf('v2', reader, zone, day)
  const stored = emulator.state.logs.rows(zone, day, day + dayMs).filter(({ originShield }) => !originShield)
  expect(lines.map((line) => JSON.parse(line).requestId).sort()).toEqual(
    stored.map(({ requestId }) => requestId).sort(),
  )
  const again = await linesOf('v2', reader, zone, day)
  expect(again.map(rowKey).sort()).toEqual(lines.map(rowKey).sort())
  expect(new Set(lines.map(rowKey)).size).toBe(lines.length)
  expect(held()).toBe(0)
})

test.each([
  { timestampStyle: 'Z', nullFields: 'omitted', shownPrecision: 'cut' },
  { timestampStyle: '+00:00', nullFields: 'null', shownPrecision: 'rounded', storedPrecision: 'microsecond' },
] as const)('a row has one identity, read by version 1 or 2: %o', async (variants) => {
  const { reader, zone, day, requests } = await set({ variants })
  const [v1, v2] = [await linesOf('v1', reader, zone, day), await linesOf('v2', reader, zone, day)]
  const [keys1, keys2] = [v1, v2].map((lines) => lines.map(v1Key).sort()) as [string[], string[]]
  // Version 1 has the rows of the origin shield, too.
  expect(keys2.length).toBeGreaterThan(50)
  expect(keys2.filter((key) => !keys1.includes(key))).toEqual([])
  const file = requests.find(({ pathname }) => pathname.endsWith('.log'))
  expect(Object.fromEntries(file?.searchParams ?? [])).toEqual({ status: '1,2,3,4,5', sort: 'asc' })
})

test.each(['array', 'null'] as const)(
  'the count of a range is looked at with one request (empty: %s)',
  async (emptyPage) => {
    const { reader, zone, day, requests } = await set({ variants: { emptyPage } })
    const rows = (await linesOf('v2', reader, zone, day)).length
    requests.length = 0
    expect(await reader.hasRows(zone, day, day + dayMs, rows, signal)).toBe(true)
    expect(requests.map(({ searchParams }) => [searchParams.get('offset'), searchParams.get('limit')])).toEqual([
      [String(rows - 1), '2'],
    ])
    expect(await reader.hasRows(zone, day, day + dayMs, rows - 1, signal)).toBe(false)
    expect(await reader.hasRows(zone, day, day + dayMs, rows + 1, signal)).toBe(false)
    expect(await reader.hasRows(zone, day, day + dayMs, 0, signal)).toBe(false)
    requests.length = 0
    expect(await reader.hasRows(zone, day + 1000, day + 1001, 0, signal)).toBe(true)
    expect(requests).toHaveLength(emptyPage === 'null' ? 2 : 1)
  },
)

test('a probe that fails is no proof; a refusal is an error', async () => {
  const { emulator, reader, zone, day } = await set()
  const off = emulator.faults.add('internal-error')
  expect(await reader.hasRows(zone, day, day + dayMs, 0, signal)).toBe(false)
  off()
  const refused = reader.hasRows('424242424242', day, day + dayMs, 0, signal)
  await expect(refused).rejects.toMatchObject({ name: 'LoggingError' })
})

test('a zone that somebody else has owned is left alone for as long as that one may have asked', async () => {
  const { emulator, reader, zone, day } = await set()
  const { clock } = emulator
  const now = () => clock.now().getTime()
  const waited = async (busyUntil: number | undefined) => {
    reader.takeOver(zone, busyUntil)
    const before = now()
    await reader.hasRows(zone, day, day + 1, 0, signal)
    return now() - before
  }
  expect(reader.busyUntil(zone)).toBeLessThanOrEqual(now())
  expect(await waited(undefined)).toBe(0)
  // What the reader itself has asked for counts, too.
  expect(reader.busyUntil(zone)).toBe(now() + 10_000)
  expect(await waited(undefined)).toBe(10_000)
  clock.advance(20_000)
  expect(await waited(now() + 3000)).toBe(3000)
  clock.advance(20_000)
  expect(await waited(Number.POSITIVE_INFINITY)).toBe(70_000)
  clock.advance(20_000)
  // What is recorded may be by a clock that was set back since: no request counts for longer.
  expect(await waited(now() + 3_600_000)).toBe(70_000)
})

test('the clock is that of the platform', async () => {
  const { emulator, reader, zone, day } = await set()
  await reader.hasRows(zone, day, day + 1, 0, signal)
  expect(Math.abs(reader.now() - emulator.clock.now().getTime())).toBeLessThanOrEqual(1000)
})
