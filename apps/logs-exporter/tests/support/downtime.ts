/** Two days without the exporter, then two days without the platform, in virtual time. Compared with an oracle. */
import { DatabaseSync } from 'node:sqlite'
import { rateLimit } from '@cdn/api'
import { createEmulator } from '@cdn/emulator'
import { runEngine } from '../../src/engine/engine.ts'
import type { EngineEvent } from '../../src/engine/events.ts'
import type { ExportPlan } from '../../src/engine/plan.ts'
import { createZoneSchedule } from '../../src/engine/schedule.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createMemorySink } from './memory-sink.ts'
import { createSimulatedTime } from './simulated-time.ts'
import { countOnly, createThinPlatform, type ThinZone } from './thin-platform.ts'

export interface DowntimeOptions {
  readonly zones: readonly ThinZone[]
  /** Length of each downtime, in ms. `working` is the length of the working time before, between and after them. */
  readonly downtime: number
  readonly working: number
  readonly plan: ExportPlan
  readonly page: number
  /** Response time, in ms. A slot of the limiter is free 10 s after the response, so latency reduces the rate. */
  readonly latency: number
}

/** Result for the rows of one zone. */
export interface Outcome extends ThinZone {
  readonly stored: number
  readonly exported: number
  readonly lost: number
  /** Number of rows that an oracle would have exported. The oracle always requests at the permitted rate. */
  readonly oracle: number
  /** The same at the rate of the limiter. A slot is free 10 s after the response, so this is 10/(10 + latency) of the rate. */
  readonly permitted: number
  /** Number of rows that are not exported, not lost and not due later. */
  readonly unaccounted: number
}

export interface Downtime {
  readonly outcomes: readonly Outcome[]
  readonly requests: number
  readonly refusals: number
  /** Number of failures and gaps, by event type. */
  readonly events: Readonly<Record<string, number>>
}

/** Runs the simulation, and counts the rows at its end. */
export async function runDowntime({
  zones,
  downtime,
  working,
  plan,
  page,
  latency,
}: DowntimeOptions): Promise<Downtime> {
  const { clock } = await createEmulator()
  const time = createSimulatedTime(clock)
  const begin = time.now()
  // The first downtime is the exporter's, the second one the platform's.
  const away = { from: begin + working, to: begin + working + downtime }
  const dark = { from: away.to + working, to: away.to + working + downtime }
  const finish = dark.to + working
  const isIn = (at: number, range: typeof away) => at >= range.from && at < range.to
  const platform = createThinPlatform({
    time,
    zones,
    page,
    retention: plan.retention,
    latency,
    isUp: (at) => !isIn(at, dark),
  })
  const ledger = createLedger(new DatabaseSync(':memory:'))
  const sink = createMemorySink({ keep: false })
  const events: Record<string, number> = {}
  const exported = new Map<string, number>()
  const observe = (event: EngineEvent) => {
    events[event.type] = (events[event.type] ?? 0) + 1
    if (event.type === 'window' && event.segment) {
      const { zone, rows } = event.segment
      exported.set(zone, (exported.get(zone) ?? 0) + rows)
    }
  }
  const names = zones.map(({ zone }) => zone)

  async function work(until: number): Promise<void> {
    const stop = new AbortController()
    const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, signal).catch(() => {})
    const ended = runEngine({
      reader: platform.reader,
      sink,
      ledger,
      schedule: createZoneSchedule(names, { elapsed: time.now, sleep }),
      encode: countOnly,
      rejects: { add: async () => {} },
      plan,
      observe,
      signal: stop.signal,
      parallel: names.length,
    })
    await time.run(until)
    stop.abort(new Error('the exporter ends'))
    await ended
  }

  await work(away.from)
  await time.run(away.to)
  await work(finish)

  const outcomes: Outcome[] = []
  for (const { zone, rowsPerSecond } of zones) {
    const count = (from: number, to: number) =>
      Math.ceil((to * rowsPerSecond) / 1000) - Math.ceil((from * rowsPerSecond) / 1000)
    const windows = (await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)).map(({ from }) => from)
    const gaps = await ledger.gaps(zone)
    const start = Math.ceil((begin - plan.retention + plan.margin) / plan.window) * plan.window
    const position = (await ledger.position(zone)) ?? start
    const stored = count(start, position)
    const lost = gaps.reduce((sum, { from, to }) => sum + count(from, to), 0)
    const known = exported.get(zone) ?? 0
    const best = (step: number) =>
      bestPossible({ rowsPerSecond, start, begin, finish, step, page, plan, pauses: [away, dark] })
    const [oracle, permitted] = [best(rateLimit.windowMs), best(rateLimit.windowMs + latency)]
    const unaccounted = stored - known - lost
    outcomes.push({ zone, rowsPerSecond, stored, exported: known, lost, oracle, permitted, unaccounted })
    if (windows.length === 0) throw new Error(`Zone ${zone} has no window`)
  }
  return { outcomes, requests: platform.requests(), refusals: platform.refusals(), events }
}

interface Possible {
  readonly rowsPerSecond: number
  readonly start: number
  readonly begin: number
  readonly finish: number
  /** How long a request occupies a slot, in ms. */
  readonly step: number
  readonly page: number
  readonly plan: ExportPlan
  readonly pauses: readonly { readonly from: number; readonly to: number }[]
}

/** Rows of an optimal reader. Whenever both sides are up, it reads in all slots, the oldest row first. */
function bestPossible({ rowsPerSecond, start, begin, finish, step, page, plan, pauses }: Possible): number {
  const perStep = rateLimit.requests * page
  let position = (start * rowsPerSecond) / 1000
  let saved = 0
  for (let at = begin; at < finish; at += step) {
    if (pauses.some(({ from, to }) => at >= from && at < to)) continue
    const closed = Math.floor((at - plan.lateness) / plan.window) * plan.window
    position = Math.max(position, ((at - plan.retention) * rowsPerSecond) / 1000)
    const rows = Math.max(0, Math.min(perStep, (closed * rowsPerSecond) / 1000 - position))
    position += rows
    saved += rows
  }
  return saved
}
