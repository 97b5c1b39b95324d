import { expect, test } from 'vitest'
import type { Check, CheckContext } from './check.ts'
import { Failure, Skip, TargetUnavailable } from './failure.ts'
import { runCheck } from './run-check.ts'
import type { Session } from './targets/target.ts'

const secret = 'canary-key'
const signal = new AbortController().signal

function sessionOf(answer: (request: Request) => Response | Promise<Response>): Session & { sent: Request[] } {
  const sent: Request[] = []
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      sent.push(request)
      return answer(request)
    },
    management: new URL('https://management.invalid'),
    logging: new URL('https://logging.invalid'),
    fixtures: { zoneId: '7', credentials: { accessKey: secret } },
    virtualClock: false,
    now: () => new Date(0),
    wait: async () => {},
    close: async () => {},
  }
}

function checkOf(run: Check['run'], needs: Check['needs'] = []): Check {
  return { id: 'a.b.c', requirements: ['a.b.c'], ground: 'document', through: 'document', effect: 'write', needs, run }
}

const ok = () => new Response(null, { status: 204 })

test.each([
  ['nothing', undefined, 'pass', undefined],
  ['a Failure', new Failure('one', 'two'), 'fail', 'expected one, saw two'],
  ['a Skip', new Skip('no traffic'), 'skip', 'no traffic'],
  ['TargetUnavailable', new TargetUnavailable('target unavailable: reset'), 'error', 'target unavailable: reset'],
  ['anything else', new TypeError('x is no function'), 'error', 'fault of the suite: x is no function'],
] as const)('a check that throws %s', async (_, thrown, outcome, message) => {
  const run = async () => {
    if (thrown) throw thrown
  }
  const { result } = await runCheck(checkOf(run), sessionOf(ok), { signal })
  expect(result).toMatchObject({ id: 'a.b.c', outcome, ...(message && { message }) })
  if (!message) expect(result).not.toHaveProperty('message')
})

test('what is withheld or missing is not run', async () => {
  const session = sessionOf(ok)
  const never = checkOf(async ({ fetch, management }) => void (await fetch(management)), ['absentZoneId'])
  const withheld = { outcome: 'disabled', message: 'needs --allow write' } as const
  expect((await runCheck(never, session, { withheld, signal })).result).toMatchObject(withheld)
  const missing = (await runCheck(never, session, { signal })).result
  expect(missing).toMatchObject({ outcome: 'skip', message: 'the fixtures have no absentZoneId' })
  const clock = (await runCheck(checkOf(never.run, ['virtual-clock']), session, { signal })).result
  expect(clock).toMatchObject({ outcome: 'skip', message: 'the target has no virtual clock' })
  expect(session.sent).toEqual([])
})

test('a failure keeps its exchanges as evidence, without the secret, and says through what it was seen', async () => {
  const session = sessionOf(() => Response.json({ echo: secret }, { headers: { 'set-cookie': 'c=1' } }))
  const run = async ({ fetch, management }: CheckContext) => {
    await fetch(new URL('pullzone/7', management), { headers: { AccessKey: secret } })
    throw new Failure('no echo', secret)
  }
  const { result } = await runCheck({ ...checkOf(run), through: 'supplement' }, session, { signal })
  expect(result.message).toContain('seen through the supplement')
  expect(result.evidence?.seen).toBe('[redacted]')
  expect(result.evidence?.exchanges[0]?.response?.status).toBe(200)
  expect(JSON.stringify(result)).not.toContain(secret)
})

test('writes are taken back, the last first, also after a failure', async () => {
  const session = sessionOf(ok)
  const run = async ({ onUndo, management }: CheckContext) => {
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

test('an undo that fails is an error, whatever the check saw', async () => {
  const session = sessionOf(() => new Response(null, { status: 500 }))
  const run = async ({ onUndo, management }: CheckContext) =>
    onUndo({ text: 'remove a.invalid', method: 'POST', url: management.href, headers: {} })
  const { result } = await runCheck(checkOf(run), session, { signal })
  expect(result).toMatchObject({ outcome: 'error', message: 'could not remove a.invalid: status 500' })
})
