import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { operationOf } from '../cases/resources.ts'
import type { Check, CheckContext } from './check.ts'
import { Failure, Skip, TargetUnavailable } from './failure.ts'
import { permit, runCheck } from './run-check.ts'
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
    virtualClock: false,
    now: () => new Date(0),
    wait: async () => {},
    rest: async () => {},
    alone: (_, work) => work(),
    close: async () => {},
  }
}

function checkOf(run: Check['run'], needs: Check['needs'] = []): Check {
  return { id: 'a.b.c', requirements: ['a.b.c'], source: 'spec', basis: 'spec', effect: 'write', needs, run }
}

const ok = () => new Response(null, { status: 204 })

test.each([
  ['nothing', undefined, 'pass', undefined],
  ['a Failure', new Failure('one', 'two'), 'fail', 'expected one, saw two'],
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

test('what a check observes becomes plain JSON', async () => {
  const run: Check['run'] = async ({ observe }) => {
    observe('a', undefined)
    observe('b', { status: undefined, list: [undefined, 2] })
  }
  const { observations } = await runCheck(checkOf(run), sessionOf(ok), { signal })
  expect(observations).toStrictEqual([
    { id: 'a', value: null, drift: false },
    { id: 'b', value: { list: [null, 2] }, drift: false },
  ])
})

test('a withheld check, and one with a missing need, does not run', async () => {
  const session = sessionOf(ok)
  const never = checkOf(async ({ fetch }) => void (await fetch(management)), ['absentZoneId'])
  const withheld = { outcome: 'disabled', message: 'needs --allow write' } as const
  expect((await runCheck(never, session, { withheld, signal })).result).toMatchObject(withheld)
  const missing = (await runCheck(never, session, { signal })).result
  expect(missing).toMatchObject({ outcome: 'skip', message: 'the fixtures have no absentZoneId' })
  const clock = (await runCheck(checkOf(never.run, ['virtual-clock']), session, { signal })).result
  expect(clock).toMatchObject({ outcome: 'skip', message: 'the target has no virtual clock' })
  expect(session.sent).toEqual([])
})

test('a failure has its exchanges as evidence, without the secret, and states its basis', async () => {
  const session = sessionOf(() => Response.json({ echo: secret }, { headers: { 'set-cookie': 'c=1' } }))
  const run = async ({ fetch }: CheckContext) => {
    await fetch(new URL('pullzone/7', management), { headers: { AccessKey: secret } })
    throw new Failure('no echo', secret)
  }
  const { result } = await runCheck({ ...checkOf(run), basis: 'supplement' }, session, { signal })
  expect(result.message).toContain('observed through the supplement')
  expect(result.evidence?.seen).toBe('[redacted]')
  expect(result.evidence?.exchanges[0]?.response?.status).toBe(200)
  expect(JSON.stringify(result)).not.toContain(secret)
})

test('the evidence is the last five exchanges, and the start of a long body', async () => {
  const session = sessionOf(() => new Response(`${secret}${'x'.repeat(100_000)}`))
  const run = async ({ fetch }: CheckContext) => {
    for (let id = 1; id <= 7; id++) await fetch(new URL(`pullzone/${id}`, management))
    throw new Failure('short', 'long')
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

test('writes are undone in reverse order, also after a failure', async () => {
  const session = sessionOf(ok)
  const run = async ({ onUndo }: CheckContext) => {
    for (const name of ['first', 'second']) {
      await onUndo({ text: name, method: 'POST', url: new URL(name, management).href, headers: {}, body: name })
    }
    throw new Failure('this', 'that')
  }
  const { result } = await runCheck(checkOf(run), session, { signal })
  expect(result.outcome).toBe('fail')
  expect(session.sent.map(({ url }) => new URL(url).pathname)).toEqual(['/second', '/first'])
  expect(session.sent.every(({ headers }) => headers.get('AccessKey') === secret)).toBe(true)
})

test("an undo on another operator's server has no key of the platform", async () => {
  const session = sessionOf(ok)
  const run = async ({ onUndo }: CheckContext) =>
    onUndo({ text: 'undo', method: 'DELETE', url: 'https://imported.invalid/items/1', headers: {} })
  await runCheck(checkOf(run), session, { signal })
  expect(session.sent.map(({ headers }) => headers.get('AccessKey'))).toEqual([null])
})

test('the evidence of a failure ends before the undo of its writes', async () => {
  const run = async ({ onUndo, fetch }: CheckContext) => {
    for (let step = 0; step < 6; step++)
      await onUndo({ text: 'undo', method: 'POST', url: new URL(`undo/${step}`, management).href, headers: {} })
    await fetch(new URL('write', management), { method: 'POST' })
    throw new Failure('this', 'that')
  }
  const { result } = await runCheck(checkOf(run), sessionOf(ok), { signal })
  expect(result.requests).toBe(7)
  expect(result.evidence?.exchanges.map(({ request }) => new URL(request.url).pathname)).toEqual(['/write'])
})

test('a failed undo does not change the result, and its step stays in the journal', async () => {
  const session = sessionOf(() => new Response(null, { status: 500 }))
  const steps = new Map<string, string>()
  const journal = {
    add: async (_: string, { text }: { text: string }) => {
      steps.set(text, text)
      return text
    },
    done: async (key: string) => void steps.delete(key),
  }
  const run = async ({ onUndo }: CheckContext) =>
    onUndo({ text: 'remove a.invalid', method: 'POST', url: management.href, headers: {} })
  const { result } = await runCheck(checkOf(run), session, { signal, journal })
  expect(result.outcome).toBe('pass')
  expect([...steps.keys()]).toEqual(['remove a.invalid'])
  await runCheck(checkOf(run), sessionOf(ok), { signal, journal })
  expect(steps.size).toBe(0)
})

test('an undo that the journal cannot note does not end the run', async () => {
  const journal = { add: async () => 'key', done: () => Promise.reject(new Error('ENOSPC')) }
  const run = async ({ onUndo }: CheckContext) =>
    onUndo({ text: 'undo', method: 'POST', url: management.href, headers: {} })
  const { result } = await runCheck(checkOf(run), sessionOf(ok), { signal, journal })
  expect(result.outcome).toBe('pass')
})

test('a step is in the journal before the write is sent', async () => {
  const events: string[] = []
  const session = sessionOf(({ url }) => {
    events.push(new URL(url).pathname)
    return ok()
  })
  const journal = {
    add: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      events.push('kept')
      return 'key'
    },
    done: async () => void events.push('done'),
  }
  const run = async ({ onUndo, fetch }: CheckContext) => {
    await onUndo({ text: 'undo', method: 'POST', url: new URL('undo', management).href, headers: {} })
    await fetch(new URL('write', management), { method: 'POST' })
  }
  await runCheck(checkOf(run), session, { signal, journal })
  expect(events).toEqual(['kept', '/write', '/undo', 'done'])
})

test('beyond the budget, only the reserved undo is sent', async () => {
  const session = sessionOf(ok)
  const budget = { left: 3 }
  const run = async ({ onUndo, fetch }: CheckContext) => {
    await onUndo({ text: 'undo', method: 'POST', url: new URL('undo', management).href, headers: {} })
    for (let sent = 0; sent < 5; sent++) {
      // `call` also turns a failed request into TargetUnavailable.
      await fetch(management).catch((cause) => {
        throw new TargetUnavailable('target unavailable', { cause })
      })
    }
  }
  const { result } = await runCheck(checkOf(run), session, { signal, budget })
  expect(result).toMatchObject({ outcome: 'skip', message: 'budget spent', requests: 3 })
  expect(session.sent).toHaveLength(3)
  const next = await runCheck(checkOf(run), session, { signal, budget })
  expect(next.result).toMatchObject({ outcome: 'skip', message: 'budget spent', requests: 0 })
})

test('an interruption ends waits and requests and skips the check, and its writes are still undone', async () => {
  const interruption = new AbortController()
  const { signal } = interruption
  const session = { ...sessionOf(ok), wait: (ms: number) => sleep(ms, undefined, { signal }) }
  const run = async ({ onUndo, wait }: CheckContext) => {
    await onUndo({ text: 'undo', method: 'POST', url: new URL('undo', management).href, headers: {} })
    queueMicrotask(() => interruption.abort())
    await wait(1_000_000)
  }
  const { result } = await runCheck(checkOf(run), session, { signal })
  expect(result).toMatchObject({ outcome: 'skip', message: 'the run was interrupted' })
  expect(session.sent.map(({ url }) => new URL(url).pathname)).toEqual(['/undo'])
})

test('an interrupted check cannot send a request anymore, and leaves its writes to the journal', async () => {
  const interruption = new AbortController()
  const session = sessionOf(ok)
  const journal = { add: vi.fn(async () => 'key'), done: vi.fn(async () => {}) }
  const run = async ({ onUndo, fetch }: CheckContext) => {
    await onUndo({ text: 'undo', method: 'POST', url: management.href, headers: {} })
    interruption.abort()
    await fetch(management)
  }
  const { result } = await runCheck(checkOf(run), session, { signal: interruption.signal, journal })
  expect(result).toMatchObject({ outcome: 'skip', message: 'the run was interrupted', requests: 0 })
  expect([journal.add.mock.calls.length, journal.done.mock.calls.length, session.sent.length]).toEqual([1, 0, 0])
})

test('the error of an interrupted wait is not an error of the suite', async () => {
  const interruption = new AbortController()
  const session = { ...sessionOf(ok), wait: () => Promise.reject(new Error('aborted')) }
  const run = async ({ wait }: CheckContext) => {
    interruption.abort()
    await wait(1_000)
  }
  const { result } = await runCheck(checkOf(run), session, { signal: interruption.signal })
  expect(result).toMatchObject({ outcome: 'skip', message: 'the run was interrupted' })
})

test('a write that the suite cannot undo is sent to a disposable target, and never to a live one', () => {
  const { action, ...write } = operationOf('put-watermark')
  expect(action).toBeDefined()
  expect(() => permit(write, { disposable: false })).toThrow('the suite does not know how to undo put-watermark')
  expect(() => permit(write, { disposable: true })).not.toThrow()
  expect(() => permit(operationOf('put-watermark'), { disposable: false })).not.toThrow()
})
