import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import type { EngineEvent } from '../engine/events.ts'
import { SinkError } from '../errors.ts'
import type { OpenGap } from '../ledger/ledger.ts'
import { createHealth } from './health.ts'

const minute = 60_000
const hour = 60 * minute
const begin = Date.UTC(2026, 5, 17)
const window = { zone: '1', from: 0, to: 1 }
const segment = { ...window, revision: 0, rows: 9, bytes: 1, sha256: '' }

/** What happens: time passes (ms), an event occurs, or an input of the checks changes. */
type Step = number | EngineEvent | Partial<Inputs>
interface Inputs {
  readonly zones: readonly string[] | undefined
  readonly deadline: number
  readonly clockOffset: number
  readonly unread: readonly OpenGap[]
  readonly ledgerError: Error
}

const begun: EngineEvent = { type: 'begun', zone: '1' }
const cycle = (waitMs = 100 * hour, zone = '1'): EngineEvent[] => [
  { type: 'begun', zone },
  { type: 'cycle', zone, waitMs },
]
const read = (rows?: number): EngineEvent => {
  return { type: 'window', window, segment: rows === undefined ? undefined : { ...segment, rows } }
}
const failed = (error: Error, zone = '1', failures = 1): EngineEvent => {
  return { type: 'failed', zone, error, failures, retryAt: 0 }
}
const answered = (status: number) => new ApiError(new Response(null, { status }), undefined)
const failedRecheck = (error: Error, from = 0): EngineEvent => {
  return { type: 'failed', zone: '1', error, failures: 0, retryAt: 0, recheck: { ...window, from } }
}
const rechecked = (from = 0): EngineEvent => ({ type: 'recheck', window: { ...window, from }, outcome: 'same' })
const damage = failedRecheck(new SinkError('damaged', 'The file a is cut short.'))
const unanswered = [failedRecheck(answered(500)), read(), ...cycle(), 10 * minute]
const down = new Error('The file a is cut short.')
const behind: EngineEvent = { type: 'stdout-failed', error: down, failures: 1, waitMs: minute }
const rejects = (rows: number): EngineEvent => ({ type: 'rejects', zone: '1', rows, reasons: [] })
const clock = (jump: boolean): EngineEvent => ({ type: 'clock', offset: hour, jump })
const openGap: OpenGap = { from: begin, to: begin + 1, reason: 'the response is not JSON.' }
const gap: EngineEvent = { type: 'gap', gap: { ...window, reason: 'late', noticedAt: 0 } }

/** Health checks of a process with a simulated clock. By default, zone 1 is two days from its deadline. */
async function problemsAfter(steps: readonly Step[]) {
  let time = begin
  const inputs: Omit<Inputs, 'ledgerError'> & Partial<Inputs> = {
    zones: ['1'],
    deadline: begin + 48 * hour,
    clockOffset: 0,
    unread: [],
  }
  const health = createHealth({
    now: () => time,
    elapsed: () => time,
    async positions() {
      if (inputs.ledgerError) throw inputs.ledgerError
      return [{ zone: '1', position: begin, deadline: inputs.deadline, unread: inputs.unread }]
    },
    clockOffset: () => inputs.clockOffset,
    zones: () => inputs.zones,
    margin: 2 * hour,
  })
  for (const step of steps) {
    if (typeof step === 'number') time += step
    else if ('type' in step) health.observe(step)
    else Object.assign(inputs, step)
  }
  return health.problems()
}

const refusedOnce = [...cycle(), begun, failed(answered(403)), ...cycle().slice(1)]
const damagedFor = (n: number) =>
  Array.from({ length: n }, () => [damage, ...cycle(), 5 * minute, ...cycle(), 5 * minute]).flat()

test.each<[string, readonly Step[], string[]]>([
  ['a new process is starting', [], ['starting']],
  ['... until a zone has finished a cycle', cycle(), []],
  ['... or read a window', [begun, read()], []],
  ['a reader that never begins a cycle is dead', [11 * minute], ['dead', 'starting']],
  ['a reader without further cycles, due for nine minutes', [...cycle(5 * minute), 14 * minute], []],
  ['... for eleven minutes', [...cycle(5 * minute), 16 * minute], ['dead']],
  ['a zone that is not due for a long time', [...cycle(10 * hour), 9 * hour], []],
  ['a cycle with signs of life', [...cycle(), begun, 14 * minute, read(), 14 * minute], []],
  ['a cycle that hangs', [...cycle(), begun, 14 * minute, read(), 16 * minute], ['dead']],
  ['a long read with progress', [...cycle(), begun, 14 * minute, { type: 'progress', zone: '1' }, 14 * minute], []],
  ['without zones, no cycle is expected', [{ zones: [] }, hour], []],
  ['zones that are not listed yet', [{ zones: undefined }, hour], ['starting']],
  ['standard output that failed for four minutes', [...cycle(), behind, 4 * minute, behind], []],
  ['... for six minutes', [...cycle(), behind, 4 * minute, behind, 2 * minute], ['stdout']],
  ['... and took rows', [...cycle(), behind, 6 * minute, { type: 'stdout', rows: 1 }], []],
  ['a zone that was refused once', refusedOnce, []],
  ['... a minute ago', [...refusedOnce, minute + 1], ['failing']],
  ['... and begins again', [...refusedOnce, minute + 1, begun], ['failing']],
  ['... and reads a window', [...refusedOnce, minute + 1, begun, read()], []],
  ['... and is paused now', [...refusedOnce, minute + 1, { zones: [] }], []],
  ['a zone that failed', [...cycle(), failed(answered(500)), ...cycle()], []],
  ['... five minutes ago', [...cycle(), failed(answered(500)), ...cycle(), 5 * minute + 1], ['failing']],
  ['... and finished a cycle', [...cycle(), failed(answered(500)), ...cycle(), 5 * minute + 1, ...cycle()], []],
  ['a damaged window, at its first retry', damagedFor(1).slice(0, -1), []],
  ['... during its retries, while other cycles succeed', damagedFor(6), ['failing']],
  ['... fifteen minutes after the last one', [...damagedFor(6), 5 * minute, ...cycle()], []],
  ['a recheck that failed ten minutes ago, while windows are read', unanswered, []],
  ['... and again', [...unanswered, ...unanswered], ['failing']],
  ['... and another window was rechecked', [...unanswered, ...unanswered, rechecked(1)], ['failing']],
  ['... and the window itself', [...unanswered, ...unanswered, rechecked()], []],
  ['... or left the retention', [...unanswered, ...unanswered, { type: 'recheck-missed', window }], []],
  ['a window with as many rejects as rows', [...cycle(), rejects(9), read(9)], []],
  ['a window with few rejects after it', [...cycle(), rejects(9), read(9), rejects(2), read(9)], []],
  ['a window with only rejects', [...cycle(), rejects(1), read(), hour - 1], ['rejected']],
  ['... an hour ago', [...cycle(), rejects(1), read(), hour], []],
  ['a range that cannot be read', [...cycle(), { unread: [openGap] }], ['unread']],
  ['... and can be read again', [...cycle(), { unread: [openGap] }, { unread: [] }], []],
  ['a lost range', [...cycle(), gap, hour - 1], ['lost']],
  ['... an hour ago', [...cycle(), gap, hour], []],
  ['a clock that is a minute off', [...cycle(), { clockOffset: -minute }, clock(false)], []],
  ['a clock that is days off', [...cycle(), { clockOffset: 4 * 24 * hour }], ['clock']],
  ['a clock that was set', [...cycle(), clock(true)], ['clock']],
  ['a ledger with times in the future', [...cycle(), { type: 'recovered', zone: '1', position: 0 }], ['clock']],
  ['both, an hour ago', [...cycle(), clock(true), { type: 'recovered', zone: '1', position: 0 }, hour], []],
  ['logs six hours before the deadline', [...cycle(), 42 * hour], []],
  ['... less than that', [...cycle(), 42 * hour + 1], ['danger']],
  ['... and exported', [...cycle(), 42 * hour + 1, { deadline: begin + 112 * hour }], []],
  ['a ledger that cannot be read', [...cycle(), { ledgerError: new Error('disk I/O error') }], ['failing']],
])('the problems of %s', async (_, steps, kinds) => {
  expect((await problemsAfter(steps)).map(({ kind }) => kind)).toEqual(kinds)
})

test('zones with different errors have a sentence each', async () => {
  const zones = ['1', '2', '3']
  const failures = zones.map((zone) => failed(answered(zone === '1' ? 404 : 403), zone))
  const texts = (await problemsAfter([{ zones }, ...failures, 2 * minute])).map(({ text }) => text)
  expect(texts).toEqual(
    expect.arrayContaining([
      `zone 1 cannot be exported: ${answered(404).message}`,
      `zones 2, 3 cannot be exported: ${answered(403).message}`,
    ]),
  )
})

test.each<[readonly Step[], string]>([
  [[...cycle(), behind, 6 * minute], 'Standard output is behind: The file a is cut short.'],
  [[...unanswered, ...unanswered], `zone 1 cannot be rechecked: ${answered(500).message}`],
  [[...refusedOnce, 2 * minute], `zone 1 cannot be exported: ${answered(403).message}`],
  [
    [...cycle(), { unread: [openGap, openGap] }],
    'zone 1 from 2026-06-17T00:00:00.000Z to 2026-06-17T00:00:00.001Z cannot be read yet: the response is not JSON. The command status names 1 further range.',
  ],
  [
    [...cycle(), { clockOffset: 4 * 24 * hour }],
    "The clock of this machine is 345600 s ahead of the platform's; set it. The exporter uses the platform's clock.",
  ],
  [[...cycle(), { ledgerError: new Error('disk I/O error') }], 'The ledger cannot be read: disk I/O error'],
])('the text of a problem is a sentence: %#', async (steps, text) => {
  expect((await problemsAfter(steps)).map((problem) => problem.text)).toEqual([text])
})
