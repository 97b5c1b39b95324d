import { DatabaseSync } from 'node:sqlite'
import { createEmulator, type Emulator, type EmulatorOptions, type Fault } from '@cdn/emulator'
import { runEngine } from '../../src/engine/engine.ts'
import type { EngineEvent } from '../../src/engine/events.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import type { Plan } from '../../src/engine/plan.ts'
import { createLocalCoordinator } from '../../src/fleet/local-coordinator.ts'
import type { Gap, Ledger } from '../../src/ledger/ledger.ts'
import type { Rejects } from '../../src/ledger/rejects.ts'
import { createSqliteLedger } from '../../src/ledger/sqlite-ledger.ts'
import { createMemorySink, type MemorySink } from './memory-sink.ts'
import { type Expected, type Exported, violations } from './oracle.ts'
import { testEncode, testReader } from './reader.ts'
import { createSimulatedTime, type SimulatedTime } from './simulated-time.ts'

export const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** The plan that the configuration gives by default. */
export const usualPlan: Plan = {
  window: 5 * minute,
  lateness: 5 * minute,
  looks: [10 * minute, hour, 6 * hour, 24 * hour, 48 * hour, 70 * hour],
  margin: 2 * hour,
  retention: 72 * hour,
}

/** The platform on virtual time, and exporters on it that can be ended and begun again. */
export interface Simulation {
  readonly emulator: Emulator
  readonly time: SimulatedTime
  readonly zones: readonly string[]
  readonly sink: MemorySink
  readonly ledger: Ledger
  readonly plan: Plan
  readonly events: EngineEvent[]
  /** The parts of an exporter, some of them others. */
  options(signal: AbortSignal, parts?: Partial<EngineOptions>): EngineOptions
  /** Begins an exporter; the function it gives ends it. */
  start(parts?: Partial<EngineOptions>): () => Promise<void>
  /** Lets time pass, in ms. */
  pass(ms: number): Promise<void>
  /** What is wrong with what a zone has in the sink, up to its position less what may still come late. */
  violations(zone: string, from: number, to: number, other?: Comparison): Promise<string[]>
  gaps(zone: string): Promise<Gap[]>
}

export interface SimulationOptions extends EmulatorOptions {
  readonly plan?: Partial<Plan>
  /** Of each way of a request, in ms. */
  readonly latency?: number | ((request: Request) => number)
  /** Whether the platform keeps its rate limit; not where only contents matter. */
  readonly isLimited?: boolean
}

/** What differs from the usual comparison: another sink, another form of time. */
export interface Comparison extends Pick<Expected, 'shownTime' | 'isExtended' | 'v1HasShield'> {
  readonly exported?: readonly Exported[] | undefined
}

/** Makes a platform whose zones show whole addresses, so that nothing of a row is hidden from a comparison. */
export async function createSimulation(settings: SimulationOptions = {}): Promise<Simulation> {
  const { plan: changes, latency = 0, isLimited = false, ...rest } = settings
  const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.2 }, ...rest })
  const { state, clock, faults, loggingUrl, fixtures } = emulator
  const zones = [...state.zones.values()].filter(({ id }) => id.length === 5).map(({ id }) => id)
  for (const zone of state.zones.values()) zone.addresses = 'whole'
  if (!isLimited) {
    const around: Fault['around'] = (call, { rateLimit: _, ...operation }, next) => next(call, operation)
    faults.add({ name: 'unlimited', text: 'No rate limit.', around })
  }
  const time = createSimulatedTime(clock)
  const plan = { ...usualPlan, ...changes }
  const sink = createMemorySink()
  const ledger = createSqliteLedger(new DatabaseSync(':memory:'))
  const events: EngineEvent[] = []

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const ms = typeof latency === 'function' ? latency(request) : latency
    if (ms > 0) await time.sleep(ms, request.signal)
    const response = await time.during(emulator.fetch(request))
    if (ms > 0) await time.sleep(ms, request.signal)
    return response
  }

  function options(signal: AbortSignal, parts?: Partial<EngineOptions>): EngineOptions {
    const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, signal).catch(() => {})
    const client = { baseUrl: loggingUrl.href, accessKey: fixtures.credentials.accessKey, fetch }
    return {
      reader: testReader(client, time),
      sink,
      ledger,
      coordinator: createLocalCoordinator(zones, { now: time.now, sleep }),
      encode: testEncode(),
      rejects: noRejects,
      plan,
      observe: (event) => void events.push(event),
      signal,
      ...parts,
    }
  }

  return {
    emulator,
    time,
    zones,
    sink,
    ledger,
    plan,
    events,
    options,
    start(parts) {
      const stop = new AbortController()
      const ended = runEngine(options(stop.signal, parts))
      ended.catch((error: unknown) => queueMicrotask(() => Promise.reject(error)))
      return async () => {
        stop.abort(new Error('the exporter ends'))
        await ended
      }
    },
    pass: (ms) => time.run(time.now() + ms),
    async violations(zone, from, to, { exported = sink.exported(zone), ...expected } = {}) {
      const stored = state.logs.rows(zone, from - 1, to + 1)
      return violations(exported, { stored, from, to, lost: await ledger.gaps(zone), ...expected })
    },
    gaps: (zone) => ledger.gaps(zone),
  }
}

const noRejects: Rejects = {
  add: async (_zone, rejects) => {
    throw new Error(`There must be no rejects here: ${JSON.stringify(rejects)}`)
  },
}
