import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { dayMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { createEncoder } from '../rows/encoder.ts'
import type { WindowReader } from './api-reader.ts'
import { createApiReader } from './api-reader.ts'

const { signal } = new AbortController()
const privacy = { authorizationHeader: 'drop', queryTokens: 'mask', addresses: 'truncate', tokenNames: [] } as const

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
  const reader = createApiReader({ clients, now, sleep })
  const day = (Math.floor(now() / dayMs) - 1) * dayMs
  return { emulator, reader, zone: fixtures.loggedZoneId, day, requests }
}

async function linesOf(reader: WindowReader, zone: string, day: number): Promise<string[]> {
  const encode = createEncoder({ privacy })
  const lines: string[] = []
  for await (const batch of reader.readRange({ zone, from: day, to: day + dayMs }, encode.page, signal)) {
    const { bytes, rejects } = encode.lines(batch)
    expect(rejects).toEqual([])
    lines.push(...Buffer.from(bytes).toString().split('\n').slice(0, -1))
  }
  return lines
}

test('a day has every row of the store; equal rows give equal lines', async () => {
  const { emulator, reader, zone, day } = await set()
  const lines = await linesOf(reader, zone, day)
  const stored = emulator.state.logs.rows(zone, day, day + dayMs).filter(({ originShield }) => !originShield)
  expect(lines.map((line) => JSON.parse(line).requestId).sort()).toEqual(
    stored.map(({ requestId }) => requestId).sort(),
  )
  expect((await linesOf(reader, zone, day)).sort()).toEqual(lines.sort())
  expect(new Set(lines).size).toBe(lines.length)
})

test.each(['array', 'null'] as const)('one request checks the count of a range (empty: %s)', async (emptyPage) => {
  const { reader, zone, day, requests } = await set({ variants: { emptyPage } })
  const rows = (await linesOf(reader, zone, day)).length
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

test('access is required once: each zone is tried until the platform accepts one', async () => {
  const { reader, zone, requests } = await set()
  await expect(reader.requireAccess('424242424242', signal)).rejects.toMatchObject({ name: 'ApiError' })
  expect(requests).toHaveLength(1)
  await reader.requireAccess(zone, signal)
  await reader.requireAccess('424242424242', signal)
  expect(requests).toHaveLength(2)
})

test('the reader uses the clock of the platform', async () => {
  const { emulator, reader, zone, day } = await set()
  await reader.hasRows({ zone, from: day, to: day + 1 }, 0, signal)
  expect(Math.abs(reader.now() - emulator.clock.now().getTime())).toBeLessThanOrEqual(1000)
})
