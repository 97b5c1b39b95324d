import { IncompleteLogsError, LoggingError, type LogReader, type LogRow } from '@cdn/api'
import { describe, expect, test } from 'vitest'
import * as right from '../../src/logs/tail/tail.ts'
import { createMemory, type TailEvent, type TailPlan, tail } from '../../src/logs/tail/tail.ts'
import { followZone } from './followed-zone.ts'

const minute = 60_000
const plan: TailPlan = { latenessMs: minute, intervalMs: 2000, retentionMs: 3 * 86_400_000 }

/** A reader of rows that ends with an error. */
function reader(rows: readonly LogRow[], resume: number, error?: Error): LogReader {
  async function* read() {
    yield* rows
    if (error) throw error
  }
  return Object.assign(read(), { resume: new Date(resume).toISOString() })
}

/** Runs a tail in a time of its own, for so long, against a function in place of the platform. */
async function run(
  read: (from: number, to: number) => LogReader,
  { from = 0, ...more }: Partial<TailPlan> & { from?: number },
  forMs: number,
) {
  let now = from
  const until = now + forMs
  const source = {
    read,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const events: TailEvent[] = []
  for await (const event of tail(source, { ...plan, ...more, until }, createMemory(from))) events.push(event)
  return events
}

const kinds = (events: readonly TailEvent[]) => events.map(({ kind }) => kind).filter((kind) => kind !== 'look')

test('with too little memory it looks back less far, says so, and still shows every row that comes in time', async () => {
  // The window of two minutes would be 720 rows.
  const story = { seed: 5, minutes: 4, latenessMs: 2 * minute, rowsPerSecond: 6, mostRows: 300, maxLatenessMs: 15_000 }
  const { shown, expected, events } = await followZone(right, { ...story, twinsLateMs: 15_000 })
  expect(events.filter(({ kind }) => kind === 'narrowed').length).toBeGreaterThan(1)
  expect(new Set(shown).size).toBe(new Set(expected).size)
  expect(shown).toEqual(expected)
})

test.each([5, 5.02, 4.5])(
  'a tail that is ended after %d minutes is gone on with: no row is lost, none comes twice',
  async (restartAt) => {
    const story = { seed: 6, minutes: 10, latenessMs: 2 * minute, maxLatenessMs: 110_000, restartAt }
    const { shown, expected } = await followZone(right, story)
    expect(shown).toEqual(expected)
  },
)

describe('what cannot be read', () => {
  test('rows older than the retention are named as lost, and the tail goes on', async () => {
    const asked: number[] = []
    const read = (from: number, to: number) => {
      asked.push(from)
      return reader([], to)
    }
    const start = 10 * 86_400_000
    const late = { from: start, retentionMs: 3 * 86_400_000 }
    // The machine sleeps for five days between two looks.
    const events = await run(read, { ...late, intervalMs: 5 * 86_400_000 }, 6 * 86_400_000)
    const lost = events.find((event) => event.kind === 'lost')
    expect(lost).toMatchObject({ from: start, to: start + 2 * 86_400_000 + 5 * minute })
    expect(asked).toEqual([start, start + 2 * 86_400_000 + 5 * minute])
  })

  test('a gap that stays is tried three times, named, and passed', async () => {
    const gap = (from: number, to: number) =>
      from <= 5000 && to > 5000
        ? reader([], 5000, new IncompleteLogsError(1, 5000, 5001, 'too many rows on one millisecond'))
        : reader([], to)
    const events = await run(gap, { from: 4000 }, 20 * minute)
    expect(kinds(events)).toEqual(['trouble', 'trouble', 'lost'])
    expect(events.find(({ kind }) => kind === 'lost')).toMatchObject({ from: 5000, to: 5001 })
    expect(events.findLast((event) => event.kind === 'look')?.reached).toBeGreaterThan(19 * minute)
  })

  test.each([400, 401, 403, 404])('%i ends the tail', async (status) => {
    const response = new Response('{"error":{"code":"forbidden","message":"no"}}', { status })
    const failure = { operation: 'GET /', attempt: 1, redact: String, response, text: '' }
    const refused = () => reader([], 0, new LoggingError(failure))
    await expect(run(refused, {}, minute)).rejects.toThrow(LoggingError)
  })

  test.each([408, 429, 500, 503])('%i is waited for, longer each time', async (status) => {
    const response = new Response('', { status })
    const failing = () =>
      reader([], 0, new LoggingError({ operation: 'GET /', attempt: 5, redact: String, response, text: '' }))
    const events = await run(failing, {}, 10 * minute)
    const pauses = events.flatMap((event) => (event.kind === 'trouble' ? [event.pauseMs] : []))
    expect(pauses.slice(0, 6)).toEqual([4000, 8000, 16_000, 32_000, minute, minute])
  })
})

test('a clock that is fast by more than the lateness loses nothing, once the first answer has put it right', async () => {
  let platform = 100 * minute
  let offset = 10 * minute
  const asked: [number, number][] = []
  const read = (from: number, to: number) => {
    offset = 0
    asked.push([from, to])
    return reader([], to)
  }
  const source = {
    read,
    now: () => platform + offset,
    sleep: async (ms: number) => {
      platform += ms
    },
  }
  const memory = createMemory(99 * minute)
  for await (const event of tail(source, { ...plan, until: 101 * minute }, memory)) {
    expect(event.kind).toBe('look')
    expect(memory.reached).toBeLessThanOrEqual(platform)
    expect(memory.settled).toBeLessThanOrEqual(Math.max(99 * minute, platform - minute))
  }
  expect(asked.slice(1).every(([from, to]) => from < to)).toBe(true)
})

test('rows that came before a failure are shown at once, and not again', async () => {
  const row = (time: number) => ({
    timestamp: new Date(time).toISOString(),
    pullZoneId: 1,
    statusCode: 200,
    bytesSent: 1,
  })
  let calls = 0
  const read = (_from: number, to: number) => {
    const isFirst = calls++ === 0
    const response = new Response('', { status: 500 })
    const error = new LoggingError({ operation: 'GET /', attempt: 5, redact: String, response, text: '' })
    return isFirst ? reader([row(10), row(20)], 15, error) : reader([row(10), row(20), row(30)], to)
  }
  const events = await run(read, {}, minute)
  const shown = events.flatMap((event) => (event.kind === 'row' ? [Date.parse(event.row.timestamp)] : []))
  expect(shown).toEqual([10, 20, 30])
})
