import {
  type Call,
  createLimiter,
  createLoggingClient,
  createManagementClient,
  hooks,
  LoggingError,
  ManagementError,
  readLogFile,
  readLogs,
  retry,
  TransportError,
  timeout,
  unwrap,
} from '@cdn/api'
import { equal, ok } from './equal.ts'

/** Where the platform is, and what is in it; handed from the host to the runtime as JSON. */
export interface Setting {
  readonly managementUrl: string
  readonly loggingUrl: string
  /** A server that does what its path says: `cut`, `hang`, `redirect`, `busy/<id>`, `long`. */
  readonly oddUrl: string
  /** Nobody listens there. */
  readonly refusedUrl: string
  readonly accessKey: string
  readonly bearer: string
  readonly zoneId: string
  readonly absentZoneId: string
  readonly loggedZoneId: string
  readonly unloggedZoneId: string
  readonly libraryId: string
  /** ISO 8601; by the emulator's clock. */
  readonly now: string
  /** Whether the runtime tells that a connection was refused. */
  readonly provesUnsent: boolean
}

const zonePath = '/pullzone/{id}'
const addPath = '/pullzone/{id}/addAllowedReferrer'
const logsPath = '/v2/pullzones/{pullZoneId}/logs'

/** What the client must do in every runtime, by name. Plain code: no test framework runs in all of them. */
export const suite: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  async 'reads a pull zone'({ managementUrl, accessKey, zoneId }) {
    const client = createManagementClient({ baseUrl: managementUrl, accessKey })
    const zone = await unwrap(client.GET(zonePath, { params: { path: { id: BigInt(zoneId) } } }))
    equal(String(zone.Id), zoneId)
  },
  async 'adds a referrer and deletes a watermark, with either credential'(setting) {
    const { managementUrl, accessKey, bearer, zoneId, libraryId } = setting
    const client = createManagementClient({ baseUrl: managementUrl, accessKey: async () => accessKey })
    const params = { path: { id: BigInt(zoneId) } }
    await unwrap(client.POST(addPath, { params, body: { Hostname: 'runtime.example' } }))
    const { AllowedReferrers } = await unwrap(client.GET(zonePath, { params }))
    ok(AllowedReferrers?.includes('runtime.example'), 'the hostname is there')
    const withToken = createManagementClient({ baseUrl: managementUrl, bearer })
    const path = { id: BigInt(libraryId) }
    const { response } = await withToken.DELETE('/videolibrary/{id}/watermark', { params: { path } })
    equal(response?.status, 204)
  },
  async 'sends raw bytes'({ managementUrl, accessKey, libraryId }) {
    const client = createManagementClient({ baseUrl: managementUrl, accessKey })
    const body = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 255, 0])
    const params = { path: { id: BigInt(libraryId) } }
    await unwrap(client.PUT('/videolibrary/{id}/watermark', { params, body }))
  },
  async 'gives refusals as values'({ managementUrl, loggingUrl, accessKey, absentZoneId, unloggedZoneId }) {
    const management = createManagementClient({ baseUrl: managementUrl, accessKey })
    const absent = await management.GET(zonePath, { params: { path: { id: BigInt(absentZoneId) } } })
    ok(absent.error instanceof ManagementError, 'a management error')
    equal(absent.error.status, 404)
    const nobody = await createManagementClient({ baseUrl: managementUrl }).GET(zonePath, {
      params: { path: { id: 1 } },
    })
    equal(nobody.error?.status, 401)
    const logging = createLoggingClient({ baseUrl: loggingUrl, accessKey })
    const unlogged = await logging.GET(logsPath, { params: { path: { pullZoneId: BigInt(unloggedZoneId) } } })
    ok(unlogged.error instanceof LoggingError, 'a logging error')
    equal(unlogged.error.code, 'logging_disabled')
  },
  async 'reads a 64-bit integer exactly'({ oddUrl }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/long` })
    equal((await unwrap(client.GET(zonePath, { params: { path: { id: 1 } } }))).Id, 9007199254740993n)
  },
  async 'follows no redirect'({ oddUrl, accessKey }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/redirect`, accessKey })
    const { error } = await client.GET(zonePath, { params: { path: { id: 1 } } })
    ok(error instanceof TransportError && error.kind === 'redirect', 'a redirect is an error')
  },
  async 'notices a body that is cut short'({ oddUrl }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/cut` })
    const { error } = await client.GET(zonePath, { params: { path: { id: 1 } } })
    ok(error instanceof TransportError && ['body', 'network'].includes(error.kind), 'a body error')
  },
  async 'ends a call that hangs, and one that its caller gives up'({ oddUrl }) {
    const params = { path: { id: 1 } }
    const client = createManagementClient({ baseUrl: `${oddUrl}/hang`, use: [timeout(50)] })
    const { error } = await client.GET(zonePath, { params })
    equal(error instanceof TransportError && error.kind, 'timeout')
    const stop = new AbortController()
    const call = createManagementClient({ baseUrl: `${oddUrl}/hang` }).GET(zonePath, { params, signal: stop.signal })
    stop.abort()
    const given = await call
    equal(given.error instanceof TransportError && given.error.kind, 'aborted')
  },
  async 'repeats a read, tells of it, and never a write that may have arrived'({ oddUrl }) {
    const told: string[] = []
    const use = [
      hooks({
        retry: ({ attempt }: Call) => told.push(`retry ${attempt}`),
        response: (_call, { status }) => told.push(`${status}`),
      }),
      retry({ firstPauseMs: 1 }),
    ]
    const id = Math.floor(Math.random() * 1e9)
    const client = createManagementClient({ baseUrl: `${oddUrl}/busy/${id}`, use })
    await unwrap(client.GET(zonePath, { params: { path: { id: 1 } } }))
    equal(told.join(), '503,retry 1,200')
    const write = await createManagementClient({ baseUrl: `${oddUrl}/busy/${id + 1}`, use }).POST(addPath, {
      params: { path: { id: 1 } },
      body: { Hostname: 'a.example' },
    })
    equal(write.error?.status, 503)
  },
  async 'tells whether a write has left, as far as the runtime does'({ refusedUrl, provesUnsent }) {
    const use = [retry({ attempts: 3, firstPauseMs: 1 })]
    const options = { params: { path: { id: 1 } }, body: { Hostname: 'a.example' } }
    const { error } = await createManagementClient({ baseUrl: refusedUrl, use }).POST(addPath, options)
    ok(error instanceof TransportError && error.kind === 'network', 'no answer')
    equal(error.isUnsent, provesUnsent)
    equal(error.attempts, provesUnsent ? 3 : 1)
  },
  async 'keeps the rate limit'({ oddUrl }) {
    const limiter = createLimiter({ requests: 2, windowMs: 60 })
    const client = createLoggingClient({ baseUrl: `${oddUrl}/long`, limiter })
    const start = performance.now()
    const params = { path: { pullZoneId: 1 } }
    await Promise.all(Array.from({ length: 5 }, () => client.GET(logsPath, { params })))
    ok(performance.now() - start >= 115, 'two windows have passed')
  },
  async 'reads a range of logs in small pages, and the same rows from a day file'(setting) {
    const { loggingUrl, accessKey, loggedZoneId, now } = setting
    const client = createLoggingClient({ baseUrl: loggingUrl, accessKey })
    const pullZoneId = BigInt(loggedZoneId)
    const to = Date.parse(now) - 600_000
    const from = Date.parse(`${now.slice(0, 10)}T00:00:00Z`)
    const paged: number[] = []
    const query = { pullZoneId, from, to, includeOriginShield: true, pageSize: 25 }
    for await (const row of readLogs(client, query)) paged.push(Date.parse(row.timestamp))
    const lines: number[] = []
    for await (const row of readLogFile(client, { pullZoneId, date: now })) {
      ok(!row.malformed, 'every line parses')
      if (row.timestamp < to) lines.push(row.timestamp)
    }
    ok(paged.length > 25, 'more than a page')
    equal(paged.join(), lines.join())
  },
  async 'notices a day file that is cut short, and leaves one early'({
    oddUrl,
    loggingUrl,
    accessKey,
    loggedZoneId,
    now,
  }) {
    const thrown = await readLogFile({ baseUrl: `${oddUrl}/cut` }, { pullZoneId: 1, date: 0, sleep: async () => {} })
      .next()
      .catch((error: unknown) => error)
    ok(thrown instanceof TransportError, 'an error')
    const options = { baseUrl: loggingUrl, accessKey }
    for await (const row of readLogFile(options, { pullZoneId: BigInt(loggedZoneId), date: now })) {
      ok(!row.malformed, 'a row')
      break
    }
  },
}

/** What became of each test: empty where it passed, else what went wrong. */
export async function run(setting: Setting): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for (const [name, test] of Object.entries(suite)) {
    results[name] = await test(setting).then(
      () => '',
      (error: unknown) => String(error instanceof Error ? (error.stack ?? error) : error),
    )
  }
  return results
}
