import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import { SinkError } from '../errors.ts'
import { createHealth, type ZonePosition } from './health.ts'

const minute = 60_000
const hour = 60 * minute

/** Health checks of a process with a simulated clock. By default, zone 1 is two days from its deadline. */
function process() {
  let time = Date.UTC(2026, 5, 17)
  const zones = new Map<string, ZonePosition>([['1', { zone: '1', position: time, deadline: time + 48 * hour }]])
  const names = new Set(['1'])
  const clock = { offset: 0 }
  const positions = async () => [...zones.values()]
  const health = createHealth({
    now: () => time,
    elapsed: () => time,
    positions,
    clockOffset: () => clock.offset,
    zones: () => [...names],
    dangerMs: 6 * hour,
  })
  const begin = () => health.observe({ type: 'begun', zone: '1' })
  return {
    health,
    begin,
    zones,
    names,
    clock,
    pass: (ms: number) => {
      time += ms
    },
    now: () => time,
    async cycle(nextDueIn = 5 * minute) {
      begin()
      health.observe({ type: 'cycle', zone: '1', waitMs: nextDueIn })
    },
    kinds: async () => (await health.problems()).map(({ kind }) => kind),
  }
}

test('is starting until a zone has finished a cycle, then healthy', async () => {
  const { kinds, cycle } = process()
  expect(await kinds()).toEqual(['starting'])
  await cycle()
  expect(await kinds()).toEqual([])
})

test('is ready when the first window is read, before its cycle ends', async () => {
  const { kinds, begin, health } = process()
  begin()
  health.observe({ type: 'window', window: { zone: '1', from: 0, to: 1 }, segment: undefined })
  expect(await kinds()).toEqual([])
})

test('a reader that never begins a cycle is dead', async () => {
  const { kinds, pass } = process()
  pass(11 * minute)
  expect(await kinds()).toContain('dead')
})

test('a reader without further cycles is dead, even if the last cycle succeeded', async () => {
  const { kinds, cycle, pass } = process()
  await cycle()
  pass(14 * minute) // due for nine minutes
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await kinds()).toEqual(['dead'])
})

test('zones that are not due for a long time do not make the process dead', async () => {
  const { kinds, cycle, pass } = process()
  await cycle(10 * hour)
  pass(9 * hour)
  expect(await kinds()).toEqual([])
})

test('a hanging cycle is dead; a cycle with signs of life is not', async () => {
  const { kinds, begin, health, pass, cycle } = process()
  await cycle()
  begin()
  pass(14 * minute)
  health.observe({ type: 'window', window: { zone: '1', from: 0, to: 1 }, segment: undefined })
  pass(14 * minute)
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await kinds()).toEqual(['dead'])
})

test('hours of reading a day file, before any window is done, do not make the process dead', async () => {
  const { kinds, begin, health, pass, cycle } = process()
  await cycle()
  begin()
  for (let n = 0; n < 20; n++) {
    pass(14 * minute)
    health.observe({ type: 'progress', zone: '1' })
  }
  expect(await kinds()).toEqual([])
})

test('a delivery that fails for five minutes is reported until it sends a piece', async () => {
  const { health, kinds, cycle, pass } = process()
  await cycle(hour)
  const fail = () => {
    const error = new Error('https://a.example answered 503.')
    health.observe({ type: 'delivery-failed', delivery: 'search', error, failures: 1, waitMs: minute })
  }
  fail()
  pass(4 * minute)
  fail()
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await health.problems()).toEqual([
    { kind: 'delivery', text: 'The delivery search is behind: https://a.example answered 503.' },
  ])
  health.observe({ type: 'delivered', delivery: 'search', rows: 1, refused: 0 })
  expect(await kinds()).toEqual([])
})

test('a zone that is refused for a minute is failing, and no longer when a window is read, even within the same cycle', async () => {
  const { kinds, cycle, begin, health, pass } = process()
  const error = new ApiError(new Response(null, { status: 403 }), '')
  await cycle()
  health.observe({ type: 'failed', zone: '1', error, failures: 1, retryAt: 0 })
  await cycle()
  expect(await kinds()).toEqual([])
  pass(minute + 1)
  expect(await kinds()).toEqual(['failing'])
  begin()
  expect(await kinds()).toEqual(['failing'])
  health.observe({ type: 'window', window: { zone: '1', from: 0, to: 1 }, segment: undefined })
  expect(await kinds()).toEqual([])
})

test('a window with mostly rejected rows is reported for an hour; a few rejects are not', async () => {
  const { kinds, cycle, pass, health } = process()
  await cycle(100 * hour)
  const window = { zone: '1', from: 0, to: 1 }
  const segment = { ...window, revision: 0, source: 'v2', rows: 9, bytes: 1, sha256: '' } as const
  health.observe({ type: 'rejects', zone: '1', rows: 9, reasons: [] })
  health.observe({ type: 'window', window, segment })
  health.observe({ type: 'rejects', zone: '1', rows: 2, reasons: [] })
  health.observe({ type: 'window', window, segment })
  expect(await kinds()).toEqual([])
  health.observe({ type: 'rejects', zone: '1', rows: 1, reasons: [] })
  health.observe({ type: 'window', window, segment: undefined })
  pass(hour - 1)
  expect(await kinds()).toEqual(['rejected'])
  pass(1)
  expect(await kinds()).toEqual([])
})

test('a damaged window is reported during its retries, even if the cycles in between succeed', async () => {
  const { kinds, cycle, pass, health } = process()
  const error = new SinkError('damaged', 'The file a is cut short.')
  for (let n = 0; n < 6; n++) {
    health.observe({ type: 'failed', zone: '1', error, failures: 0, retryAt: 0 })
    await cycle()
    pass(5 * minute)
    await cycle()
    expect(await kinds()).toEqual(n === 0 ? [] : ['failing'])
    pass(5 * minute)
  }
  pass(5 * minute)
  await cycle()
  expect(await kinds()).toEqual([])
})

test('a zone that is paused is not failing', async () => {
  const { kinds, cycle, pass, health, names } = process()
  const error = new ApiError(new Response(null, { status: 403 }), '')
  names.add('2')
  await cycle(100 * hour)
  health.observe({ type: 'failed', zone: '2', error, failures: 1, retryAt: 0 })
  health.observe({ type: 'cycle', zone: '2', waitMs: 0 })
  pass(2 * minute)
  expect(await kinds()).toEqual(['failing'])
  names.delete('2')
  expect(await kinds()).toEqual([])
})

test('a clock that is off, or was set, is reported', async () => {
  const { kinds, cycle, clock, health, pass } = process()
  await cycle(100 * hour)
  clock.offset = 4 * 24 * hour
  expect((await health.problems())[0]?.text).toBe(
    "The clock of this machine is 345600 s ahead of the platform's, which the exporter uses; set it.",
  )
  clock.offset = -minute
  expect(await kinds()).toEqual([])
  health.observe({ type: 'clock', offset: hour, jump: false })
  expect(await kinds()).toEqual([])
  health.observe({ type: 'clock', offset: hour, jump: true })
  health.observe({ type: 'recovered', zone: '1', position: 0 })
  expect(await kinds()).toEqual(['clock', 'clock'])
  pass(hour)
  expect(await kinds()).toEqual([])
})

test('without zones, no cycle is expected', async () => {
  const positions = async () => []
  const options = { now: () => 0, positions, clockOffset: () => undefined, dangerMs: 1, zones: () => [] }
  expect(await createHealth(options).problems()).toEqual([])
})

test('logs near the end of the retention are in danger', async () => {
  const { kinds, cycle, pass, zones, now } = process()
  await cycle(100 * hour)
  pass(42 * hour)
  expect(await kinds()).toEqual([])
  pass(1)
  expect(await kinds()).toEqual(['danger'])
  zones.set('1', { zone: '1', position: now(), deadline: now() + 70 * hour })
  expect(await kinds()).toEqual([])
})

test('a lost range is reported for an hour', async () => {
  const { kinds, cycle, pass, health } = process()
  await cycle(100 * hour)
  health.observe({ type: 'gap', gap: { zone: '1', from: 0, to: 1, reason: 'late', noticedAt: 0 } })
  pass(hour - 1)
  expect(await kinds()).toEqual(['lost'])
  pass(1)
  expect(await kinds()).toEqual([])
})

test('a zone that fails for five minutes is reported until a cycle succeeds; the reason holds no secret', async () => {
  const { health, cycle, pass, begin, kinds } = process()
  await cycle(100 * hour)
  const fail = async (status: number) => {
    begin()
    const failure = { attempts: 1, url: 'https://logging.example' }
    const error = Object.assign(Object.create(ApiError.prototype), {
      message: 'key s3cr3t refused',
      status,
      ...failure,
    })
    health.observe({ type: 'failed', zone: '1', error, failures: 1, retryAt: 0 })
    health.observe({ type: 'cycle', zone: '1', waitMs: 0 })
  }
  await fail(500)
  expect(await kinds()).toEqual([])
  pass(5 * minute + 1)
  expect(await kinds()).toEqual(['failing'])
  await fail(403)
  pass(1)
  expect(await health.problems()).toEqual([
    { kind: 'failing', text: 'zone 1 cannot be exported: the credential or the zone is refused.' },
  ])
  await cycle()
  expect(await kinds()).toEqual([])
})

test('an unreadable ledger is reported at once', async () => {
  const positions = async () => Promise.reject(new Error('disk I/O error'))
  const unreadable = createHealth({
    now: () => 0,
    positions,
    clockOffset: () => undefined,
    zones: () => ['1'],
    dangerMs: 1,
  })
  expect(await unreadable.problems()).toContainEqual({
    kind: 'failing',
    text: 'The ledger cannot be read: disk I/O error',
  })
})
