import { createEmulator, type EmulatorOptions } from '@cdn/emulator'
import { dayMs } from '@cdn/kit/time'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createApiReader } from './api-reader.ts'

const { signal } = new AbortController()

/** @returns `day`: the start of the UTC day before the emulator's current day */
async function openReader(options: EmulatorOptions = {}) {
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

test.each(['array', 'null'] as const)('one request checks the count of a range (empty: %s)', async (emptyPage) => {
  const { emulator, reader, zone, day, requests } = await openReader({ variants: { emptyPage } })
  const stored = emulator.state.logs.rows(zone, day, day + dayMs)
  const rows = stored.filter(({ originShield }) => !originShield).length
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
  const { emulator, reader, zone, day } = await openReader()
  const off = emulator.faults.add('internal-error')
  expect(await reader.hasRows({ zone, from: day, to: day + dayMs }, 0, signal)).toBe(false)
  off()
  const refused = reader.hasRows({ zone: '424242424242', from: day, to: day + dayMs }, 0, signal)
  await expect(refused).rejects.toMatchObject({ name: 'ApiError' })
})

test('access is required once: each zone is tried until the platform accepts one', async () => {
  const { reader, zone, requests } = await openReader()
  await expect(reader.requireAccess('424242424242', signal)).rejects.toMatchObject({ name: 'ApiError' })
  expect(requests).toHaveLength(1)
  await reader.requireAccess(zone, signal)
  await reader.requireAccess('424242424242', signal)
  expect(requests).toHaveLength(2)
})

test('a platform that never answers gets one request; after the time-out nothing else is tried', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const fetch = vi.fn<typeof globalThis.fetch>(() => new Promise(() => {}))
  const reader = createApiReader({ clients: { baseUrl: 'https://logging.example', accessKey: 'key', fetch } })
  const failure = reader.synchronize('1', signal).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await failure).toMatchObject({ name: 'TransportError', kind: 'timeout' })
  expect(fetch).toHaveBeenCalledTimes(1)
})
