import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { call } from '../exchange/call.ts'
import type { Check, CheckContext } from '../exchange/check.ts'
import { Failure, Skip, TargetUnavailable, value, wrong } from '../exchange/failure.ts'
import { createHistory } from '../exchange/history.ts'
import { operationOf } from '../exchange/resources.ts'
import { runCheck } from './run-check.ts'
import type { Session } from './targets/target.ts'

const secret = 'canary-key'
const signal = new AbortController().signal
const management = new URL('https://management.invalid')

function sessionOf(response: (request: Request) => Response | Promise<Response>): Session & { sent: Request[] } {
  const sent: Request[] = []
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      sent.push(request)
      return response(request)
    },
    bases: { management, logging: new URL('https://logging.invalid') },
    fixtures: { zoneId: '7', credentials: { accessKey: secret } },
    disposable: false,
    shared: new Map(),
    history: createHistory(0),
    virtualClock: false,
    now: () => new Date(0),
    wait: async () => {},
  }
}

function checkOf(run: Check['run'], needs: Check['needs'] = []): Check {
  return { id: 'a.b.c', requirements: ['a.b.c'], source: 'spec', basis: 'spec', effect: 'write', needs, run }
}

const ok = () => new Response(null, { status: 204 })

test.each([
  ['nothing', undefined, 'pass', undefined],
  ['a Failure', new Failure(value('one'), wrong('two')), 'fail', 'expected one, saw two'],
  ['a Skip', new Skip('no traffic'), 'skip', 'no traffic'],
  ['TargetUnavailable', new TargetUnavailable('target unavailable: reset'), 'error', 'target unavailable: reset'],
  ['anything else', new TypeError('x is not a function'), 'error', 'fault of the suite: x is not a function'],
] as const)('a check that throws %s', async (_, thrown, outcome, message) => {
  const run = async () => {
    if (thrown) throw thrown
  }
  const { result } = await runCheck(checkOf(run), sessionOf(ok), { signal })
  expect(result).toMatchObject({ id: 'a.b.c', outcome, ...(message && { message }) })
  if (!message) expect(result).not.toHaveProperty('message')
})

test('after each 429 of an operation without a stated limit, a request waits for the pause in the response, doubled each time', async () => {
  const waits: number[] = []
  const answers = [429, 429, 429, 404].map((status) => new Response(null, { status, headers: { 'Retry-After': '2' } }))
  const session = {
    ...sessionOf(() => answers.shift() ?? ok()),
    wait: async (ms: number) => void waits.push(ms),
  }
  const run: Check['run'] = async (context) => void (await call(context, operationOf('get-pull-zone')))
  expect((await runCheck(checkOf(run), session, { signal })).result.outcome).toBe('pass')
  expect(waits).toEqual([2_000, 4_000, 8_000])
})

test('a check fails instead of being skipped if an exchange breaks its own sentence', async () => {
  const run: Check['run'] = async (context) => {
    await call(context, operationOf('get-pull-zone'))
    throw new Skip('the record is unusable')
  }
  const check = { ...checkOf(run), requirements: ['management.get-pull-zone.body'] }
  const ofBody = (body: object) =>
    runCheck(
      check,
      sessionOf(() => Response.json(body)),
      { signal },
    )
  expect((await ofBody({ Name: 'without an id' })).result).toMatchObject({
    outcome: 'fail',
    evidence: { exchanges: [{ response: { status: 200 } }] },
  })
})

test('what a check observes becomes plain JSON', async () => {
  const run: Check['run'] = async ({ observe }) => {
    observe('a', undefined)
    observe('b', { status: undefined, list: [undefined, 2] })
  }
  const { observations } = await runCheck(checkOf(run), sessionOf(ok), { signal })
  expect(observations).toStrictEqual([
    { id: 'a', value: null },
    { id: 'b', value: { list: [null, 2] } },
  ])
})

test('a check with a missing need does not run', async () => {
  const session = sessionOf(ok)
  const never = checkOf(async ({ send }) => void (await send(new Request(management))), ['absentZoneId'])
  const missing = (await runCheck(never, session, { signal })).result
  expect(missing).toMatchObject({ outcome: 'skip', message: 'the fixtures have no absentZoneId' })
  const clock = (await runCheck(checkOf(never.run, ['virtual-clock']), session, { signal })).result
  expect(clock).toMatchObject({
    outcome: 'skip',
    withheld: true,
    message: expect.stringContaining('whose clock can be moved'),
  })
  expect(session.sent).toEqual([])
})

test('a failure has its exchanges as evidence, without the secret, and states its basis', async () => {
  const session = sessionOf(() => Response.json({ echo: secret }, { headers: { 'set-cookie': 'c=1' } }))
  const run = async ({ send }: CheckContext) => {
    await send(new Request(new URL('pullzone/7', management), { headers: { AccessKey: secret } }))
    throw new Failure(value('no echo'), wrong('an echo', { text: secret }))
  }
  const { result } = await runCheck({ ...checkOf(run), basis: 'supplement' }, session, { signal })
  expect(result.message).toContain('observed through the supplement')
  expect(result.evidence?.seen).toEqual(wrong('an echo', { text: '[redacted]' }))
  expect(result.evidence?.exchanges[0]?.response?.status).toBe(200)
  expect(JSON.stringify(result)).not.toContain(secret)
})

test('the evidence is the last five reads, and the start of a long body', async () => {
  const session = sessionOf(() => new Response(`${secret}${'x'.repeat(100_000)}`))
  const run = async ({ send }: CheckContext) => {
    for (let id = 1; id <= 7; id++) await send(new Request(new URL(`pullzone/${id}`, management)))
    throw new Failure(value('short'), wrong('long'))
  }
  const { result } = await runCheck(checkOf(run), session, { signal })
  expect(result.requests).toBe(7)
  const exchanges = result.evidence?.exchanges ?? []
  expect(exchanges.map(({ request }) => new URL(request.url).pathname.split('/').at(-1))).toEqual([
    '3',
    '4',
    '5',
    '6',
    '7',
  ])
  for (const { response } of exchanges) expect(response?.body).toMatch(/^\[redacted\]x+… \(\d+ characters\)$/)
})

test('beyond the budget, nothing is sent, and a write counts twice', async () => {
  const session = sessionOf(ok)
  const budget = { left: 4 }
  const run = async ({ send }: CheckContext) => {
    await send(new Request(new URL('unknown', management), { method: 'POST' }))
    for (let sent = 0; sent < 5; sent++) await send(new Request(management))
  }
  const { result } = await runCheck(checkOf(run), session, { signal, budget })
  expect(result).toMatchObject({ outcome: 'skip', message: 'budget spent', requests: 3 })
  expect(session.sent).toHaveLength(3)
  const next = await runCheck(checkOf(run), session, { signal, budget })
  expect(next.result).toMatchObject({ outcome: 'skip', message: 'budget spent', requests: 0 })
})

test.each<[string, (context: CheckContext, end: () => void) => Promise<unknown>]>([
  ['a wait', ({ wait }, end) => Promise.all([wait(1_000_000), end()])],
  [
    'a request',
    ({ send }, end) =>
      Promise.resolve()
        .then(end)
        .then(() => send(new Request(management))),
  ],
  [
    'a check that then fails',
    (_, end) =>
      Promise.resolve()
        .then(end)
        .then(() => Promise.reject(new Error('aborted'))),
  ],
])('an interruption ends %s, and skips the check', async (_, run) => {
  const interruption = new AbortController()
  const { signal } = interruption
  const session = { ...sessionOf(ok), wait: (ms: number) => sleep(ms, undefined, { signal }) }
  const check = checkOf(async (context) => void (await run(context, () => interruption.abort())))
  const { result } = await runCheck(check, session, { signal })
  expect(result).toMatchObject({ outcome: 'skip', message: 'the run was interrupted', requests: 0 })
  expect(session.sent).toEqual([])
})

test('a live run that may not write sends no write', async () => {
  const session = sessionOf(ok)
  const run: Check['run'] = async (context) => void (await call(context, operationOf('put-watermark')))
  const { result } = await runCheck(checkOf(run), session, { signal })
  expect(result).toMatchObject({ outcome: 'skip', message: 'the run may not write', requests: 0 })
  expect(session.sent).toEqual([])
})
