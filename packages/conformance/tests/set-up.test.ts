/** Tests the set-up of a live run. For an invalid one, there is one sentence per problem, and no check runs. */

import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { createEmulator, type Emulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../src/cli/run.ts'
import type { Fixtures } from '../src/exchange/check.ts'
import { SetupError } from '../src/exchange/failure.ts'
import { preflight } from '../src/run/preflight.ts'

const folder = temporaryFolder()
let emulator: Emulator
let urls: { management: URL; logging: URL }
let redirecting: URL
let fixtures: Fixtures
const server = createServer((request, response) =>
  response.writeHead(301, { location: new URL(request.url ?? '/', 'https://elsewhere.invalid').href }).end(),
)
/** The emulator, whose base URL leads to the documentation. */
const documented: typeof fetch = async (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input)
  return pathname === '/'
    ? new Response(null, { status: 302, headers: { location: 'https://docs.invalid/' } })
    : fetch(input, init)
}

beforeAll(async () => {
  emulator = await createEmulator()
  const { managementUrl, loggingUrl } = await emulator.listen()
  urls = { management: managementUrl, logging: loggingUrl }
  fixtures = emulator.fixtures
  redirecting = new URL(await listen(server))
})
afterAll(async () => {
  server.close()
  await emulator.close()
})

async function problemsOf(
  changes: Partial<Fixtures> = {},
  otherUrls: Partial<typeof urls> = {},
  {
    writes = false,
    onWait = () => {},
    send = fetch,
  }: { writes?: boolean; onWait?: (ms: number) => void; send?: typeof fetch } = {},
): Promise<readonly string[]> {
  const clock = { now: () => emulator.clock.now().getTime(), sleep: async (ms: number) => onWait(ms) }
  const { signal } = new AbortController()
  try {
    await preflight({
      urls: { ...urls, ...otherUrls },
      fixtures: { ...fixtures, ...changes },
      clock,
      send,
      signal,
      writes,
    })
    return []
  } catch (error) {
    if (error instanceof SetupError) return error.problems
    throw error
  }
}

const credentials = (changes: Partial<Fixtures['credentials']>) => ({
  credentials: { ...fixtures.credentials, ...changes },
})

test('a valid set-up has no problem, nor has one without credentials', async () => {
  expect(await problemsOf()).toEqual([])
  expect(await problemsOf({ credentials: {} })).toEqual([])
  expect(await problemsOf({}, {}, { send: documented })).toEqual([])
})

test('each problem is one sentence', async () => {
  expect(await problemsOf(credentials({ accessKey: 'wrong' }))).toEqual([
    'The API key (credentials.accessKey) is refused: management 401, logging 403.',
  ])
  expect(await problemsOf(credentials({ bearer: 'not.a.token' }))).toEqual([
    'The bearer token (credentials.bearer) is refused: logging 403.',
  ])
  const { expired = '' } = fixtures.credentials
  const [ended] = await problemsOf(credentials({ bearer: expired }))
  expect(ended).toMatch(
    /^The token credentials\.bearer expired at .*: store a new token in its environment variable\.$/,
  )
  expect(await problemsOf({}, { management: urls.logging, logging: urls.management })).toEqual([
    'The two URLs are swapped: the logging URL answers as the management interface.',
  ])
  const [redirect] = await problemsOf({}, { logging: redirecting })
  expect(redirect).toMatch(/^The logging URL http:.* redirects to https:\/\/elsewhere\.invalid, /)
  expect(await problemsOf({ otherLoggedZoneId: assertDefined(fixtures.loggedZoneId) })).toEqual([
    'The fixtures loggedZoneId and otherLoggedZoneId are both 2002: they must differ.',
  ])
  expect(await problemsOf({ suspendedZoneId: '77', disabledZoneId: '78' })).toEqual([
    'The fixture suspendedZoneId 77 does not exist: no such pull zone.',
    'The fixture disabledZoneId 78 does not exist: no such pull zone.',
  ])
  expect(
    await problemsOf({ unloggedZoneId: assertDefined(fixtures.suspendedZoneId), suspendedZoneId: '2004' }),
  ).toEqual([
    'The fixture unloggedZoneId 2005 logs (EnableLogging: true).',
    'The fixture suspendedZoneId 2004 is not suspended (Suspended: false).',
  ])
  // A run that only reads does not need the image.
  expect(await problemsOf({ watermarkFile: '/nowhere.png' })).toEqual([])
  expect(await problemsOf({ watermarkFile: '/nowhere.png' }, {}, { writes: true })).toEqual([
    'The watermarkFile /nowhere.png cannot be read.',
  ])
})

test('a gateway that answers every read ends the set-up; a gateway that recovers does not, and neither does a failing platform', async () => {
  emulator.faults.add({ name: 'bad-gateway' })
  expect(await problemsOf()).toEqual([
    "Both interfaces answer 502, from a gateway in front of the platform: check the platform's status, and run again.",
  ])
  const onWait = (ms: number) => ms === 2_000 && emulator.faults.clear()
  expect(await problemsOf({}, {}, { onWait })).toEqual([])
  emulator.faults.add({ name: 'internal-error' })
  expect(await problemsOf()).toEqual([])
  emulator.faults.clear()
})

test('a server that does not speak HTTP cannot be reached', async () => {
  const smtp = createTcpServer((socket) => socket.end('220 smtp ready\r\n'))
  const logging = new URL(await listen(smtp))
  const [problem] = await problemsOf({}, { logging })
  expect(problem).toMatch(/^The logging interface cannot be reached at .*\.$/)
  smtp.close()
})

test('a server that does not answer cannot be reached', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const short = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 1_000))
  const silent = createTcpServer(() => {})
  const url = new URL(await listen(silent))
  const sentence = (name: string) => `The ${name} interface cannot be reached at ${url.href}: no response within 10 s.`
  expect(await problemsOf({}, { management: url, logging: url })).toEqual(['management', 'logging'].map(sentence))
  short.mockRestore()
  silent.close()
})

test('a server that speaks only HTTP/2 cannot be reached, and the sentence says why', async () => {
  // The server refuses the protocol before it would need a certificate.
  const h2 = createSecureServer()
  const management = new URL((await listen(h2)).replace('http', 'https'))
  expect(await problemsOf({}, { management })).toEqual([
    `The management interface cannot be reached at ${management.href}: it answers HTTP/2 only, and HTTP/1.1 is needed.`,
  ])
  h2.close()
})

test('a run that may write does not start while another machine uses the fixtures, and sweeps what an old or a killed run left', async () => {
  const only = ['management.get-pull-zone.200']
  const live = {
    target: 'live',
    managementUrl: urls.management.href,
    loggingUrl: urls.logging.href,
    only,
    fixtures,
  } as const
  const start = async (age: number, ...killedRuns: string[]) => {
    const zone = () => assertDefined(emulator.state.resources.item('/pullzone', assertDefined(fixtures.zoneId)))
    const time = (Date.now() - age).toString(16).padStart(12, '0')
    const name = `${time.slice(0, 8)}-${time.slice(8)}-7abc-8def-0123456789ab.conformance.invalid`
    await fetch(new URL(`pullzone/${fixtures.zoneId}/addAllowedReferrer`, urls.management), {
      method: 'POST',
      headers: { AccessKey: assertDefined(fixtures.credentials.accessKey), 'Content-Type': 'application/json' },
      body: JSON.stringify({ Hostname: name }),
    })
    const observer = { signal: new AbortController().signal, killedRuns }
    const report = await run({ ...live, allow: ['write'], out: join(folder, `${age} ${killedRuns}`) }, observer)
    return { status: report.status, problem: report.problems?.[0], left: zone()['AllowedReferrers'] }
  }
  const young = await start(60_000)
  expect(young).toMatchObject({ status: 'not-started', left: [expect.any(String)] })
  expect(young.problem).toMatch(
    /^Another run of the suite uses the fixtures, until .* UTC at the latest: wait for its end/,
  )
  expect(await start(60_000, '456789ab')).toMatchObject({ status: 'complete', left: [] })
  expect(await start(3_600_000)).toMatchObject({ status: 'complete', left: [] })
})

test('a run writes its first report before its first request, so that it is known if it is killed', async () => {
  const reports: string[] = []
  const nowhere = 'http://127.0.0.1:1/'
  const ended = await run(
    { target: 'live', managementUrl: nowhere, loggingUrl: nowhere, fixtures, out: join(folder, 'nowhere') },
    {
      signal: new AbortController().signal,
      onReport: async ({ status, target }) => reports.push(`${status} ${target.managementUrl}`),
    },
  )
  expect([ended.status, reports]).toEqual(['not-started', [`running ${nowhere}`]])
})
