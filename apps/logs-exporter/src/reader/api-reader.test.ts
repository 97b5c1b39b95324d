import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { dayMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { createEncoder } from '../rows/encoder.ts'
import { rowKey, v1Key } from '../segments/difference.ts'
import type { BatchSource } from '../segments/segment.ts'
import type { WindowReader } from './api-reader.ts'
import { createApiReader } from './api-reader.ts'

const { signal } = new AbortController()
const privacy = { authorizationHeader: 'drop', queryTokens: 'mask', addresses: 'truncate' } as const

interface Set {
  readonly emulator: Emulator
  readonly reader: WindowReader
  readonly zone: string
  /** Start of the UTC day before the emulator's current day. */
  readonly day: number
  readonly requests: URL[]
}

async function set(options: EmulatorOptions = {}): Promise<Set> {
  const emulator = await createEmulator(options)
  const { clock, fixtures } = emulator
  const now = () => clock.now().getTime()
  const requests: URL[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    requests.push(new URL(new Request(input, init).url))
    return emulator.fetch(input, init)
  }
  const clients = { baseUrl: emulator.loggingUrl, accessKey: fixtures.credentials.accessKey, fetch }
  const sleep = async (ms: number) => void clock.advance(ms)
  const reader = createApiReader({ clients, memory: 2 ** 24, now, sleep })
  const day = (Math.floor(now() / dayMs) - 1) * dayMs
  return { emulator, reader, zone: fixtures.loggedZoneId, day, requests }
}

async function linesOf(source: BatchSource, reader: WindowReader, zone: string, day: number): Promise<string[]> {
  const encode = createEncoder(source, { privacy })
  const batches = source === 'v2' ? reader.readRange(zone, day, day + dayMs, signal) : reader.dayFile(zone, day, signal)
  const lines: string[] = []
  for await (const batch of batches) {
    const { bytes, rejects } = encode(batch, 0, batch.times.length)
    expect(rejects).toEqual([])
    lines.push(...Buffer.from(bytes).toString().split('\n').slice(0, -1))
  }
  return lines
}

test('a day of version 2 has every row of the store; equal rows give equal lines', async () => {
  const { emulator, reader, zone, day } = await set()
  const lines = await linesOf('v2', reader, zone, day)
  const stored = emulator.state.logs.rows(zone, day, day + dayMs).filter(({ originShield }) => !originShield)
  expect(lines.map((line) => JSON.parse(line).requestId).sort()).toEqual(
    stored.map(({ requestId }) => requestId).sort(),
  )
  const again = await linesOf('v2', reader, zone, day)
  expect(again.map(rowKey).sort()).toEqual(lines.map(rowKey).sort())
  expect(new Set(lines.map(rowKey)).size).toBe(lines.length)
})

test.each([
  { timestampStyle: 'Z', nullFields: 'omitted', shownPrecision: 'cut' },
  { timestampStyle: '+00:00', nullFields: 'null', shownPrecision: 'rounded', storedPrecision: 'microsecond' },
] as const)('version 1 and version 2 give a row the same identity: %o', async (variants) => {
  const { reader, zone, day, requests } = await set({ variants })
  const keysOf = async (source: BatchSource) => (await linesOf(source, reader, zone, day)).map(v1Key).sort()
  const [keys1, keys2] = [await keysOf('v1'), await keysOf('v2')]
  // Version 1 also shows the rows of the origin shield.
  expect(keys2.length).toBeGreaterThan(50)
  expect(keys2.filter((key) => !keys1.includes(key))).toEqual([])
  const file = defined(requests.find(({ pathname }) => pathname.endsWith('.log')))
  expect(Object.fromEntries(file.searchParams)).toEqual({ status: '1,2,3,4,5', sort: 'asc' })
})

test.each(['array', 'null'] as const)('one request checks the count of a range (empty: %s)', async (emptyPage) => {
  const { reader, zone, day, requests } = await set({ variants: { emptyPage } })
  const rows = (await linesOf('v2', reader, zone, day)).length
  requests.length = 0
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, rows, signal)).toBe(true)
  expect(requests.map(({ searchParams }) => [searchParams.get('offset'), searchParams.get('limit')])).toEqual([
    [String(rows - 1), '2'],
  ])
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, rows - 1, signal)).toBe(false)
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, rows + 1, signal)).toBe(false)
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, 0, signal)).toBe(false)
  requests.length = 0
  expect(await reader.hasRows({ zone, from: day + 1000, to: day + 1001 }, 0, signal)).toBe(true)
  expect(requests).toHaveLength(emptyPage === 'null' ? 2 : 1)
})

test('a failed probe proves nothing; a refusal is an error', async () => {
  const { emulator, reader, zone, day } = await set()
  const off = emulator.faults.add('internal-error')
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, 0, signal)).toBe(false)
  off()
  const refused = reader.hasRows({ zone: '424242424242', from: day, to: day + dayMs }, 0, signal)
  await expect(refused).rejects.toMatchObject({ name: 'ApiError' })
})

test('the reader uses the clock of the platform', async () => {
  const { emulator, reader, zone, day } = await set()
  await reader.hasRows({ zone, from: day, to: day + 1 }, 0, signal)
  expect(Math.abs(reader.now() - emulator.clock.now().getTime())).toBeLessThanOrEqual(1000)
})
