import type { IncomingMessage } from 'node:http'
import { createEmulator, createZone, type Emulator, type TrafficOptions } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Case } from '../../src/exchange/case.ts'
import type { Check, Fixtures } from '../../src/exchange/check.ts'
import type { Report } from '../../src/exchange/report-model.ts'
import { type CheckPlan, type CheckRun, type Permission, type RunConfig, seedOf } from '../../src/exchange/run-types.ts'
import type { Notes } from '../../src/memory/memory.ts'
import { openRun } from '../../src/run/open-run.ts'
import { createRunPlan } from '../../src/run/plan.ts'
import { assembleReport } from '../../src/verdict/assemble-report.ts'
import { type NetworkConditions, startProxy } from './proxy.ts'
import { type SimulatedTime, simulateTime } from './simulated-time.ts'

/** An emulated platform for a live run, and the network in front of it. */
export interface World {
  readonly name: string
  /** Traffic of both logged pull zones; none by default. `planted` is the traffic of a new emulator. */
  readonly traffic?: Omit<TrafficOptions, 'zones'> | 'planted'
  /** Range of the response times, in ms. */
  readonly latencyMs?: readonly [min: number, max: number]
  /** Interval in ms at which another caller sends a request to the first logged pull zone. */
  readonly otherCallerEveryMs?: number
  /** How far the local clock is ahead, in ms. */
  readonly skewMs?: number
  /** If present, both interfaces are behind this proxy, on one origin. */
  readonly proxy?: NetworkConditions
  readonly break?: (emulator: Emulator) => void
}

export interface LiveRunOptions {
  readonly seed?: number
  /** Seed of the random cases; the emulator's date by default. */
  readonly caseSeed?: number | undefined
  /** Sends only this case of the selected check. */
  readonly replay?: Case | undefined
  readonly allow?: readonly Permission[]
  readonly notes?: Notes
  readonly start?: Date
  /** Runs only these checks. */
  readonly select?: (check: Check) => boolean
  readonly changeFixtures?: (fixtures: Fixtures) => Fixtures
  /** Called with each request that arrives at the proxy of the world. */
  readonly onRequest?: (request: IncomingMessage) => void
}

export interface LiveRun {
  readonly report: Report
  readonly runs: readonly CheckRun[]
  readonly requests: number
  /** Duration by the simulated clock, in ms. */
  readonly durationMs: number
  /** Whether all resources are back in their initial state. */
  readonly isRestored: boolean
  readonly emulator: Emulator
}

const everything: readonly Permission[] = ['write', 'destructive', 'burst']
const loggedZoneIds = ['3001', '3002'] as const

/**
 * Runs the preflight and all checks as a live run against the emulator's sockets, in simulated time.
 *
 * @throws SetupError if the preflight finds a problem
 */
export async function runLive(world: World, options: LiveRunOptions = {}): Promise<LiveRun> {
  const { seed = 1, allow = everything, start } = options
  const emulator = await createEmulator({ seed, variants: { errorBodies: 'present' }, ...(start && { start }) })
  const time = simulateTime(emulator, world.skewMs)
  const fixtures = options.changeFixtures?.(furnish(emulator, world)) ?? furnish(emulator, world)
  slowDown(emulator, time, world, seed)
  world.break?.(emulator)
  const listening = await emulator.listen()
  const direct = { management: listening.managementUrl, logging: listening.loggingUrl }
  const { onRequest } = options
  const { accessKey } = emulator.fixtures.credentials
  const proxy = world.proxy && (await startProxy(direct, { ...world.proxy, time, seed, accessKey, onRequest }))
  const urls = proxy ? { management: proxy.management, logging: proxy.logging } : direct
  const { signal } = new AbortController()
  const other = startOtherCaller(time, world, urls.logging, fixtures)
  const before = stateOf(emulator)
  const begun = emulator.clock.now().getTime()
  try {
    const config: RunConfig = {
      target: 'live',
      managementUrl: urls.management.href,
      loggingUrl: urls.logging.href,
      fixtures,
      allow,
      seed: options.caseSeed ?? seedOf(emulator.clock.now()),
      replay: options.replay,
    }
    const whole = createRunPlan(config)
    const { clock } = time
    const open = await openRun(config, whole, { signal, clock, fetch: time.fetch, notes: options.notes })
    await open.begin(600_000)
    const plan: CheckPlan = { ...whole, checks: whole.checks.filter(options.select ?? (() => true)) }
    const runs = await Promise.all(plan.checks.map((check) => open.run(check, signal)))
    const facts = await open.close()
    const durationMs = emulator.clock.now().getTime() - begun
    const startedAt = new Date(begun).toISOString()
    const target = { kind: 'live' } as const
    const report = assembleReport({ ...facts, plan, startedAt, durationMs, target, status: 'complete' })
    const requests = runs.reduce((sum, { result }) => sum + result.requests, open.preflightRequests)
    return { report, runs, requests, durationMs, isRestored: stateOf(emulator) === before, emulator }
  } finally {
    other.stop()
    await Promise.all([listening.close(), proxy?.close()])
  }
}

function furnish(emulator: Emulator, { traffic }: World): Fixtures {
  const { fixtures } = emulator
  if (traffic === 'planted') return fixtures
  const [loggedZoneId, otherLoggedZoneId] = loggedZoneIds
  for (const id of loggedZoneIds) emulator.state.zones.set(id, createZone(id, { logging: 'enabled' }))
  if (traffic) emulator.state.addTraffic({ ...traffic, zones: loggedZoneIds })
  return { ...fixtures, loggedZoneId, otherLoggedZoneId }
}

function slowDown(emulator: Emulator, time: SimulatedTime, { latencyMs }: World, seed: number): void {
  if (!latencyMs) return
  const [min, max] = latencyMs
  let count = seed
  emulator.faults.add({
    name: 'slow',
    text: 'Answers are slow.',
    around: async (call, operation, next) => {
      count = (count * 48_271) % 2_147_483_647
      const whole = min + (count % (max - min + 1))
      // Half of the time passes before the request is handled, the rest afterwards.
      await time.take(whole / 2)
      const response = await next(call, operation)
      await time.take(whole / 2)
      return response
    },
  })
}

function startOtherCaller(time: SimulatedTime, { otherCallerEveryMs }: World, logging: URL, fixtures: Fixtures) {
  let isOver = false
  const { loggedZoneId, credentials } = fixtures
  const url = new URL(`${logging.href.replace(/\/$/, '')}/v2/pullzones/${loggedZoneId}/logs?limit=1`)
  const work = async () => {
    while (otherCallerEveryMs !== undefined && !isOver) {
      await time.clock.sleep(otherCallerEveryMs)
      if (!isOver)
        await time.fetch(url, { headers: { AccessKey: assertDefined(credentials.accessKey) } }).catch(() => {})
    }
  }
  void work()
  return {
    stop: () => {
      isOver = true
    },
  }
}

function stateOf({ state }: Emulator): string {
  // Leave out empty collections: after the deletion of its last item, a collection is empty instead of missing.
  const items = Object.entries(state.resources.all).filter(([, all]) => all.length > 0)
  return JSON.stringify(items, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
