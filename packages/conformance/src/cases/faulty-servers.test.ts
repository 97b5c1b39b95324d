import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { type Fault, runWith } from '../../tests/support/run-with-fault.ts'
import { createPlan } from '../run/plan.ts'
import { runCheck } from '../run/run-check.ts'
import { sessionOn } from '../run/targets/emulator.ts'
import { platformMs } from '../run/targets/target.ts'
import { assembleReport } from '../verdict/assemble-report.ts'
import { pointChecks } from './unspecified/points.ts'

const { checks } = createPlan()
const signal = new AbortController().signal

test.each(['', '/idle'])('rate limit%s: a server that fails on every request leaves it undecided', async (suffix) => {
  const fault: Fault = ({ url }) => (url.includes('/logs') ? new Response(null, { status: 500 }) : undefined)
  const { result } = await runWith(`logging.rate-limit.429/query-logs${suffix}`, fault)
  expect(result).toMatchObject({ outcome: 'skip', message: expect.stringMatching(/^inconclusive: .*500/) })
})

test('per pull zone: without a refusal on one zone, another zone proves nothing', async () => {
  const fault: Fault = ({ url }) =>
    url.includes('/logs') ? Response.json({ data: [], pagination: {}, query: {} }) : undefined
  const { result } = await runWith('logging.rate-limit.per-pull-zone/query-logs', fault)
  expect(result).toMatchObject({
    outcome: 'skip',
    message: expect.stringMatching(/^inconclusive: no request .* refused/),
  })
})

test.each([
  ['null instead of the pagination', 'has-more', { data: [], pagination: null, query: {} }],
  ['null instead of the query', 'default-range', { data: [], pagination: {}, query: null }],
  ['null instead of an entry', 'zone', { data: [null], pagination: {}, query: {} }],
  ['a list', 'zone', []],
])('a page with %s fails the check of its shape, and %s is not decided', async (_, id, page) => {
  const fault: Fault = ({ url }) => (url.includes('/v2/') ? Response.json(page) : undefined)
  expect((await runWith('logging.query-logs.body', fault)).result.outcome).toBe('fail')
  expect((await runWith(`logging.query-logs.${id}`, fault)).result.outcome).toBe('skip')
})

test.each(['query', 'pagination', 'timestamp'])(
  'without the field %s, which only the supplement states, one check fails, and no requirement of the spec',
  async (field) => {
    const whole = createPlan()
    // The checks of the retention move the clock of the emulator by days.
    const ofPages = whole.checks.filter(
      ({ id, burst }) => /query-logs|v1-v2/.test(id) && !/retention/.test(id) && !burst,
    )
    const session = sessionOn(await createEmulator())
    const send: typeof fetch = async (input, init) => {
      const response = await session.fetch(input, init)
      const isPage = response.ok && response.url.includes('/v2/')
      const alter = (key: string, value: unknown) => (key === field ? undefined : value)
      return isPage ? Response.json(JSON.parse(await response.text(), alter)) : response
    }
    const runs = []
    for (const check of ofPages) runs.push(await runCheck(check, { ...session, fetch: send }, { signal }))
    const facts = { startedAt: '', durationMs: 1, status: 'complete', seed: 1, target: { kind: 'live' } } as const
    const report = assembleReport({ plan: { ...whole, checks: ofPages }, runs, ...facts })
    const failed = report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
    expect(failed.map(({ id }) => id)).toEqual(['logging.query-logs.body'])
    expect(report.requirements.filter(({ outcome, source }) => outcome === 'fail' && source === 'spec')).toEqual([])
  },
)

const broken = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' }))

test('broken connections and single responses of a gateway do not disturb the checks of the rate limit', async () => {
  for (const disturb of [broken, () => new Response('<html>', { status: 503 })]) {
    for (const id of ['accepted/query-logs', '429/query-logs', '429/query-logs/idle', 'per-pull-zone/query-logs']) {
      let count = 0
      const fault: Fault = ({ url }) => (url.includes('/v2/') && ++count % 20 === 7 ? disturb() : undefined)
      const { result } = await runWith(`logging.rate-limit.${id}`, fault)
      expect(result, id).toMatchObject({ outcome: 'pass' })
    }
  }
})

test('a read is repeated after a broken connection and after an error of a gateway', async () => {
  for (const first of [
    () => Promise.reject(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })),
    () => new Response('<html>', { status: 502 }),
  ]) {
    let count = 0
    const fault: Fault = () => (count++ === 0 ? first() : undefined)
    const { result } = await runWith('logging.query-logs.json', fault)
    expect(result).toMatchObject({ outcome: 'pass', requests: 2 })
  }
})

test.each([
  ['a broken connection', broken],
  ['an error of a gateway', () => new Response('<html>', { status: 502 })],
  ['a time-out', () => Promise.reject(new DOMException('no response within 20000 ms', 'TimeoutError'))],
])('a write is sent once, although its response was %s', async (_, lose) => {
  const emulator = await createEmulator()
  let count = 0
  const fault: Fault = async (request) => {
    if (!request.url.endsWith('/addAllowedReferrer')) return emulator.fetch(request)
    count++
    await emulator.fetch(request)
    return lose()
  }
  const { result, breaches } = await runWith('management.add-allowed-referrer.2xx', fault)
  expect(count).toBe(1)
  expect(breaches).toEqual([])
  expect(result).toMatchObject({ outcome: 'skip', message: expect.stringMatching(/^inconclusive: no response/) })
})

test('if no write of an operation gets a response, the target is unavailable', async () => {
  const session = sessionOn(await createEmulator())
  const send: typeof fetch = async (input, init) =>
    init?.method === 'DELETE' || (input instanceof Request && input.method === 'DELETE')
      ? new Response('<html>', { status: 502 })
      : session.fetch(input, init)
  const outcomes: string[] = []
  for (const id of ['204', 'access-key', 'effect'])
    for (const check of checks.filter((candidate) => candidate.id === `management.delete-watermark.${id}`))
      outcomes.push((await runCheck(check, { ...session, fetch: send }, { signal })).result.outcome)
  expect(outcomes).toEqual(['skip', 'skip', 'error'])
})

test('the refusal of a key that another check sent with an invalid token is no refusal of the key', async () => {
  const session = sessionOn(await createEmulator())
  const point = assertDefined(pointChecks.find(({ id }) => id.endsWith('.both-credentials')))
  let refused: Promise<unknown> | undefined
  const fault: Fault = async ({ headers }, { history }) => {
    if (headers.has('authorization')) return new Response(null, { status: 401 })
    const fetch: typeof session.fetch = async () => new Response(null, { status: 401 })
    refused ??= runCheck(point, { ...session, history, fetch }, { signal })
    await refused
    return undefined
  }
  const { result } = await runWith('logging.query-logs.access-key', fault, session)
  expect(result).toMatchObject({ outcome: 'pass' })
})

test.each(['query-logs.default-range', 'retention.3-days/query-logs/reachable'])(
  '%s: a request that waits for the rate limit is judged by the time at which it is sent',
  async (id) => {
    let count = 0
    const fault: Fault = async (request, session) => {
      if (count++ === 0) await session.wait(90_000)
      const response = await session.fetch(request)
      platformMs.set(response, 0)
      return response
    }
    const { result, breaches } = await runWith(`logging.${id}`, fault)
    expect([result.outcome, breaches]).toEqual(['pass', []])
  },
)

test('rows that an earlier run noted are not missing if they get too old while the check waits for the rate limit', async () => {
  const session = { ...sessionOn(await createEmulator()), virtualClock: false }
  const from = session.now().getTime() - 3 * dayMs + 80_000
  const value = { from, to: from + hourMs, rows: 1 }
  const notes = { recall: () => [{ at: 0, value }], add: () => undefined, save: async () => {} }
  let count = 0
  const fault: Fault = async () => void (count++ === 0 && (await session.wait(90_000)))
  const { result } = await runWith('logging.retention.3-days/query-logs/noted', fault, session, { notes })
  expect(result).toMatchObject({ outcome: 'skip', message: expect.stringContaining('still within the retention') })
})

test('a file that gets its first line during the check of the negotiation is no failure', async () => {
  let count = 0
  const fault: Fault = () => (count++ === 0 ? new Response('') : undefined)
  const { result } = await runWith('logging.read-log-file.negotiation', fault)
  expect(result).toMatchObject({ outcome: 'pass' })
})

test('on a live target, a change that removes the item is a failure', async () => {
  let isDeleted = false
  const fault: Fault = ({ method, url }) => {
    isDeleted ||= method === 'DELETE' && url.endsWith('/watermark')
    return isDeleted && /\/videolibrary\//.test(url)
      ? new Response(null, { status: method === 'DELETE' ? 204 : 404 })
      : undefined
  }
  const { result } = await runWith('management.delete-watermark.effect', fault, { virtualClock: false })
  expect(result).toMatchObject({ outcome: 'fail', message: expect.stringMatching(/existence of .* is false/) })
})

test.each(['management.delete-watermark.scope-missing', 'management.add-allowed-referrer.access-key/wrong-key'])(
  '%s: a server that fails on every write has refused nothing',
  async (id) => {
    const fault: Fault = ({ method }) => (method === 'GET' ? undefined : new Response(null, { status: 500 }))
    const { result } = await runWith(id, fault)
    expect(result).toMatchObject({ outcome: 'skip', message: expect.stringMatching(/^inconclusive: .*status 500/) })
  },
)

test.each(['from-inclusive', 'to-exclusive', 'partition'])(
  '%s: a platform that rounds the times of rows is no failure, because rounding is unspecified',
  async (end) => {
    const emulator = await createEmulator({ variants: { storedPrecision: 'microsecond', shownPrecision: 'rounded' } })
    const { result } = await runWith(`logging.query-logs.${end}`, () => undefined, sessionOn(emulator))
    expect(result).toMatchObject({ outcome: 'skip', message: expect.stringContaining('rounded') })
  },
)

test('an item that is gone after a write is a breach, whichever check reads it', async () => {
  const session = sessionOn(await createEmulator())
  let isGone = false
  const fault: Fault = ({ method, url }) =>
    isGone && method === 'GET' && /\/pullzone\/\d+$/.test(url) ? new Response(null, { status: 404 }) : undefined
  const first = await runWith('management.add-allowed-referrer.effect', fault, session)
  isGone = true
  const second = await runWith('management.add-allowed-referrer.2xx', fault, session)
  expect([first.result.outcome, second.result.outcome]).toEqual(['pass', 'pass'])
  expect(first.breaches).toEqual([])
  expect(second.breaches.flatMap(({ requirements }) => requirements)).toContain(
    'management.add-allowed-referrer.effect',
  )
})

test('the checks of the input share their cases, and each judges what its own cases left behind', async () => {
  const emulator = await createEmulator()
  // A server that refuses a number as hostname, but stores it as text.
  const fault: Fault = async (request) => {
    const text = request.method === 'POST' ? await request.clone().text() : ''
    const response = await emulator.fetch(request.clone())
    if (/"Hostname":\s*17[,}]/.test(text))
      await emulator.fetch(new Request(request, { body: text.replace(/17(?=[,}])/, '"17"') }))
    return response
  }
  const session = sessionOn(emulator)
  const ids = ['400/constraints', 'hostname-length', 'hostname-type']
  const runs = []
  for (const id of ids) runs.push((await runWith(`management.add-allowed-referrer.${id}`, fault, session)).result)
  expect(runs.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'fail'])
  expect(runs[0]?.requests).toBeGreaterThan(3 * (runs[2]?.requests ?? 0))
})

test('a server may refuse a hostname beyond ASCII', async () => {
  const fault: Fault = async (request) => {
    const text = request.method === 'POST' ? await request.clone().text() : ''
    return /[^\p{ASCII}]/u.test(text) ? new Response(null, { status: 400 }) : undefined
  }
  const adding = checks.filter(({ id }) => id.startsWith('management.add-allowed-referrer.'))
  const results = []
  const shared = new Map()
  for (const { id } of adding) results.push((await runWith(id, fault, { shared })).result)
  expect(results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([])
})

test('one addition that is lost without a reason is an observation, and two are a failure', async () => {
  for (const count of [1, 2]) {
    let left = count
    const fault: Fault = async (request) => {
      const text = request.method === 'POST' ? await request.clone().text() : ''
      return /"Hostname":\s*"(\*|MiXed)/.test(text) && left-- > 0 ? new Response(null, { status: 204 }) : undefined
    }
    const { result, observations } = await runWith('management.add-allowed-referrer.effect', fault)
    expect(result).toMatchObject({ outcome: count === 1 ? 'pass' : 'fail' })
    expect(observations.filter(({ id }) => id === 'unexplained-losses')).toHaveLength(count)
  }
})

test.each([
  ['a lost response', () => new Response('<html>', { status: 502 })],
  ['a time-out', () => Promise.reject(new DOMException('no response within 20000 ms', 'TimeoutError'))],
])('one addition that is lost is no failure if its repetition has %s', async (_, lose) => {
  let [losses, repetitions] = [0, 0]
  const fault: Fault = async (request) => {
    const text = request.method === 'POST' ? await request.clone().text() : ''
    if (!/addAllowed/.test(request.url) || !/"Hostname":\s*"MiXed/.test(text)) return undefined
    if (losses++ === 0) return new Response(null, { status: 204 })
    return repetitions++ === 0 ? lose() : undefined
  }
  const { result } = await runWith('management.add-allowed-referrer.effect', fault)
  expect(repetitions).toBeGreaterThan(0)
  expect(result).toMatchObject({ outcome: 'pass' })
})

test('an operation that alone never answers fails; a target that never answers is unavailable', async () => {
  const timeOut =
    (isSilent: (url: string) => boolean): Fault =>
    ({ url }) => {
      if (isSilent(url)) throw new DOMException('no response within 20000 ms', 'TimeoutError')
      return undefined
    }
  const id = 'management.get-pull-zone.200'
  const { result } = await runWith(
    id,
    timeOut((url) => /pullzone\/\d+$/.test(url)),
  )
  expect(result).toMatchObject({ outcome: 'fail', evidence: { seen: { kind: 'silence' } } })
  expect(
    (
      await runWith(
        id,
        timeOut(() => true),
      )
    ).result.outcome,
  ).toBe('error')
})

test('a write to an item that no read shows does not show that its id is right', async () => {
  const { fixtures } = sessionOn(await createEmulator())
  const fault: Fault = ({ method, url }) =>
    method === 'GET' && !url.endsWith(`/${fixtures.libraryId}`) ? new Response(null, { status: 500 }) : undefined
  const { result } = await runWith('management.delete-watermark.library-id/distant', fault)
  expect(result).toMatchObject({ outcome: 'skip', message: expect.stringMatching(/^no read shows an effect/) })
})

test('an operation that answers again may be late once, as before', async () => {
  const session = sessionOn(await createEmulator())
  let count = 0
  const fault: Fault = ({ url }) => {
    if (/pullzone\/\d+$/.test(url) && [1, 2, 4].includes(++count))
      throw new DOMException('no response within 20000 ms', 'TimeoutError')
    return undefined
  }
  const outcomes: string[] = []
  for (let run = 0; run < 3; run++)
    outcomes.push((await runWith('management.get-pull-zone.200', fault, session)).result.outcome)
  expect(outcomes).toEqual(['fail', 'pass', 'pass'])
})

test('a server may answer other spellings of a path as it likes, but not with the content', async () => {
  const id = 'management.authentication.missing/get-pull-zone/spellings'
  const isSpelled = ({ url }: Request) => /%|;|\/\/\w+$|\/$|[A-Z]{4}/.test(new URL(url).pathname)
  for (const status of [404, 301, 500]) {
    const { result, breaches } = await runWith(id, (request) =>
      isSpelled(request) ? new Response('', { status }) : undefined,
    )
    expect([result.outcome, breaches]).toEqual(['pass', []])
  }
  const page = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
  expect((await runWith(id, (request) => (isSpelled(request) ? page() : undefined))).result.outcome).toBe('pass')
  const leak = () => Response.json({ Id: 1 })
  expect((await runWith(id, (request) => (isSpelled(request) ? leak() : undefined))).result.outcome).toBe('fail')
})
