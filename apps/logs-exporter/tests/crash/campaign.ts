/**
 * Runs an exporter in processes that are killed (SIGKILL) and restarted until it is done. The emulator injects faults on a
 * schedule. Finally, the sink is compared with the store.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmulator, type FaultChoice } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { hourMs } from '@cdn/kit/time'
import type { SinkConfig } from '../../src/config/config.ts'
import type { ExportPlan } from '../../src/engine/plan.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { type Exported, violations } from '../support/oracle.ts'
import { minimalConfig, unlimited } from '../support/test-settings.ts'
import { bundleOnce, memoryPlace } from '../support/worker-bundle.ts'
import { type Assignment, commonPoints, type KillPoint, killPoints } from './assignment.ts'

/** A sink for the campaign, with an independent reader of its content. */
export interface SinkUnderTest {
  /** Creates the sink of one run. No other run uses `folder`. */
  open(folder: string): Promise<{ readonly config: SinkConfig; readonly env?: Readonly<Record<string, string>> }>
  readBack(folder: string, zone: string): Promise<readonly Exported[]>
  close?(folder: string): Promise<void>
  /** Stops servers that all runs share. */
  stop?(): Promise<void>
  /** Whether the sink has the kill points of the files sink. */
  readonly hasFiles?: boolean
  /** Whether texts cannot hold U+0000. U+FFFD is then expected instead. */
  readonly replacesNul?: boolean
}

export interface CrashRun {
  readonly seed: number
  readonly violations: readonly string[]
  readonly kills: readonly string[]
  /** Number of ledgers that were deleted after a kill. */
  readonly ledgersLost: number
  readonly rows: number
  readonly revisions: number
}

const [minute, hour] = [60_000, hourMs]
const plan: ExportPlan = {
  window: 10 * minute,
  lateness: 5 * minute,
  rechecks: [10 * minute, hour, 3 * hour],
  // With this margin, a zone starts an hour back. After the loss of the ledger, the exporter searches all segments since then.
  margin: 6 * hour,
  retention: 7 * hour,
}
/** When the exporter runs, in ms after its first run. At the last run all late rows are visible; three runs allow revision 2. */
const schedules = [
  [0, 5 * hour],
  [0, 5 * hour],
  [0, 45 * minute, 5 * hour],
]
/** Maximum duration of a worker, even on a busy machine. A worker that runs longer hangs. */
const maxWorkerMs = 180_000
const workers = new Set<ChildProcess>()
process.on('exit', () => {
  for (const worker of workers) worker.kill('SIGKILL')
})
const bundled = bundleOnce(join(import.meta.dirname, 'worker.ts'))

/** Executes one run. The same seed makes the same decisions. */
export async function crash(seed: number, sink: SinkUnderTest): Promise<CrashRun> {
  const random = createRandom(seed)
  const folder = await mkdtemp(join(memoryPlace, 'exporter-crash-'))
  const emulator = await createEmulator({
    seed,
    traffic: {
      zones: 1,
      rowsPerSecond: 0.05,
      lateShare: 0.3,
      maxLatenessMs: 2.5 * hour,
      tieShare: 0.2,
      hostileShare: 0.2,
    },
    variants: {
      requestIds: random.pick(['unique', 'some null', 'some shared']),
      nullFields: random.pick(['omitted', 'null']),
      timestampStyle: random.pick(['Z', '+00:00']),
    },
  })
  const { clock, faults, state, fixtures } = emulator
  const zone = '10001'
  for (const each of state.zones.values()) each.addresses = 'whole'
  faults.add(unlimited)
  const { config, env = {} } = await sink.open(folder)
  const listening = await emulator.listen()
  const begin = clock.now().getTime() - hour
  const assign = (): Assignment => ({
    loggingUrl: listening.loggingUrl.href,
    accessKey: fixtures.credentials.accessKey,
    zones: [zone],
    plan,
    now: clock.now().getTime(),
    ledger: join(folder, 'state'),
    sink: config,
    privacy: minimalConfig.privacy,
  })
  const kills: string[] = []
  const published = new Map<string, string>()
  let ledgersLost = 0
  try {
    for (const phase of random.pick(schedules)) {
      const since = clock.now().getTime() - (begin + hour)
      clock.advance(phase - since)
      const clear = createFaults(random).map((fault) => faults.add(fault))
      if (random.chance(0.15)) clear.push(faults.add({ name: 'internal-error', operation: 'query-logs', times: 40 }))
      const assignment = assign()
      for (let tries = phase === 0 ? 1 + random.below(3) : random.below(3); tries > 0; tries--) {
        const killed = await work(assignment, env, chooseKill(random, sink.hasFiles ?? false))
        if (!killed) break
        kills.push(killed)
        // Segments that exist after a kill are permanent. No later start of the exporter may change them.
        check(await sink.readBack(folder, zone), published)
        if (random.chance(0.15)) {
          await rm(join(folder, 'state'), { recursive: true, force: true })
          ledgersLost++
        }
      }
      await work(assignment, env, undefined)
      for (const off of clear) off()
    }
    // Failed rechecks were postponed, so wait until they are due.
    clock.advance(15 * minute)
    await work(assign(), env, undefined)
    const to = Math.floor((clock.now().getTime() - 3 * hour) / plan.window) * plan.window - plan.window
    const exported = await sink.readBack(folder, zone)
    check(exported, published)
    await checkOrder(join(folder, 'state'), exported)
    // Comparison begins one window later: the start of the first one was beyond the retention when the worker read its clock.
    const from = begin + plan.window
    const stored = state.logs.rows(zone, from, to)
    const within = exported.filter((segment) => segment.from >= from && segment.from < to)
    return {
      seed,
      kills,
      ledgersLost,
      violations: violations(exported, { stored, from, to, replacesNul: sink.replacesNul ?? false }),
      rows: within.reduce((sum, { lines }) => sum + lines.length, 0),
      revisions: within.filter(({ revision }) => revision > 0).length,
    }
  } finally {
    await emulator.close()
    await sink.close?.(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Checks that published segments never change. */
function check(exported: readonly Exported[], published: Map<string, string>): void {
  const segments = new Map(
    exported.map(({ from, to, revision, lines }) => [`${from}-${to}.r${revision}`, lines.join('\n')]),
  )
  for (const [key, lines] of published)
    if (segments.get(key) !== lines) throw new Error(`The segment ${key} was changed after it was published`)
  for (const [key, lines] of segments) published.set(key, lines)
}

type Kill = NonNullable<Assignment['kill']> | { readonly afterMs: number }

/** Checks that standard output with this ledger would get each segment of the sink once. */
async function checkOrder(folder: string, exported: readonly Exported[]): Promise<void> {
  const ledger = openLedger(folder)
  try {
    await ledger.setStdout(true)
    const sent: string[] = []
    for (let next = await ledger.nextSegment(); next; next = await ledger.nextSegment()) {
      sent.push(`${next.from}-${next.to}.r${next.revision}`)
      await ledger.moveCursor(next, 'whole')
    }
    const names = exported.map(({ from, to, revision }) => `${from}-${to}.r${revision}`)
    if (sent.sort().join() !== names.sort().join())
      throw new Error(`Standard output gets ${sent}, but the sink has ${names}`)
  } finally {
    await ledger.close()
  }
}

function chooseKill(random: Random, hasFiles: boolean): Kill {
  if (random.chance(0.3)) return { afterMs: 40 + random.below(360) }
  const points: readonly KillPoint[] = hasFiles ? killPoints : commonPoints
  return { point: random.pick(points), nth: 1 + random.below(5) }
}

function createFaults(random: Random): FaultChoice[] {
  const share = random.pick([0, 0.05, 0.2]) / kinds.length
  return kinds.map((name) => ({ name, share }))
}

const kinds = [
  'cut-body',
  'bad-gateway',
  'reset-before',
  'reset-after',
  'empty-body',
  'no-json',
  'null-data',
  'internal-error',
  'rate-limited',
] as const

/**
 * Runs a worker until it is done or killed.
 *
 * @returns the point at which it was killed; undefined if it finished
 * @throws if it ended in any other way
 */
async function work(
  assignment: Assignment,
  env: Readonly<Record<string, string>>,
  kill: Kill | undefined,
): Promise<string | undefined> {
  const parameters: Assignment = kill && 'point' in kill ? { ...assignment, kill } : assignment
  const bundle = await bundled()
  const worker = spawn(process.execPath, [bundle.path, JSON.stringify(parameters)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...bundle.env, ...env },
  })
  workers.add(worker)
  let said = ''
  worker.stderr.on('data', (text) => {
    said += text
  })
  const timer = setTimeout(() => worker.kill('SIGKILL'), kill && 'afterMs' in kill ? kill.afterMs : maxWorkerMs)
  const [code, signal] = await once(worker, 'close')
  clearTimeout(timer)
  workers.delete(worker)
  if (code === 0) return undefined
  if (signal === 'SIGKILL' && kill) return 'point' in kill ? `${kill.point} ${kill.nth}` : 'at random'
  throw new Error(`An exporter ended with ${code ?? signal}: ${said}`)
}

type Random = ReturnType<typeof createRandom>

function createRandom(seed: number) {
  const fraction = mulberry32(seed)
  const below = (end: number) => Math.floor(fraction() * end)
  return {
    below,
    chance: (share: number) => fraction() < share,
    pick: <T>(of: readonly T[]) => assertDefined(of[below(of.length)]),
  }
}
