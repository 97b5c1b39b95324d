/**
 * Runs an exporter on a disk that goes down, restarts it, and lets it recover. SIGKILL alone cannot reveal a missing fsync.
 */

import { DatabaseSync } from 'node:sqlite'
import { assertDefined } from '@cdn/kit/assert-defined'
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts'
import { createMemoryDisk, type Fate, type MemoryDisk } from './memory-disk.ts'
import { createMemorySink } from './memory-sink.ts'
import { createSimulation, hour, minute } from './simulation.ts'

/** When the disk goes down, and which data survives. */
export interface Cut {
  /** The disk goes down before this step, counted from the last start. */
  readonly beforeStep: number
  readonly fate: Fate
}

/** Exports two hours with late rows. The disk goes down at each cut in turn, and then stays up. `isCut`: whether every cut happened. */
export async function runWithCuts(seed: number, cuts: readonly Cut[]) {
  const simulation = await createSimulation({
    seed,
    traffic: { zones: 1, rowsPerSecond: 0.03, lateShare: 0.3, maxLatenessMs: 20 * minute },
    plan: { window: 10 * minute, rechecks: [10 * minute, 30 * minute], margin: 71 * hour },
  })
  const { time, plan, zone } = simulation
  const oldest = time.now() - hour
  const until = time.now() + hour
  const database = new DatabaseSync(':memory:')
  const inner = createLedger(database)
  let disk = createMemoryDisk(cuts[0]?.beforeStep)
  let isCut = true
  for (const [index, { fate }] of [...cuts, { fate: 'kept' as const }].entries()) {
    const sink = createMemorySink(disk)
    const end = simulation.start({ sink, ledger: onDisk(inner, disk) })
    const now = disk
    await time.run(until + 2 * hour, () => now.isDown)
    await end()
    if (index < cuts.length) {
      isCut &&= now.isDown
      disk = now.restart(fate, cuts[index + 1]?.beforeStep)
    }
  }
  const to = Math.floor(until / plan.window) * plan.window
  // A power failure before the start of the zone is recorded moves the start to the next window, the oldest that can be read then.
  const exported = createMemorySink(disk).exported(zone)
  const begin = cuts.some(({ beforeStep }) => beforeStep === 0) ? Math.min(...exported.map(({ from }) => from)) : oldest
  if (begin > oldest + cuts.length * plan.window) throw new Error('The zone begins later than at the next window')
  const violations = await simulation.violations(zone, begin, to, { exported })
  database.close()
  return { violations, steps: disk.steps, isCut }
}

/** Counts each commit of the ledger as one step, because commits are atomic. */
function onDisk(ledger: Ledger, disk: MemoryDisk): Ledger {
  const commit =
    <Args extends unknown[]>(change: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      disk.step('ledger')
      await change(...args)
    }
  return { ...ledger, begin: commit(ledger.begin), record: commit(ledger.record), recordGap: commit(ledger.recordGap) }
}

/** The cuts of a campaign, by the data that survives. @param pairs number of power failures after a kill */
export function cutsOf(steps: readonly string[], pairs: number): Readonly<Record<string, readonly Cut[][]>> {
  const each = (fate: (step: number) => Fate) => steps.map((_, beforeStep) => [{ beforeStep, fate: fate(beforeStep) }])
  const afterKill = (killedAt: number, cut: Cut): Cut[] => [{ beforeStep: killedAt, fate: 'kept' }, cut]
  return {
    'unsynced data is lost': each(() => 'dropped'),
    'unsynced data is kept': each(() => 'kept'),
    'unsynced data is partly lost': each(fateOf),
    'unsynced data is lost after a kill': Array.from({ length: pairs }, (_, pair) =>
      afterKill((pair * 67) % steps.length, {
        beforeStep: (pair * 29) % 60,
        fate: pair % 2 === 0 ? 'dropped' : fateOf(pair),
      }),
    ),
    'the directories of a killed process are lost': steps.flatMap((step, n) =>
      step === 'makeDirectory' ? [afterKill(n + 1, { beforeStep: 30, fate: 'dropped' })] : [],
    ),
  }
}

/** Uses a seed to decide which unsynced data survives. */
function fateOf(seed: number): (what: string) => boolean {
  return (what) => {
    let hash = seed
    for (const character of what) hash = Math.imul(hash ^ assertDefined(character.codePointAt(0)), 16_777_619) >>> 0
    return ((hash >>> 7) & 1) === 0
  }
}
