import { createClock, createVirtualTime } from '@cdn/kit/testing/virtual-time'
import { expect, test } from 'vitest'
import { createLoggingClient } from '../index.ts'
import { createLimiter } from './limiter.ts'

const virtualTime = () => createVirtualTime(createClock(), { quietTurns: 1 })

test('a slot becomes free one window after the response; waiting requests are served in order; zones are independent', async () => {
  const { now, sleep, run } = virtualTime()
  const limiter = createLimiter({ requests: 2, windowMs: 100, now, sleep })
  const sent: string[] = []
  const ask = (zone: number, name: string, ms: number) =>
    limiter.run(zone, async () => {
      sent.push(`${name}@${now()}`)
      await sleep(ms)
    })
  const all = [ask(1, 'a', 30), ask(1, 'b', 10), ask(1, 'c', 5), ask(1, 'd', 5), ask(1, 'e', 0), ask(2, 'z', 0)]
  await run()
  await Promise.all(all)
  expect(sent.indexOf('z@0')).toBeLessThan(sent.indexOf('c@110'))
  expect(sent.filter((entry) => entry !== 'z@0')).toEqual(['a@0', 'b@0', 'c@110', 'd@130', 'e@215'])
})

test('an aborted waiting request does not delay the others, and is never sent', async () => {
  const { now, sleep, run } = virtualTime()
  const limiter = createLimiter({ requests: 1, windowMs: 100, now, sleep })
  const sent: string[] = []
  const ask = (name: string, signal?: AbortSignal) =>
    limiter.run(7n, async () => void sent.push(`${name}@${now()}`), signal)
  const stop = new AbortController()
  const first = ask('a')
  const second = ask('b', stop.signal)
  const third = ask('c')
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(second).rejects.toBe(reason)
  await run()
  await Promise.all([first, third])
  expect(sent).toEqual(['a@0', 'c@100'])
})

test('a request that is aborted just as its slot becomes free leaves the slot to the next', async () => {
  const { now, sleep, run } = virtualTime()
  const limiter = createLimiter({ requests: 1, windowMs: 100, now, sleep })
  for (let ticks = 0; ticks < 12; ticks++) {
    const stop = new AbortController()
    let sent = false
    const given = limiter
      .run(
        ticks,
        async () => {
          sent = true
        },
        stop.signal,
      )
      .catch(() => {})
    for (let i = 0; i < ticks; i++) await Promise.resolve()
    stop.abort()
    await given
    let at = -1
    const next = limiter.run(ticks, async () => {
      at = now()
    })
    const start = now()
    await run()
    await next
    expect(at - start).toBe(sent ? 100 : 0)
  }
})

test('a failed request uses its slot too, and its error is passed on', async () => {
  const { now, sleep, run } = virtualTime()
  const limiter = createLimiter({ requests: 1, windowMs: 100, now, sleep })
  await expect(limiter.run(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  let at = -1
  const next = limiter.run(1, async () => {
    at = now()
  })
  await run()
  await next
  expect(at).toBe(100)
})

test.each([
  ['timeout', { timeout: 60 }],
  ['idleTimeout', { timeout: false, idleTimeout: 60 }],
] as const)('the wait for a slot does not count for %s, and the wait for a response does', async (_name, limits) => {
  const { now, sleep, run } = virtualTime()
  const timer = (fire: () => void, ms: number) => {
    const stopped = new AbortController()
    sleep(ms, stopped.signal).then(fire, () => {})
    return () => stopped.abort()
  }
  const options = { baseUrl: 'https://logging.invalid', retry: false, clock: { now, sleep, timer }, ...limits } as const
  for (const [ms, status] of [
    [50, 'fulfilled'],
    [70, 'rejected'],
  ] as const) {
    const fetch = () => sleep(ms).then(() => Response.json({}))
    const client = createLoggingClient({ ...options, fetch, limiter: createLimiter({ requests: 1, now, sleep }) })
    const params = { path: { pullZoneId: 1 } }
    const all = Promise.allSettled([1, 2, 3].map(() => client.GET('/v2/pullzones/{pullZoneId}/logs', { params })))
    await run()
    expect((await all).map((each) => each.status)).toEqual([status, status, status])
  }
})

test('invalid figures are refused', () => {
  expect(() => createLimiter({ requests: 0 })).toThrow(RangeError)
  expect(() => createLimiter({ windowMs: Number.NaN })).toThrow(RangeError)
})
