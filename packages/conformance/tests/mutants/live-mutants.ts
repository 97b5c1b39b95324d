import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultStart } from '@cdn/emulator'
import { dayMs, hourMs } from '@cdn/kit/time'
import { type Check, createPlan, SetupError } from '../../src/index.ts'
import { openNotes } from '../../src/memory/memory.ts'
import { planOf } from '../../src/run/plan.ts'
import { withholdOnLive } from '../../src/run/withhold.ts'
import { type LiveRunOptions, runLive, type World } from '../support/live-run.ts'
import type { ServerUnderTest } from './mutant.ts'

/** The result of a live run against a mutant. */
export interface LiveResult {
  readonly id: string
  /**
   * `late`: killed if the mistake begins after the preflight. (If it begins earlier, the preflight ends the run with exit 2 or
   * consumes the first request.) `virtual clock`: only checks that move a clock cover the mistake.
   */
  readonly result: 'killed' | 'late' | 'survives' | 'virtual clock'
  /** The checks that fail; of a survivor, those that are skipped, with the reasons. */
  readonly by: readonly string[]
}

const { checks } = createPlan()
const allow = ['write', 'destructive', 'burst'] as const
const { checks: liveChecks } = planOf({ target: 'live' })

/**
 * Runs the checks of the broken requirements against the mutant, as a live run with the preflight. Not every night runs the
 * checks with a wrong key, so the run is repeated on the nights that run the relevant ones.
 *
 * @param passing ids of the checks that pass in a live run on the conformant server; other checks cannot kill
 */
export async function runLiveMutant(mutant: ServerUnderTest, passing: ReadonlySet<string>): Promise<LiveResult> {
  const { id, breaks } = mutant
  const concerned = checks.filter(({ requirements }) => requirements.some((broken) => breaks.includes(broken)))
  const able = concerned.filter((check) => passing.has(check.id))
  if (able.length === 0) return { id, result: 'virtual clock', by: [] }
  const world: World = { name: id, traffic: 'planted', break: mutant.apply }
  const atOnce = await findKillers(world, breaks, able)
  if (atOnce.killers.length > 0) return { id, result: 'killed', by: atOnce.killers }
  const late = await findKillers({ ...world, breaksLate: true }, breaks, able)
  if (late.killers.length > 0) return { id, result: 'late', by: late.killers }
  const isVirtual = concerned.some((check) => !passing.has(check.id) && check.needs.includes('virtual-clock'))
  return { id, result: isVirtual ? 'virtual clock' : 'survives', by: late.skipped }
}

interface Killers {
  readonly killers: readonly string[]
  readonly skipped: readonly string[]
}

/** Returns the ids of the checks that fail. The list is empty if the preflight ends the run. */
async function findKillers(world: World, breaks: readonly string[], able: readonly Check[]): Promise<Killers> {
  const select = ({ id }: Check) => able.some((check) => check.id === id)
  try {
    let last: Killers = { killers: [], skipped: [] }
    for (const start of [defaultStart, ...nightsOfWrongKeys(able)]) {
      last = await runOn(world, { start, select })
      if (last.killers.length > 0) return last
    }
    return breaks.includes('logging.retention.3-days')
      ? await onSecondNight({ ...world, traffic: { rowsPerSecond: 0.2 } }, select)
      : last
  } catch (error) {
    if (error instanceof SetupError) return { killers: [], skipped: [] }
    throw error
  }
}

/** Returns the ids of the checks that pass in a live run on a conformant server, or that are deferred to other nights. */
export async function passingOnLive(): Promise<ReadonlySet<string>> {
  const { report } = await runLive({ name: 'right', traffic: 'planted' })
  const passed = report.checks.filter(({ outcome }) => outcome === 'pass')
  // A second run reads the notes of the first one.
  const later = checks.filter(({ id, wrongKey }) => wrongKey || /retention.*noted/.test(id))
  return new Set([...passed, ...later].map(({ id }) => id))
}

async function runOn(world: World, options: LiveRunOptions): Promise<Killers> {
  const { report } = await runLive(world, { allow, ...options })
  const own = report.checks.filter(({ id }) => !id.startsWith('exchange.'))
  return {
    killers: own.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id),
    skipped: own.filter(({ outcome }) => outcome === 'skip').map(({ id, message }) => `${id}: ${message}`),
  }
}

/** Runs the checks twice, 40 hours apart. The second run reads the notes of the first. */
async function onSecondNight(world: World, isChosen: (check: Check) => boolean): Promise<Killers> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-'))
  const file = join(folder, 'notes.json')
  const select = (check: Check) => isChosen(check) && check.id.includes('retention')
  try {
    const first = openNotes(file)
    await runOn(world, { notes: first, select })
    await first.save()
    return await runOn(world, { notes: openNotes(file), start: new Date(defaultStart.getTime() + 40 * hourMs), select })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns, for each check with a wrong key, the next night that runs the check. */
function nightsOfWrongKeys(able: readonly Check[]): Date[] {
  const nights = Array.from({ length: 40 }, (_, day) => new Date(defaultStart.getTime() + day * dayMs))
  return able
    .filter(({ wrongKey }) => wrongKey)
    .flatMap(({ id }) => nights.find((night) => !withholdOnLive(liveChecks, allow, night).has(id)) ?? [])
}
