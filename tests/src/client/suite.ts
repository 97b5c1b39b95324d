import {
  ApiError,
  createLimiter,
  createLoggingClient,
  createManagementClient,
  readLogFile,
  readLogs,
  TransportError,
  unwrap,
  withIdleTimeout,
  withObserver,
  withRetry,
  withTimeout,
} from '@cdn/api'

/** Addresses and content of the platform. The host passes this object to the runtime as JSON. */
export interface Setting {
  readonly managementUrl: string
  readonly loggingUrl: string
  /** A server whose path selects its behaviour: `cut`, `hang`, `redirect`, `busy/<id>`, `long`. */
  readonly oddUrl: string
  /** No server listens at this address. */
  readonly refusedUrl: string
  readonly accessKey: string
  readonly bearer: string
  readonly zoneId: string
  readonly absentZoneId: string
  readonly loggedZoneId: string
  readonly unloggedZoneId: string
  readonly libraryId: string
  /** Current time of the emulator's clock, in ISO 8601. */
  readonly now: string
  /** Whether the runtime reports that a connection was refused. */
  readonly provesUnsent: boolean
}

const zonePath = '/pullzone/{id}'
const addPath = '/pullzone/{id}/addAllowedReferrer'
const logsPath = '/v2/pullzones/{pullZoneId}/logs'

const caught = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

/** @throws Error if the condition does not hold */
function ok(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`expected: ${what}`)
}

/** @throws Error with both values if they are not the same */
function equal(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`${String(actual)} instead of ${String(expected)}`)
}

/**
 * The tests by name: behaviour that the client must have in every runtime. They use no test framework, because none runs in all
 * runtimes.
 */
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
    equal(response.status, 204)
  },
  async 'sends raw bytes'({ managementUrl, accessKey, libraryId }) {
    const client = createManagementClient({ baseUrl: managementUrl, accessKey })
    const body = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 255, 0])
    const params = { path: { id: BigInt(libraryId) } }
    await unwrap(client.PUT('/videolibrary/{id}/watermark', { params, body }))
  },
  async 'resolves to refusals, and unwrap throws them'({
    managementUrl,
    loggingUrl,
    accessKey,
    absentZoneId,
    unloggedZoneId,
  }) {
    const management = createManagementClient({ baseUrl: managementUrl, accessKey })
    const absent = await management.GET(zonePath, { params: { path: { id: BigInt(absentZoneId) } } })
    ok(Boolean(absent.error), 'an error')
    equal(absent.response.status, 404)
    const anonymous = createManagementClient({ baseUrl: managementUrl })
    const refused = await caught(unwrap(anonymous.GET(zonePath, { params: { path: { id: 1 } } })))
    ok(refused instanceof ApiError, 'an ApiError')
    equal(refused.status, 401)
    const logging = createLoggingClient({ baseUrl: loggingUrl, accessKey })
    const params = { path: { pullZoneId: BigInt(unloggedZoneId) } }
    const unlogged = await caught(unwrap(logging.GET(logsPath, { params })))
    ok(unlogged instanceof ApiError, 'an ApiError')
    equal(unlogged.code, 'logging_disabled')
  },
  async 'reads a 64-bit integer exactly'({ oddUrl }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/long` })
    equal((await unwrap(client.GET(zonePath, { params: { path: { id: 1 } } }))).Id, 9007199254740993n)
  },
  async 'follows no redirect'({ oddUrl, accessKey }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/redirect`, accessKey })
    const error = await caught(client.GET(zonePath, { params: { path: { id: 1 } } }))
    ok(error instanceof TransportError && error.kind === 'redirect', 'a redirect is an error')
  },
  async 'notices a body that is cut short'({ oddUrl }) {
    const client = createManagementClient({ baseUrl: `${oddUrl}/cut` })
    const error = await caught(client.GET(zonePath, { params: { path: { id: 1 } } }))
    ok(error instanceof TransportError && ['body', 'network'].includes(error.kind), 'a body error')
  },
  async 'ends a call that hangs, and one that its caller aborts'({ oddUrl }) {
    const params = { path: { id: 1 } }
    for (const wrapper of [withTimeout(50), withIdleTimeout(50)]) {
      const client = createManagementClient({ baseUrl: `${oddUrl}/hang`, wrap: [wrapper] })
      const error = await caught(client.GET(zonePath, { params }))
      equal(error instanceof TransportError && error.kind, 'timeout')
    }
    const stop = new AbortController()
    const call = createManagementClient({ baseUrl: `${oddUrl}/hang` }).GET(zonePath, { params, signal: stop.signal })
    const reason = new Error('enough')
    stop.abort(reason)
    equal(await caught(call), reason)
  },
  async 'repeats a read and reports it, and repeats no write that may have arrived'({ oddUrl }) {
    const events: string[] = []
    const wrap = [
      withObserver({ retry: (_call, { status }) => events.push(`retry after ${status}`) }),
      withRetry({ firstPauseMs: 1 }),
      withObserver({ response: (_call, { status }) => events.push(`${status}`) }),
    ]
    const id = Math.floor(Math.random() * 1e9)
    const client = createManagementClient({ baseUrl: `${oddUrl}/busy/${id}`, wrap })
    await unwrap(client.GET(zonePath, { params: { path: { id: 1 } } }))
    equal(events.join(), '503,retry after 503,200')
    const write = await createManagementClient({ baseUrl: `${oddUrl}/busy/${id + 1}`, wrap }).POST(addPath, {
      params: { path: { id: 1 } },
      body: { Hostname: 'a.example' },
    })
    equal(write.response.status, 503)
  },
  async 'knows that a write was not sent, if the runtime reports it'({ refusedUrl, provesUnsent }) {
    let attempts = 0
    const wrap = [withRetry({ attempts: 3, firstPauseMs: 1 }), withObserver({ request: () => attempts++ })]
    const options = { params: { path: { id: 1 } }, body: { Hostname: 'a.example' } }
    const error = await caught(createManagementClient({ baseUrl: refusedUrl, wrap }).POST(addPath, options))
    ok(error instanceof TransportError && error.kind === 'network', 'no response')
    equal(error.isUnsent, provesUnsent)
    equal(attempts, provesUnsent ? 3 : 1)
  },
  async 'keeps the rate limit'({ oddUrl }) {
    const limiter = createLimiter({ requests: 2, windowMs: 60 })
    const client = createLoggingClient({ baseUrl: `${oddUrl}/long`, limiter })
    const start = performance.now()
    const params = { path: { pullZoneId: 1 } }
    await Promise.all(Array.from({ length: 5 }, () => client.GET(logsPath, { params, parseAs: 'text' })))
    ok(performance.now() - start >= 115, 'two windows have passed')
  },
  async 'reads a range of logs in small pages, and the same rows from a day file'(setting) {
    const { loggingUrl, accessKey, loggedZoneId, now } = setting
    const client = createLoggingClient({ baseUrl: loggingUrl, accessKey })
    const pullZoneId = BigInt(loggedZoneId)
    const to = Date.parse(now) - 600_000
    const from = Date.parse(`${now.slice(0, 10)}T00:00:00Z`)
    const paged: number[] = []
    const query = { pullZoneId, from, to, pageSize: 25 }
    for await (const row of readLogs(client, query)) paged.push(Date.parse(row.timestamp))
    const lines: number[] = []
    for await (const row of readLogFile(client, { pullZoneId, date: now })) {
      ok(!row.malformed, 'every line parses')
      if (row.timestamp < to) lines.push(row.timestamp)
    }
    ok(paged.length > 25, 'more than a page')
    equal(paged.join(), lines.join())
  },
  async 'reports a day file that is cut short, and can stop the read of another one'({
    oddUrl,
    loggingUrl,
    accessKey,
    loggedZoneId,
    now,
  }) {
    const cut = createLoggingClient({ baseUrl: `${oddUrl}/cut` })
    const thrown = await readLogFile(cut, { pullZoneId: 1, date: 0, retry: { sleep: async () => {} } })
      .next()
      .catch((error: unknown) => error)
    ok(thrown instanceof TransportError, 'an error')
    const client = createLoggingClient({ baseUrl: loggingUrl, accessKey })
    for await (const row of readLogFile(client, { pullZoneId: BigInt(loggedZoneId), date: now })) {
      ok(!row.malformed, 'a row')
      break
    }
  },
}

/** Runs all tests. @returns by test, an empty text if it passed, otherwise the error */
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
