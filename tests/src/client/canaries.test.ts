import { inspect } from 'node:util'
import {
  type Call,
  createLimiter,
  createLoggingClient,
  createManagementClient,
  hooks,
  readLogFile,
  readLogs,
  retry,
  timeout,
} from '@cdn/api'
import { createEmulator, type FaultName, faultTable } from '@cdn/emulator'
import { expect, test } from 'vitest'

/** Everything by which a value can be read. */
const spellings = (value: unknown) =>
  [
    String(value),
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
    inspect(value, { depth: 9, showHidden: true }),
    (value as Error)?.stack,
  ].join('\n')

const sleep = async () => {}

test.each(Object.keys(faultTable) as FaultName[])(
  'no credential in errors, traces and logs, and none abroad: %s',
  async (name) => {
    const emulator = await createEmulator()
    const { fixtures, managementUrl, loggingUrl, clock } = emulator
    const { accessKey, bearer } = fixtures.credentials
    emulator.faults.add(name)
    const told: unknown[] = []
    const origins = new Set<string>()
    const recorder: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      origins.add(new URL(request.url).origin)
      return emulator.fetch(request)
    }
    const tell = (call: Call, more?: unknown) => told.push({ ...call, headers: [...call.headers], signal: '' }, more)
    const use = [
      hooks({ request: tell, response: tell, retry: tell, wait: tell }),
      retry({ attempts: 2, sleep }),
      timeout(20),
    ]
    const limiter = createLimiter({ requests: 1e6 })

    for (const credential of [{ accessKey }, { bearer }]) {
      const management = createManagementClient({ baseUrl: managementUrl, fetch: recorder, use, ...credential })
      const logging = createLoggingClient({ baseUrl: loggingUrl, fetch: recorder, use, limiter, ...credential })
      const id = BigInt(fixtures.zoneId)
      const pullZoneId = BigInt(fixtures.loggedZoneId)
      const params = { path: { id } }
      told.push((await management.GET('/pullzone/{id}', { params })).error)
      const body = { Hostname: 'canary.example' }
      told.push((await management.POST('/pullzone/{id}/addAllowedReferrer', { params, body })).error)
      const path = { id: BigInt(fixtures.libraryId) }
      told.push((await management.DELETE('/videolibrary/{id}/watermark', { params: { path } })).error)
      const to = clock.now().getTime()
      for (const rows of [
        readLogs(logging, { pullZoneId, from: to - 3_600_000, to, pageSize: 20, idleMs: 20, sleep }),
        readLogFile(logging, { pullZoneId, date: clock.now(), idleMs: 20, sleep }),
      ]) {
        try {
          for await (const _row of rows) clock.advance(1000)
        } catch (error) {
          told.push(error)
        }
      }
    }
    const text = told.map(spellings).join('\n')
    expect(told.length).toBeGreaterThan(10)
    for (const secret of [accessKey, bearer, encodeURIComponent(accessKey)]) expect(text).not.toContain(secret)
    expect([...origins].sort()).toEqual([managementUrl.origin, loggingUrl.origin].sort())
  },
)
