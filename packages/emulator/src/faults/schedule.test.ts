import { describe, expect, test } from 'vitest'
import { start, unlimited } from '../../tests/support/start.ts'
import type { FaultSchedule } from './schedule.ts'

const path = 'v2/pullzones/2002/logs?limit=1'

/** Sends requests and returns the names of the faults that affected each of them. */
async function hits(plan: FaultSchedule, count: number, pauseMs = 0): Promise<string[]> {
  const { emulator, ask } = await start()
  emulator.faults.add(unlimited)
  emulator.faults.schedule(plan)
  for (let sent = 0; sent < count; sent++) {
    await ask.logging(path).catch(() => {})
    if (pauseMs > 0) emulator.clock.advance(pauseMs)
  }
  return emulator.journal.entries.map(({ faults }) => faults?.slice(1).join('+') || '.')
}

describe('a schedule', () => {
  test('by chance affects the same requests for the same seed', async () => {
    const plan = (seed: number): FaultSchedule => ({
      by: 'chance',
      share: 0.25,
      seed,
      faults: ['bad-gateway', 'reset-before', 'null-data'],
    })
    const [first, again, other] = await Promise.all([hits(plan(1), 400), hits(plan(1), 400), hits(plan(2), 400)])
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
    const hit = first.filter((names) => names !== '.')
    expect(hit.length).toBeGreaterThan(60)
    expect(hit.length).toBeLessThan(140)
    expect(new Set(hit)).toEqual(new Set(['bad-gateway', 'reset-before', 'null-data']))
  })

  test('by chance affects no requests at 0 and all at 1', async () => {
    const plan = (share: number): FaultSchedule => ({ by: 'chance', share, faults: ['bad-gateway'] })
    expect(new Set(await hits(plan(0), 20))).toEqual(new Set(['.']))
    expect(new Set(await hits(plan(1), 20))).toEqual(new Set(['bad-gateway']))
  })

  test('by requests affects the listed requests', async () => {
    const steps = [
      { at: 1, for: 2, fault: 'bad-gateway' },
      { at: 2, for: 1, fault: { name: 'latency', ms: 1 } },
      { at: 4, for: 9, fault: { name: 'rate-limited', times: 1 } },
    ] as const
    expect(await hits({ by: 'requests', steps }, 7)).toEqual([
      '.',
      'bad-gateway',
      'bad-gateway+latency',
      '.',
      'rate-limited',
      '.',
      '.',
    ])
  })

  test('by clock affects requests of a time range', async () => {
    const steps = [{ at: 120_000, for: 60_000, fault: 'reset-before' }] as const
    expect(await hits({ by: 'clock', steps }, 8, 30_000)).toEqual([
      '.',
      '.',
      '.',
      '.',
      'reset-before',
      'reset-before',
      '.',
      '.',
    ])
  })

  test('takes custom faults, even with references to themselves', async () => {
    const { emulator, ask } = await start()
    const fault = {
      name: 'own',
      text: 'Another status.',
      around: async () => ({ status: 418, headers: {}, body: null }),
    }
    emulator.faults.schedule({ by: 'chance', share: 1, faults: [Object.assign(fault, { self: fault })] })
    expect((await ask.management('pullzone/2001')).status).toBe(418)
  })

  test('counts only the requests of its operation, and ends when it is deactivated', async () => {
    const { emulator, ask } = await start()
    const off = emulator.faults.schedule({
      by: 'requests',
      operation: 'get-pull-zone',
      steps: [{ at: 1, for: 99, fault: 'bad-gateway' }],
    })
    expect(emulator.faults.active()).toEqual([{ name: 'schedule', text: 'Faults are scheduled by requests.' }])
    const statuses = []
    for (const path of ['videolibrary/1001', 'pullzone/2001', 'videolibrary/1001', 'pullzone/2001'])
      statuses.push((await ask.management(path)).status)
    off()
    statuses.push((await ask.management('pullzone/2001')).status)
    expect(statuses).toEqual([200, 200, 200, 502, 200])
  })

  test.each([
    [null, 'schedule must be an object, not null'],
    [{}, 'schedule.by is missing'],
    [{ by: 'moon' }, 'schedule.by must be one of chance, requests, clock, not "moon"'],
    [{ by: 'chance', share: 2, faults: ['latency'] }, 'schedule.share must be a number from 0 to 1, not 2'],
    [{ by: 'chance', faults: ['latency'] }, 'schedule.share is missing'],
    [{ by: 'chance', share: 1, faults: [] }, 'schedule.faults must be a list of at least 1, not []'],
    [{ by: 'chance', share: 1 }, 'schedule.faults is missing'],
    [{ by: 'requests', steps: [{ at: 1, fault: 'latency' }] }, 'schedule.steps[0].for is missing'],
    [
      { by: 'requests', steps: [{ at: 1, for: 1, fault: 'nonsense' }] },
      /^fault\.name must be one of .*, not "nonsense"$/,
    ],
    [{ by: 'clock', steps: [], at: 1 }, 'schedule has an unknown key "at": expected one of by, operation, steps'],
    [{ by: 'clock', steps: [], operation: 'x' }, /^schedule\.operation must be one of .*, not "x"$/],
  ])('%j is rejected with one sentence', async (plan, sentence) => {
    const { emulator } = await start()
    // Callers without types can pass anything.
    expect(() => emulator.faults.schedule(plan as FaultSchedule)).toThrow(
      typeof sentence === 'string' ? new RangeError(sentence) : sentence,
    )
  })
})
