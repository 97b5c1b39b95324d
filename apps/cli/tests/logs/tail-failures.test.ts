import { ApiError, IncompleteLogsError, type LogReader, type LogRow } from '@cdn/api'
import { dayMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { type TailEvent, type TailPlan, tail } from '../../src/logs/tail/tail.ts'

const minute = 60_000
const plan: TailPlan = { from: 0, latenessMs: minute, intervalMs: 2000, retentionMs: 3 * dayMs }

/** A read without rows that ends at a time, perhaps with an error. */
function reader(resume: number, error?: Error): LogReader {
  async function* read() {
    yield* []
    if (error) throw error
  }
  return Object.assign(read(), { resume: new Date(resume).toISOString() })
}

async function run(read: (from: number, to: number) => LogReader, more: Partial<TailPlan>, forMs: number) {
  let now = more.from ?? 0
  const until = now + forMs
  const events: TailEvent[] = []
  const source = {
    read,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
    report: async (event: TailEvent) => void events.push(event),
  }
  for await (const _ of tail(source, { ...plan, ...more, until })) throw new Error('no row')
  return events
}

const kinds = (events: readonly TailEvent[]) => events.map(({ kind }) => kind).filter((kind) => kind !== 'read')

describe('ranges that cannot be read', () => {
  test('rows older than the retention are reported as lost, and the tail continues', async () => {
    const starts: number[] = []
    const read = (from: number, to: number) => {
      starts.push(from)
      return reader(to)
    }
    const start = 10 * dayMs
    const late = { from: start, retentionMs: 3 * dayMs }
    // The machine sleeps for five days between two reads.
    const events = await run(read, { ...late, intervalMs: 5 * dayMs }, 6 * dayMs)
    const lost = events.find((event) => event.kind === 'lost')
    expect(lost).toMatchObject({ from: start, to: start + 2 * dayMs + 5 * minute })
    expect(starts).toEqual([start, start + 2 * dayMs + 5 * minute])
  })

  test('a permanent gap is tried three times, reported, and skipped', async () => {
    const gap = (from: number, to: number) =>
      from <= 5000 && to > 5000
        ? reader(5000, new IncompleteLogsError(1, 5000, 5001, 'too many rows on one millisecond'))
        : reader(to)
    const events = await run(gap, { from: 4000 }, 20 * minute)
    expect(kinds(events)).toEqual(['failure', 'failure', 'lost'])
    expect(events.find(({ kind }) => kind === 'lost')).toMatchObject({ from: 5000, to: 5001 })
    expect(events.findLast((event) => event.kind === 'read')?.reached).toBeGreaterThan(19 * minute)
  })

  test('a row that arrives before a reported gap is printed, however late', async () => {
    let now = 6000
    const read = (from: number, to: number): LogReader => {
      const end = from <= 5000 && to > 5000 ? 5000 : to
      async function* rows() {
        // Becomes visible long after the gap is reported.
        if (from <= 4500 && now > 40_000) yield { timestamp: new Date(4500).toISOString() } as LogRow
        if (end < to) throw new IncompleteLogsError(1, 5000, 5001, 'too many rows on one millisecond')
      }
      return Object.assign(rows(), { resume: new Date(end).toISOString() })
    }
    const sleep = async (ms: number) => {
      now += ms
    }
    const events: TailEvent[] = []
    const report = async (event: TailEvent) => void events.push(event)
    const printed: LogRow[] = []
    for await (const row of tail({ read, now: () => now, sleep, report }, { ...plan, from: 4000, until: 3 * minute }))
      printed.push(row)
    expect(printed).toHaveLength(1)
    expect(kinds(events)).toEqual(['failure', 'failure', 'lost'])
  })

  test.each([400, 401, 403, 404])('%i ends the tail', async (status) => {
    const response = new Response('{"error":{"code":"forbidden","message":"no"}}', { status })
    const refused = () => reader(0, new ApiError(response, ''))
    await expect(run(refused, {}, minute)).rejects.toThrow(ApiError)
  })

  test.each([408, 429, 500, 503])('after %i it waits, with growing pauses', async (status) => {
    const response = new Response('', { status })
    const failing = () => reader(0, new ApiError(response, ''))
    const events = await run(failing, {}, 10 * minute)
    const pauses = events.flatMap((event) => (event.kind === 'failure' ? [event.pauseMs] : []))
    expect(pauses.slice(0, 6)).toEqual([4000, 8000, 16_000, 32_000, minute, minute])
  })
})

test('a clock that is ahead by more than the lateness loses no row after the first response has corrected it', async () => {
  let platform = 100 * minute
  let offset = 10 * minute
  const ranges: [number, number][] = []
  const read = (from: number, to: number) => {
    offset = 0
    ranges.push([from, to])
    return reader(to)
  }
  const source = {
    read,
    now: () => platform + offset,
    sleep: async (ms: number) => {
      platform += ms
    },
    report: async (event: TailEvent) => {
      expect(event.kind === 'read' && event.reached).toBeLessThanOrEqual(platform)
      // The next read begins where rows can still arrive.
      expect(ranges.at(-1)?.[0]).toBeLessThanOrEqual(Math.max(99 * minute, platform - minute))
    },
  }
  for await (const _ of tail(source, { ...plan, from: 99 * minute, until: 101 * minute })) throw new Error('no row')
  expect(ranges.slice(1).every(([from, to]) => from < to)).toBe(true)
})
