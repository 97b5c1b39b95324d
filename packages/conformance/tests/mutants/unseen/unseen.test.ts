import { createEmulator, type Emulator, type StoredLogRow } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { stringifyJson } from '@cdn/kit/json'
import { hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { createPlan } from '../../../src/index.ts'
import { serverMutants } from '../all.ts'
import type { ServerMutant } from '../mutant.ts'
import { unseenMutants } from './list.ts'

type Headers = Readonly<Record<string, string>>
interface To {
  readonly zone?: string
  readonly day?: string
  readonly headers?: Headers
}

/** A caller of one server. Each request returns status, content type and body as one text. */
interface Caller {
  readonly emulator: Emulator
  v2(query: string, to?: To): Promise<string>
  v1(query: string, to?: To): Promise<string>
  add(body: string | Uint8Array<ArrayBuffer>, to?: To): Promise<string>
  remove(library: string): Promise<string>
  /** Adds an entry to the logged pull zone. */
  plant(time: string, fields?: Partial<StoredLogRow>): void
}

function callerOf(emulator: Emulator): Caller {
  const { fixtures, managementUrl, loggingUrl, state } = emulator
  const key = { AccessKey: fixtures.credentials.accessKey }
  const send = async (url: URL, headers: Headers = key, init: RequestInit = {}) => {
    const response = await emulator.fetch(url, { headers, ...init })
    return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
  }
  const { loggedZoneId, zoneId } = fixtures
  return {
    emulator,
    v2: (query, { zone = loggedZoneId, headers } = {}) =>
      send(new URL(`v2/pullzones/${zone}/logs?${query}`, loggingUrl), headers),
    v1: (query, { zone = loggedZoneId, day = '06-16-26', headers } = {}) =>
      send(new URL(`${day}/${zone}.log?${query}`, loggingUrl), headers),
    add: (body, { zone = zoneId, headers = key } = {}) =>
      send(
        new URL(`pullzone/${zone}/addAllowedReferrer`, managementUrl),
        { ...headers, 'Content-Type': 'application/json' },
        { method: 'POST', body },
      ).then(async (response) => `${response} ${await send(new URL(`pullzone/${zoneId}`, managementUrl))}`),
    remove: (library) =>
      send(new URL(`videolibrary/${library}/watermark`, managementUrl), key, { method: 'DELETE' }).then(
        (response) => `${response} ${stringifyJson(state.resources.all['/videolibrary'])}`,
      ),
    plant(time, fields) {
      const row = defined(state.logs.rows(loggedZoneId).find(({ originShield }) => !originShield))
      state.logs.append([{ ...row, timestamp: Date.parse(time), ...fields }])
    },
  }
}

const range = 'from=2026-06-14T14:30:00Z&to=2026-06-17T14:30:00Z'
const hour = 'from=2026-06-17T12:00:00Z&to=2026-06-17T13:00:00Z'
const uuid = '0123456789abcdef0123456789abcdef'
const at = '2026-06-17T12:00:00.100Z'
const json = (Hostname: unknown) => JSON.stringify({ Hostname })

async function times(count: number, request: (index: number) => Promise<string>): Promise<string> {
  const responses: string[] = []
  for (let index = 0; index < count; index++) responses.push(await request(index))
  return responses.map((response) => response.slice(0, 80)).join('\n')
}

/** Requests by mutant id. Their answers differ between the mutant and the right server. */
const requestsOf: Readonly<Record<string, (caller: Caller) => Promise<string>>> = {
  'pages.offset-before-status': ({ v2 }) => v2(`${range}&status=4xx&limit=5&offset=5`),
  'pages.tie-skipped': ({ v2, plant }) => {
    for (const bytesSent of [1, 2, 3]) plant(at, { bytesSent })
    return v2(`from=${at}&limit=1&offset=1&order=asc`)
  },
  'pages.walk-keeps-status': async ({ v2 }) => {
    await v2('status=404&limit=5')
    return v2('limit=5&offset=5')
  },
  'pages.offset-of-32-bits': ({ v2 }) => v2('limit=3&offset=4294967296'),
  'pages.last-page-repeated': ({ v2 }) => v2('limit=3&offset=5000'),
  'pages.limit-maximum': ({ v2 }) => v2('limit=10000'),
  'pages.ascending-to-inclusive': ({ v2, plant }) => {
    plant(at)
    return v2(`order=asc&from=2026-06-17T12:00:00Z&to=${at}`)
  },
  'pages.short-fraction': ({ v2, plant }) => {
    plant(at)
    return v2('from=2026-06-17T12:00:00.5Z&to=2026-06-17T12:00:01Z')
  },
  'pages.offset-overflows': ({ v2 }) => v2('offset=9223372036854775807'),
  'pages.nothing-found': ({ v2 }) => v2('cacheStatus=EXPIRED'),
  'filters.search-drops-status': ({ v2 }) => v2(`${range}&search=html&status=500`),
  'filters.code-hides-class': ({ v2 }) => v2(`${range}&status=404,5xx`),
  'filters.request-id-wins': ({ v2, plant }) => {
    plant(at, { requestId: uuid, statusCode: 200 })
    return v2(`requestId=${uuid}&status=404`)
  },
  'filters.agent-on-first-page': ({ v2 }) => v2(`${range}&userAgentContains=curl&limit=5&offset=5`),
  'filters.wildcards-stripped': ({ v2, plant }) => {
    plant(at, { path: '/a_b' })
    return v2('urlContains=/a_b')
  },
  'filters.plus-as-space': ({ v2 }) => v2(`${range}&userAgentContains=(%2Bhttps`),
  'filters.latin-text': ({ v2, plant }) => {
    plant(at, { userAgent: '漢字' })
    return v2('userAgentContains=漢')
  },
  'filters.nul-crashes': ({ v2 }) => v2('urlContains=a%00b'),
  'filters.empty-crashes': ({ v2 }) => v2('urlContains='),
  'filters.status-comma-crashes': ({ v2 }) => v2('status=404,'),
  'filters.repeated-crashes': ({ v2 }) => v2('status=404&status=500'),
  'file.last-second': ({ v1 }) => v1(''),
  'file.not-ready-after-midnight': ({ v1, emulator }) => {
    emulator.clock.advance(10 * hourMs)
    return v1('', { day: '06-17-26' })
  },
  'file.impossible-day': ({ v1 }) => v1('', { day: '05-48-26' }),
  'file.ascending-status': ({ v1 }) => v1('sort=asc&status=5'),
  'file.nul-ends-line': ({ v1, plant }) => {
    plant(at, { userAgent: 'a\0b' })
    return v1('', { day: '06-17-26' })
  },
  'file.unlogged-past-day': ({ v1, emulator }) => v1('', { zone: emulator.fixtures.unloggedZoneId }),
  'file.broken-text-crashes': ({ v1 }) => v1('search=%ED%A0%BD'),
  'response.lower-case-found': ({ v2 }) => v2('search=html'),
  'response.control-characters': ({ v2, plant }) => {
    plant(at, { userAgent: '\u001b[0m' })
    return v2(hour)
  },
  'response.cut-at-buffer': ({ v2 }) => v2(`${range}&limit=9999`),
  'response.unpadded-milliseconds': ({ v2, plant }) => {
    plant('2026-06-17T12:00:00.007Z')
    return v2(hour)
  },
  'response.large-size-as-text': ({ v2, plant }) => {
    plant(at, { bytesSent: 2 ** 31 })
    return v2(hour)
  },
  'response.several-problems': ({ v2 }) => v2('limit=0&order=up'),
  'response.later-refusals-empty': ({ v2 }) => times(40, () => v2('limit=1')),
  'memory.page-of-other-zone': ({ v2, emulator }) =>
    times(2, (index) => v2(hour, index > 0 ? { zone: emulator.fixtures.otherLoggedZoneId } : {})),
  'memory.cached-before-authentication': ({ v2 }) =>
    times(2, (index) => v2(hour, index > 0 ? { headers: { AccessKey: 'wrong' } } : {})),
  'memory.order-stays': ({ v2 }) => times(2, (index) => v2(index > 0 ? 'limit=2' : 'limit=2&order=asc')),
  'memory.repetition-goes-on': ({ v2 }) => times(2, () => v2('limit=2')),
  'limit.repetition-free': ({ v2 }) => times(31, () => v2('limit=1')),
  'limit.other-version-resets': ({ v1, v2 }) =>
    times(32, (index) => (index === 15 ? v1('end=1') : v2(`limit=1&offset=${index}`))),
  'limit.burst-after-idle': ({ v2, emulator }) =>
    times(32, (index) => {
      if (index === 1) emulator.clock.advance(61_000)
      return v2('limit=1')
    }),
  'limit.refusal-spreads': ({ v2, emulator }) =>
    times(32, (index) => v2('limit=1', index > 30 ? { zone: emulator.fixtures.otherLoggedZoneId } : {})),
  'access.key-prefix': ({ v2, emulator }) =>
    v2('', { headers: { AccessKey: `${emulator.fixtures.credentials.accessKey.slice(0, 40)}x` } }),
  'access.zone-before-credentials': ({ v1, emulator }) =>
    v1('', { zone: emulator.fixtures.suspendedZoneId, headers: {} }),
  'access.suspended-by-request-id': ({ v2, emulator }) =>
    v2(`requestId=${uuid}`, { zone: emulator.fixtures.suspendedZoneId }),
  'access.zone-id-of-32-bits': ({ v2, emulator }) =>
    v2('', { zone: String(2 ** 32 + Number(emulator.fixtures.loggedZoneId)) }),
  'access.bearer-on-first-page': ({ v2, emulator }) =>
    v2('limit=1&offset=1', { headers: { Authorization: `Bearer ${emulator.fixtures.credentials.bearer}` } }),
  'access.expired-code': ({ v1, emulator }) =>
    v1('', { headers: { Authorization: `Bearer ${emulator.fixtures.credentials.expired}` } }),
  'access.filtered-two-days': ({ v2 }) => v2(`${range}&status=2xx&order=asc`),
  'hostname.latin-body': ({ add }) => add(json('bücher.example')),
  'hostname.escapes-kept': ({ add }) => add('{"Hostname":"\\u0061.example"}'),
  'hostname.text-after-body': ({ add }) => add(`${json('a.example')}x`),
  'hostname.empty-later': async ({ add }) => {
    await add(json('a.example'))
    return add(json(''))
  },
  'hostname.lost-after-refusal': async ({ add }) => {
    await add(json(''))
    return add(json('a.example'))
  },
  'hostname.empty-body-as-html': ({ add }) => add(''),
  'hostname.absent-zone-before-credentials': ({ add, emulator }) =>
    add(json('a.example'), { zone: emulator.fixtures.absentZoneId, headers: {} }),
  'library.sign-ignored': ({ remove, emulator }) => remove(`-${emulator.fixtures.libraryId}`),
  'library.id-wraps': ({ remove, emulator }) => remove(String(2n ** 64n + BigInt(emulator.fixtures.libraryId))),
  'library.largest-id-crashes': ({ remove }) => remove(String(2n ** 63n - 1n)),
}

/** Returns what a caller sees of a new server. Ties have a stable order, so that two equal servers answer alike. */
async function seen(requests: (caller: Caller) => Promise<string>, mutant?: ServerMutant): Promise<string> {
  const emulator = await createEmulator({ variants: { tieOrder: 'stable' } })
  mutant?.apply(emulator)
  return requests(callerOf(emulator))
}

test.each(unseenMutants.map((mutant) => [mutant.id, mutant] as const))(
  '%s differs from the right server',
  async (id, mutant) => {
    const requests = defined(requestsOf[id])
    const right = await seen(requests)
    expect(await seen(requests)).toBe(right)
    expect(await seen(requests, mutant)).not.toBe(right)
  },
)

/** Requests without anything rare. An unseen mutant must answer them correctly, because its mistake is a rare one. */
const ordinary = async ({ v1, v2, add, remove, emulator, plant }: Caller) => {
  plant('2026-06-17T14:29:59.500Z')
  plant('2026-06-16T12:00:00.500Z')
  const responses = [await v2('limit=1'), await v1('start=1&end=2'), await add(json('a.example'))]
  return [...responses, await remove(emulator.fixtures.libraryId)].join('\n')
}

test('no unseen mutant shows in ordinary requests', async () => {
  const right = await seen(ordinary)
  for (const mutant of unseenMutants) expect(await seen(ordinary, mutant), mutant.id).toBe(right)
})

test('there are sixty, each with an id of its own, and each breaks one known requirement, mostly of the spec', () => {
  expect(unseenMutants).toHaveLength(60)
  expect(new Set([...serverMutants, ...unseenMutants].map(({ id }) => id)).size).toBe(serverMutants.length + 60)
  const sources = new Map(createPlan().requirements.map(({ id, source }) => [id, source]))
  const broken = unseenMutants.map(({ id, breaks }) => ({
    id,
    count: breaks.length,
    source: sources.get(breaks[0] ?? ''),
  }))
  expect(broken.filter(({ count, source }) => count !== 1 || source === undefined)).toEqual([])
  expect(broken.filter(({ source }) => source === 'supplement').length).toBeLessThanOrEqual(20)
})
