import { LoggingError } from '@cdn/api'
import { expect, test } from 'vitest'
import type { Coordinator, Lease } from '../fleet/coordinator.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { createHealth, type Health } from './health.ts'
import type { ZonePosition } from './zone-position.ts'

const minute = 60_000
const hour = 60 * minute
const never = new AbortController().signal

/** A process whose time is moved by hand. Zone 1 has two days left unless told otherwise. */
function process() {
  let time = Date.UTC(2026, 5, 17)
  const zones = new Map<string, ZonePosition>([['1', { zone: '1', position: time, deadline: time + 48 * hour }]])
  const lease: Lease = { zone: '1', epoch: 0, signal: never }
  const given: Coordinator = { claim: async () => lease, release: async () => {}, close: async () => {} }
  const positions = async () => [...zones.values()]
  const health: Health = createHealth({ now: () => time, elapsed: () => time, positions, dangerMs: 6 * hour })
  const coordinator = health.watch(given)
  return {
    health,
    coordinator,
    zones,
    lease,
    pass: (ms: number) => {
      time += ms
    },
    now: () => time,
    async turn(nextDueIn = 5 * minute) {
      await coordinator.claim(never)
      health.observe({ type: 'turn', zone: '1', nextDue: time + nextDueIn })
      await coordinator.release(lease, time + nextDueIn, time)
    },
    kinds: async () => (await health.problems()).map(({ kind }) => kind),
  }
}

test('is starting until a zone has had its turn, then well', async () => {
  const { kinds, turn } = process()
  expect(await kinds()).toEqual(['starting'])
  await turn()
  expect(await kinds()).toEqual([])
})

test('a reader that never begins is dead', async () => {
  const { kinds, pass } = process()
  pass(11 * minute)
  expect(await kinds()).toContain('dead')
})

test('a reader that stops taking turns is dead, however well the last one was', async () => {
  const { kinds, turn, pass } = process()
  await turn()
  pass(14 * minute) // due for nine minutes
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await kinds()).toEqual(['dead'])
})

test('a zone that is not due for long makes nobody dead', async () => {
  const { kinds, turn, pass } = process()
  await turn(10 * hour)
  pass(9 * hour)
  expect(await kinds()).toEqual([])
})

test('a turn that hangs is dead, one that shows signs of life is not', async () => {
  const { kinds, coordinator, health, pass, turn } = process()
  await turn()
  await coordinator.claim(never)
  pass(14 * minute)
  health.observe({ type: 'window', window: { zone: '1', from: 0, to: 1 }, segment: undefined, source: 'v1' })
  pass(14 * minute)
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await kinds()).toEqual(['dead'])
})

test('a day file that is read for hours before anything is finished is no dead reader', async () => {
  const { kinds, coordinator, health, pass, turn } = process()
  await turn()
  await coordinator.claim(never)
  for (let n = 0; n < 20; n++) {
    pass(14 * minute)
    health.observe({ type: 'progress', zone: '1' })
  }
  expect(await kinds()).toEqual([])
})

test('a window most of whose rows are rejected shows for an hour; a few rejects do not', async () => {
  const { kinds, turn, pass, health } = process()
  await turn(100 * hour)
  const window = { zone: '1', from: 0, to: 1 }
  const segment = { ...window, revision: 0, source: 'v2', rows: 9, bytes: 1, sha256: '' } as const
  health.observe({ type: 'rejects', zone: '1', rows: 9, reasons: [] })
  health.observe({ type: 'window', window, segment, source: 'v2' })
  health.observe({ type: 'rejects', zone: '1', rows: 2, reasons: [] })
  health.observe({ type: 'window', window, segment, source: 'v2' })
  expect(await kinds()).toEqual([])
  health.observe({ type: 'rejects', zone: '1', rows: 1, reasons: [] })
  health.observe({ type: 'window', window, segment: undefined, source: 'v2' })
  pass(hour - 1)
  expect(await kinds()).toEqual(['rejected'])
  pass(1)
  expect(await kinds()).toEqual([])
})

test('a damaged window shows while it is tried again and again, though the turns between are well', async () => {
  const { kinds, turn, pass, health } = process()
  const error = new SinkError('damaged', 'The file a is cut short.')
  for (let n = 0; n < 6; n++) {
    health.observe({ type: 'failed', zone: '1', error, failures: 0, retryAt: 0 })
    await turn()
    pass(5 * minute)
    await turn()
    expect(await kinds()).toEqual(n === 0 ? [] : ['failing'])
    pass(5 * minute)
  }
  pass(5 * minute)
  await turn()
  expect(await kinds()).toEqual([])
})

test('a zone that failed here and that another worker has now shows no more', async () => {
  const { kinds, turn, pass, health } = process()
  const error = new SinkError('transient', 'The disk is full.')
  await turn(100 * hour)
  health.observe({ type: 'failed', zone: '2', error, failures: 1, retryAt: 0 })
  health.observe({ type: 'turn', zone: '2', nextDue: 0 })
  pass(6 * minute)
  expect(await kinds()).toEqual(['failing'])
  pass(9 * minute)
  expect(await kinds()).toEqual([])
})

test('of a fleet a zone that waits for somebody counts, and one that others have does not', async () => {
  const { kinds, zones, pass, now } = process()
  zones.set('1', { zone: '1', position: undefined, deadline: undefined, due: Number.POSITIVE_INFINITY })
  pass(hour)
  expect(await kinds()).toEqual(['starting'])
  zones.set('1', { zone: '1', position: undefined, deadline: undefined, due: now() - 11 * minute })
  expect(await kinds()).toContain('dead')
})

test('data near the end of the retention is in danger', async () => {
  const { kinds, turn, pass, zones, now } = process()
  await turn(100 * hour)
  pass(42 * hour)
  expect(await kinds()).toEqual([])
  pass(1)
  expect(await kinds()).toEqual(['danger'])
  zones.set('1', { zone: '1', position: now(), deadline: now() + 70 * hour })
  expect(await kinds()).toEqual([])
})

test('a lost range shows for an hour', async () => {
  const { kinds, turn, pass, health } = process()
  await turn(100 * hour)
  health.observe({ type: 'gap', gap: { zone: '1', from: 0, to: 1, reason: 'late', noticedAt: 0 } })
  pass(hour - 1)
  expect(await kinds()).toEqual(['lost'])
  pass(1)
  expect(await kinds()).toEqual([])
})

test('a zone that fails for five minutes shows, with a reason that holds no secret, until a turn is well', async () => {
  const { health, turn, pass, coordinator, lease, kinds, now } = process()
  await turn(100 * hour)
  const fail = async () => {
    await coordinator.claim(never)
    const failure = { attempts: 1, url: 'https://logging.example' }
    const error = Object.assign(Object.create(LoggingError.prototype), {
      message: 'key s3cr3t refused',
      status: 403,
      ...failure,
    })
    health.observe({ type: 'failed', zone: '1', error, failures: 1, retryAt: 0 })
    health.observe({ type: 'turn', zone: '1', nextDue: now() })
    await coordinator.release(lease, now(), 0)
  }
  await fail()
  expect(await kinds()).toEqual([])
  pass(5 * minute + 1)
  await fail()
  expect(await health.problems()).toEqual([
    { kind: 'failing', text: 'zone 1 cannot be exported: the credential or the zone is refused.' },
  ])
  await turn()
  expect(await kinds()).toEqual([])
})

test('a database of the fleet that is away for five minutes shows, and a ledger that cannot be read at once', async () => {
  const { health, turn, pass, kinds } = process()
  await turn(100 * hour)
  health.contact(false)
  pass(4 * minute)
  health.contact(false)
  expect(await kinds()).toEqual([])
  pass(2 * minute)
  expect(await kinds()).toEqual(['failing'])
  health.contact(true)
  expect(await kinds()).toEqual([])

  const positions = async () => Promise.reject(new Error('disk I/O error'))
  const unreadable = createHealth({ now: () => 0, positions, dangerMs: 1 })
  expect(await unreadable.problems()).toContainEqual({
    kind: 'failing',
    text: 'The ledger cannot be read: disk I/O error',
  })
})
