import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assertDefined } from '@cdn/kit/assert-defined'
import { hourMs } from '@cdn/kit/time'
import { afterEach, describe, expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../emulator.ts'
import type { FaultChoice } from './fault-choice.ts'
import { type FaultKind, faultTable } from './fault-table.ts'

const emulators: Emulator[] = []
afterEach(async () => void (await Promise.all(emulators.splice(0).map((emulator) => emulator.close()))))

const transports = ['in process', 'over sockets'] as const

async function begin(transport: (typeof transports)[number], options: EmulatorOptions = {}) {
  const emulator = await createEmulator(options)
  emulators.push(emulator)
  const { managementUrl, loggingUrl } = transport === 'in process' ? emulator : await emulator.listen()
  const send = transport === 'in process' ? emulator.fetch : fetch
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
  const ask = (base: URL, path: string, init: RequestInit = {}) => send(new URL(path, base), { headers, ...init })
  return {
    emulator,
    management: (path: string, init?: RequestInit) => ask(managementUrl, path, init),
    logging: (path: string, init?: RequestInit) => ask(loggingUrl, path, init),
    deleteWatermark: (init: RequestInit = {}) =>
      ask(managementUrl, 'videolibrary/1001/watermark', { method: 'DELETE', ...init }),
    hasWatermark: () => emulator.state.resources.item('/videolibrary', '1001')?.['HasWatermark'],
  }
}

const page = 'v2/pullzones/2002/logs?limit=20'
const file = '06-16-26/2003.log'

async function rejection(
  promise: Promise<unknown>,
): Promise<{ constructor: { name: string }; message: string; cause?: { code?: string } }> {
  try {
    await promise
  } catch (error) {
    // Every rejection here is an Error, perhaps with an Error of Node as its cause.
    return error as Awaited<ReturnType<typeof rejection>>
  }
  throw new Error('The promise was not rejected')
}

describe.each(transports)('%s', (transport) => {
  test.each([
    { name: 'internal-error', status: 500, effect: false, body: /^$/ },
    { name: 'rate-limited', status: 429, effect: false, body: /"ErrorKey"/ },
    { name: 'bad-gateway', status: 502, effect: false, body: /^<html>/ },
    { name: 'empty-body', status: 200, effect: true, body: /^$/ },
    { name: 'no-json', status: 200, effect: true, body: /^\{"data":\[\{"timestamp":\0\ufffd\ufffd$/ },
  ] as const)('$name: status $status, and whether the request takes effect', async ({ name, status, effect, body }) => {
    const { emulator, deleteWatermark, hasWatermark } = await begin(transport)
    emulator.faults.add(name)
    const response = await deleteWatermark()
    expect([response.status, hasWatermark()]).toEqual([status, !effect])
    expect(await response.text()).toMatch(body)
    expect(emulator.journal.entries).toMatchObject([{ status, faults: [name] }])
    emulator.faults.clear()
    expect((await deleteWatermark()).status).toBe(204)
  })

  test.each([
    { name: 'reset-before', effect: false },
    { name: 'reset-after', effect: true },
  ] as const)('$name rejects like a broken connection', async ({ name, effect }) => {
    const { emulator, deleteWatermark, hasWatermark } = await begin(transport)
    emulator.faults.add(name)
    const error = await rejection(deleteWatermark())
    expect([error.constructor.name, error.message, error.cause?.code]).toEqual([
      'TypeError',
      'fetch failed',
      'ECONNRESET',
    ])
    expect(hasWatermark()).toBe(!effect)
    expect(emulator.journal.entries).toMatchObject([{ status: 0, faults: [name] }])
  })

  test('time-out lasts until the caller aborts, after the request took effect', async () => {
    const { emulator, deleteWatermark, hasWatermark } = await begin(transport)
    emulator.faults.add('time-out')
    const caller = new AbortController()
    const response = deleteWatermark({ signal: caller.signal })
    while (hasWatermark()) await new Promise(setImmediate)
    caller.abort(new Error('enough'))
    await expect(response).rejects.toThrow('enough')
  })

  test.each([
    ['a page', page],
    ['a file', file],
  ])('cut-body ends %s in the middle', async (_what, path) => {
    const { emulator, logging } = await begin(transport, { variants: { tieOrder: 'stable' } })
    const identity = {
      headers: { 'Accept-Encoding': 'identity', AccessKey: emulator.fixtures.credentials.accessKey },
    }
    const whole = await (await logging(path, identity)).text()
    emulator.faults.add({ name: 'cut-body', portion: 0.25 })
    const response = await logging(path, identity)
    expect(response.status).toBe(200)
    let text = ''
    const reading = async () => {
      for await (const part of assertDefined(response.body).pipeThrough(new TextDecoderStream())) text += part
    }
    const error = await rejection(reading())
    expect([error.constructor.name, error.message]).toEqual(['TypeError', 'terminated'])
    expect(whole.startsWith(text)).toBe(true)
    expect(text.length).toBeGreaterThan(0)
    expect(text.length).toBeLessThan(whole.length / 3)
    await expect(response.text()).rejects.toThrow()
  })

  test('cut-body also cuts a compressed file, and does not affect a response without a body', async () => {
    const { emulator, logging, deleteWatermark } = await begin(transport)
    emulator.faults.add('cut-body')
    const response = await logging(file)
    await expect(response.text()).rejects.toThrow(TypeError)
    expect((await deleteWatermark()).status).toBe(204)
  })

  test("slow-body takes the clock's time, and does not change the body", async () => {
    const { emulator, logging } = await begin(transport, { variants: { tieOrder: 'stable' } })
    const fast = await (await logging(file)).text()
    const before = emulator.clock.now().getTime()
    emulator.faults.add({ name: 'slow-body', bytes: 4096, pauseMs: 60_000 })
    const slow = await logging(file, {
      headers: { AccessKey: emulator.fixtures.credentials.accessKey, 'Accept-Encoding': 'identity' },
    })
    expect(await slow.text()).toBe(fast)
    const pieces = Math.ceil(Buffer.byteLength(fast) / 4096)
    expect(emulator.clock.now().getTime() - before).toBe((pieces - 1) * 60_000)
  })

  test("latency takes the clock's time", async () => {
    const { emulator, management } = await begin(transport)
    emulator.faults.add({ name: 'latency', ms: 90_000 })
    const before = emulator.clock.now().getTime()
    expect((await management('pullzone/2001')).status).toBe(200)
    expect(emulator.clock.now().getTime() - before).toBe(90_000)
  })

  test('a slow body and a late response end when the caller aborts', async () => {
    const { emulator, logging, management } = await begin(transport, { clock: 'real' })
    const caller = new AbortController()
    emulator.faults.add({ name: 'latency', ms: hourMs, operation: 'get-pull-zone' })
    const late = management('pullzone/2001', { signal: caller.signal })
    emulator.faults.add({ name: 'slow-body', bytes: 1, pauseMs: hourMs, operation: 'query-logs' })
    const headers = { AccessKey: emulator.fixtures.credentials.accessKey, 'Accept-Encoding': 'identity' }
    const response = await logging(page, { signal: caller.signal, headers })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBe(1)
    caller.abort()
    await expect(late).rejects.toThrow('aborted')
    await expect(reader?.read()).rejects.toThrow('aborted')
  })

  test('null-data, unknown-cache-status and repeated-page alter pages and preserve all digits of numbers', async () => {
    const { emulator, logging } = await begin(transport)
    const read = async (path = page) => (await logging(path)).text()
    const off = emulator.faults.add('null-data')
    expect(await read()).toMatch(/^\{"data":null,"pagination":\{"offset":0,"limit":20,"returned":20,"hasMore":true\}/)
    expect(await read('v2/pullzones/2002/logs?offset=9007199254740993')).toContain('"offset":9007199254740993')
    off()
    emulator.faults.add('unknown-cache-status')
    const { data }: { data: { cacheStatus: string; url: string }[] } = JSON.parse(await read())
    expect(data).toHaveLength(20)
    expect(new Set(data.map(({ cacheStatus }) => cacheStatus))).toEqual(new Set(['EXPIRED']))
    emulator.faults.clear()
    emulator.faults.add('repeated-page')
    const pages = []
    for (const offset of [0, 20, 40, 60]) pages.push(await read(`${page}&offset=${offset}&to=2026-06-17T00:00:00Z`))
    expect(pages.map((text) => /"offset":(\d+)/.exec(text)?.[1])).toEqual(['0', '0', '40', '40'])
    expect(pages[1]).toBe(pages[0])
  })

  test('a page that one fault has emptied is not altered by another one', async () => {
    const { emulator, logging } = await begin(transport)
    emulator.faults.add('empty-body')
    emulator.faults.add('null-data')
    const response = await logging(page)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('stricter-rate-limit allows fewer requests, which is not a violation of the caller', async () => {
    const { emulator, logging } = await begin(transport)
    emulator.faults.add({ name: 'stricter-rate-limit', requests: 2 })
    const statuses = []
    for (let sent = 0; sent < 3; sent++) statuses.push((await logging(`${page}&to=2026-06-17T00:00:00Z`)).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(emulator.journal.violations).toEqual([])
  })

  test('rate-limited sends the requested Retry-After', async () => {
    const { emulator, logging } = await begin(transport)
    emulator.faults.add({ name: 'rate-limited', retryAfter: -5 })
    const response = await logging(page)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '-5'])
    expect(await response.json()).toMatchObject({ error: { code: 'rate_limited' } })
  })

  test('several faults apply together, the one added last nearest to the caller', async () => {
    const { emulator, logging } = await begin(transport)
    const before = emulator.clock.now().getTime()
    emulator.faults.add('null-data')
    emulator.faults.add({ name: 'latency', ms: 5000 })
    emulator.faults.add('cut-body')
    const response = await logging(page)
    await expect(response.text()).rejects.toThrow(TypeError)
    expect(emulator.clock.now().getTime() - before).toBe(5000)
    emulator.faults.add('bad-gateway')
    const nearest = await logging(page)
    expect([nearest.status, (await nearest.text()).startsWith('<html>')]).toEqual([502, true])
    expect(emulator.journal.entries.at(-1)?.faults).toEqual(['null-data', 'latency', 'cut-body', 'bad-gateway'])
  })

  test('a fault affects one operation, a limited number of times, until it is deactivated', async () => {
    const { emulator, logging, management } = await begin(transport)
    emulator.faults.add({ name: 'bad-gateway', operation: 'query-logs', times: 2 })
    expect((await management('pullzone/2001')).status).toBe(200)
    const statuses = []
    for (let sent = 0; sent < 3; sent++) statuses.push((await logging(page)).status)
    expect(statuses).toEqual([502, 502, 200])
    expect(emulator.faults.active()).toEqual([])
    const off = emulator.faults.add('bad-gateway')
    expect(emulator.faults.active()).toEqual([{ name: 'bad-gateway', text: faultTable['bad-gateway'].text }])
    off()
    expect((await logging(page)).status).toBe(200)
  })

  test('a redirect leads to another origin and follows the redirect mode of the request', async () => {
    const { emulator, management, hasWatermark } = await begin(transport)
    emulator.faults.add('redirect')
    const response = await management('videolibrary/1001/watermark?a=b', { method: 'DELETE', redirect: 'manual' })
    expect([response.status, hasWatermark()]).toEqual([307, true])
    const location = new URL(assertDefined(response.headers.get('location')))
    expect(location.origin).not.toBe(new URL(response.url).origin)
    expect(location.pathname + location.search).toBe('/management/videolibrary/1001/watermark?a=b')
    await expect(management('pullzone/2001', { redirect: 'error' })).rejects.toThrow(TypeError)
    expect(emulator.journal.violations).toEqual([])
    expect((await management('pullzone/2001')).status).toBe(404)
    expect(emulator.journal.violations).toMatchObject([
      { name: 'credential-on-redirect', entry: { redirected: true, path: '/pullzone/2001', method: 'GET' } },
    ])
  })
})

test('latency delays simultaneous requests by the same time, not one after the other', async () => {
  const { emulator, management } = await begin('in process')
  emulator.faults.add({ name: 'latency', ms: 90_000 })
  const before = emulator.clock.now().getTime()
  await Promise.all([1, 2, 3].map(() => management('pullzone/2001')))
  expect(emulator.clock.now().getTime() - before).toBe(90_000)
})

test('slow-body lets other tasks run between two pieces', async () => {
  const { emulator, logging } = await begin('in process')
  emulator.faults.add({ name: 'slow-body', bytes: 100 })
  const response = await logging(page)
  let iterations = 0
  let isRead = false
  const count = () => {
    iterations++
    if (!isRead) setImmediate(count)
  }
  count()
  const { length } = await response.text()
  isRead = true
  expect(iterations).toBeGreaterThan(length / 200)
})

describe('a fault', () => {
  test('with a share affects the same requests for the same seed, and no other operation', async () => {
    const hits = async (seed: number, share: number) => {
      const { emulator, management } = await begin('in process', { seed })
      emulator.faults.add({ name: 'bad-gateway', operation: 'get-pull-zone', share })
      for (let sent = 0; sent < 200; sent++) await management('pullzone/2001')
      await management('videolibrary/1001')
      return emulator.journal.entries.map(({ faults }) => faults?.join() ?? '')
    }
    const [first, again, other] = [await hits(1, 0.25), await hits(1, 0.25), await hits(2, 0.25)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
    expect(first.at(-1)).toBe('')
    const affected = first.filter((name) => name === 'bad-gateway').length
    expect(affected).toBeGreaterThan(30)
    expect(affected).toBeLessThan(75)
    expect(new Set(await hits(1, 0))).toEqual(new Set(['']))
    expect((await hits(1, 1)).filter((name) => name === 'bad-gateway')).toHaveLength(200)
  })

  test('has a description of one sentence and defaults within their bounds', () => {
    for (const { text, parameters } of Object.values<FaultKind>(faultTable)) {
      expect(text).toMatch(/^[A-Za-z].*\.$/)
      for (const { default: value, minimum, maximum } of Object.values(parameters))
        expect(value >= minimum && value <= maximum).toBe(true)
    }
  })

  test.each([
    [{ name: 'nonsense' }, /^fault\.name must be one of internal-error, .*, not "nonsense"$/],
    ['toString', /^fault\.name must be one of .*, not "toString"$/],
    [{ name: 'latency', ms: -1 }, 'latency.ms must be a number from 0 to 86400000, not -1'],
    [
      { name: 'latency', delay: 1 },
      'latency has an unknown key "delay": expected one of name, operation, share, times, ms',
    ],
    [{ name: 'latency', operation: 'nonsense' }, /^fault\.operation must be one of .*, not "nonsense"$/],
    [{ name: 'latency', times: 0 }, 'fault.times must be an integer from 1 to 9007199254740991, not 0'],
    [
      { name: 'stricter-rate-limit', requests: 10.5 },
      'stricter-rate-limit.requests must be an integer from 1 to 1000000, not 10.5',
    ],
    [{}, 'fault.name is missing'],
    [null, 'fault must be an object, not null'],
  ])('%j is rejected with one sentence', async (choice, sentence) => {
    const { emulator } = await begin('in process')
    // Callers without types can pass anything.
    expect(() => emulator.faults.add(choice as FaultChoice)).toThrow(
      typeof sentence === 'string' ? new RangeError(sentence) : sentence,
    )
    expect(emulator.faults.active()).toEqual([])
  })
})

test('in process, an abort ends time-out even after garbage collection of the request', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const emulator = await createEmulator()
  emulator.faults.add('time-out')
  const stop = new AbortController()
  const { accessKey } = emulator.fixtures.credentials
  const send = () =>
    emulator.fetch(
      new Request(new URL('videolibrary/1001', emulator.managementUrl), {
        headers: { AccessKey: accessKey },
        signal: stop.signal,
      }),
    )
  const ended = expect(send()).rejects.toThrow('enough')
  for (let n = 0; n < 5; n++) {
    await new Promise(setImmediate)
    collect()
  }
  stop.abort(new Error('enough'))
  await ended
})
