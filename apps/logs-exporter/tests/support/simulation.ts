import { DatabaseSync } from 'node:sqlite'
import { createEmulator, type EmulatorOptions } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { ClockListener } from '@cdn/kit/server-clock'
import { createVirtualTime, type VirtualTime } from '@cdn/kit/testing/virtual-time'
import { hourMs } from '@cdn/kit/time'
import { backfillRange } from '../../src/engine/backfill.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { EngineEvent } from '../../src/engine/events.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import type { ExportPlan } from '../../src/engine/plan.ts'
import { createZoneSchedule } from '../../src/engine/schedule.ts'
import type { DeadLetters } from '../../src/ledger/dead-letters.ts'
import { createLedger, withinTime } from '../../src/ledger/ledger.ts'
import { createApiReader } from '../../src/reader/api-reader.ts'
import { createMemorySink } from './memory-sink.ts'
import { type Expected, type Exported, violations } from './oracle.ts'
import { testEncode, unlimited } from './test-settings.ts'

export const [second, minute, hour] = [1000, 60_000, hourMs]

/** The configuration's default plan. */
export const usualPlan: ExportPlan = {
  window: 5 * minute,
  lateness: 5 * minute,
  rechecks: [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour],
  margin: 2 * hour,
  retention: 72 * hour,
}

/** The platform in virtual time, with exporters that can be stopped and restarted. */
export type Simulation = Awaited<ReturnType<typeof createSimulation>>

export interface SimulationOptions extends EmulatorOptions {
  readonly plan?: Partial<ExportPlan>
  /** Latency of a request, and again of its response, in ms. */
  readonly latency?: number | ((request: Request) => number)
  /** Whether the platform enforces its rate limit. Tests that are only about contents turn it off. */
  readonly isLimited?: boolean
  /** The clock of the exporter's machine, in ms since 1970; by default the same as the platform's. */
  readonly machineTime?: (platformTime: number) => number
  /** Whether the reader of an exporter that starts now requests rows of the origin shield. A comparison expects them then. */
  readonly hasShield?: () => boolean
}

/** What differs from the usual comparison, such as another sink or another form of time. */
export interface Comparison extends Pick<Expected, 'shownTime'> {
  readonly exported?: readonly Exported[] | undefined
}

/** Creates a platform whose zones show full IP addresses, so that comparisons cover whole rows. */
export async function createSimulation(settings: SimulationOptions = {}) {
  const { plan: changes, latency = 0, isLimited = false, machineTime: skew = (at) => at } = settings
  const { plan: _, latency: __, isLimited: ___, machineTime: ____, hasShield = () => false, ...rest } = settings
  const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.2 }, ...rest })
  const { state, clock, faults, loggingUrl, fixtures } = emulator
  const [first, ...others] = [...state.zones.values()].filter(({ id }) => id.length === 5).map(({ id }) => id)
  const zones: readonly [string, ...string[]] = [assertDefined(first), ...others]
  for (const zone of state.zones.values()) zone.addresses = 'whole'
  if (!isLimited) faults.add(unlimited)
  const time = createVirtualTime(clock)
  const machineTime = () => skew(time.now())
  const plan = { ...usualPlan, ...changes }
  const sink = createMemorySink()
  const ledger = createLedger(new DatabaseSync(':memory:'))
  const events: EngineEvent[] = []

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const ms = typeof latency === 'function' ? latency(request) : latency
    if (ms > 0) await time.sleep(ms, request.signal)
    const response = await time.during(emulator.fetch(request))
    if (ms > 0) await time.sleep(ms, request.signal)
    return response.body ? new Response(readDuring(response.body, time), response) : response
  }

  /** The dependencies of an exporter. `parts` replaces some of them. */
  function options(signal: AbortSignal, parts?: Partial<EngineOptions>): EngineOptions {
    const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, signal).catch(() => {})
    const client = { baseUrl: loggingUrl.href, accessKey: fixtures.credentials.accessKey, fetch }
    const observe = parts?.observe ?? ((event: EngineEvent) => void events.push(event))
    const onClock: ClockListener = (offset, jump) => observe({ type: 'clock', offset, jump })
    const reader =
      parts?.reader ??
      createApiReader({
        clients: client,
        now: time.now,
        sleep: time.sleep,
        machineTime,
        onClock,
        includeOriginShield: hasShield(),
      })
    return {
      sink,
      schedule: createZoneSchedule(zones, { elapsed: time.now, sleep }),
      encode: testEncode(),
      rejects: noRejects,
      plan,
      signal,
      ...parts,
      observe,
      reader,
      ledger: withinTime(parts?.ledger ?? ledger, reader),
    }
  }

  function start(parts?: Partial<EngineOptions>): () => Promise<void> {
    const stop = new AbortController()
    const ended = runEngine(options(stop.signal, parts))
    ended.catch((error: unknown) => queueMicrotask(() => Promise.reject(error)))
    return async () => {
      stop.abort(new Error('the exporter ends'))
      await ended
    }
  }

  return {
    ...{ emulator, time, zones, sink, ledger, plan, events, options },
    zone: zones[0],
    /** Starts an exporter. @returns a function that stops it */
    start,
    /** Runs an exporter for a time, in ms. */
    async run(ms: number, parts?: Partial<EngineOptions>) {
      const end = start(parts)
      await time.run(time.now() + ms)
      await end()
    },
    /** Runs a backfill of all zones to its end. `again` reads exported windows, too. */
    async backfill(
      from: number,
      to: number,
      { again = false, ...parts }: Partial<EngineOptions> & { again?: boolean } = {},
    ) {
      const ended = backfillRange(options(new AbortController().signal, parts), { zones, from, to, again })
      let isDone = false
      const settle = () => {
        isDone = true
      }
      ended.then(settle, settle)
      await time.run(time.now() + 10 * hour, () => isDone)
      return ended
    },
    /** Advances time, in ms. */
    pass: (ms: number) => time.run(time.now() + ms),
    /** Mismatches between store and sink for a zone. Compares only windows that begin in `[from, to)`. */
    async violations(zone: string, from: number, to: number, other: Comparison = {}) {
      const { exported = sink.exported(zone), ...expected } = other
      const stored = state.logs.rows(zone, from - 1, to + 1)
      return violations(exported, {
        stored,
        from,
        to,
        lost: [...(await ledger.gaps(zone)), ...(await ledger.openGaps(zone))],
        hasShield: hasShield(),
        ...expected,
      })
    },
    gaps: (zone: string) => ledger.gaps(zone),
  }
}

/** Returns the same body. Virtual time stands still while its chunks are read. */
function readDuring(body: ReadableStream<Uint8Array>, time: VirtualTime): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await time.during(reader.read())
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

const noRejects: DeadLetters = {
  add: async (_zone, rejects) => {
    throw new Error(`Unexpected rejects: ${JSON.stringify(rejects)}`)
  },
}
