import { inspect } from 'node:util'
import {
  createLimiter,
  createLoggingClient,
  createManagementClient,
  type ObservedCall,
  readLogFile,
  readLogs,
  unwrap,
  withObserver,
  withRetry,
  withTimeout,
} from '@cdn/api'
import { createEmulator, type FaultName, faultTable } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { expect, test } from 'vitest'

/** Returns all text representations of a value. */
const spellings = (value: unknown) =>
  [
    String(value),
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each)),
    inspect(value, { depth: 9, showHidden: true }),
    toRecord(value)['stack'],
  ].join('\n')

const sleep = async () => {}

// The keys of the table are the names.
test.each(Object.keys(faultTable) as FaultName[])(
  'no credential in errors, traces and logs, or at another origin: %s',
  async (name) => {
    const emulator = await createEmulator()
    const { fixtures, managementUrl, loggingUrl, clock } = emulator
    const { accessKey, bearer } = fixtures.credentials
    emulator.faults.add(name)
    const outputs: unknown[] = []
    const origins = new Set<string>()
    const recorder: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      origins.add(new URL(request.url).origin)
      return emulator.fetch(request)
    }
    const tell = (call: ObservedCall, more?: unknown) => outputs.push(call, more)
    const events = { request: tell, response: tell, retry: tell, wait: tell }
    const wrap = [withObserver(events), withRetry({ attempts: 2, sleep }), withObserver(events), withTimeout(20)]
    const limiter = createLimiter({ requests: 1e6 })

    for (const credential of [{ accessKey }, { bearer }]) {
      const management = createManagementClient({ baseUrl: managementUrl, fetch: recorder, wrap, ...credential })
      const logging = createLoggingClient({ baseUrl: loggingUrl, fetch: recorder, wrap, limiter, ...credential })
      const id = BigInt(fixtures.zoneId)
      const pullZoneId = BigInt(fixtures.loggedZoneId)
      const params = { path: { id } }
      const tryCall = async (call: () => Promise<{ error?: unknown; response: Response }>) => {
        outputs.push(await call().catch((error: unknown) => error))
        outputs.push(await unwrap(call()).catch((error: unknown) => error))
      }
      await tryCall(() => management.GET('/pullzone/{id}', { params }))
      const body = { Hostname: 'canary.example' }
      await tryCall(() => management.POST('/pullzone/{id}/addAllowedReferrer', { params, body }))
      const path = { id: BigInt(fixtures.libraryId) }
      await tryCall(() => management.DELETE('/videolibrary/{id}/watermark', { params: { path } }))
      const to = clock.now().getTime()
      for (const rows of [
        readLogs(logging, { pullZoneId, from: to - 3_600_000, to, pageSize: 20, idleMs: 20, sleep }),
        readLogFile(logging, { pullZoneId, date: clock.now(), idleMs: 20, sleep }),
      ]) {
        try {
          for await (const _row of rows) clock.advance(1000)
        } catch (error) {
          outputs.push(error)
        }
      }
    }
    const text = outputs.map(spellings).join('\n')
    expect(outputs.length).toBeGreaterThan(10)
    for (const secret of [accessKey, bearer, encodeURIComponent(accessKey)]) expect(text).not.toContain(secret)
    expect([...origins].sort()).toEqual([managementUrl.origin, loggingUrl.origin].sort())
  },
)
