import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultStart } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
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
   * consumes the first request.) `named`: no check fails, but a check that passes on a conformant server is skipped and gives
   * the reason: a single wrong response hit its preparation. `virtual clock`: only checks that move a clock cover the mistake.
   */
  readonly result: 'killed' | 'late' | 'named' | 'survives' | 'virtual clock'
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
  const able = checks.filter(
    ({ id, requirements }) => passing.has(id) && requirements.some((broken) => mutant.breaks.includes(broken)),
  )
  const resultOf = (of: LiveResult['result'], by: readonly string[] = []) => ({
    id: mutant.id,
    result: of,
    by,
  })
  if (able.length === 0) return resultOf('virtual clock')
  const world: World = { name: mutant.id, traffic: 'planted', break: mutant.apply }
  const atOnce = await killersOf(world, mutant, able)
  if (atOnce.length > 0) return resultOf('killed', atOnce)
  const late = await killersOf({ ...world, breaksLate: true }, mutant, able)
  if (late.length > 0) return resultOf('late', late)
  const skipped = await skippedBy({ ...world, breaksLate: true }, able)
  if (skipped.length > 0) return resultOf('named', skipped)
  const onlyVirtual = checks.some(
    ({ id, requirements, needs }) =>
      !passing.has(id) &&
      needs.includes('virtual-clock') &&
      requirements.some((broken) => mutant.breaks.includes(broken)),
  )
  return resultOf(onlyVirtual ? 'virtual clock' : 'survives')
}

/** Returns the ids of the checks that fail. The list is empty if the preflight ends the run. */
async function killersOf(
  world: World,
  { breaks }: ServerUnderTest,
  able: readonly Check[],
): Promise<readonly string[]> {
  const select = ({ id }: Check) => able.some((check) => check.id === id)
  try {
    for (const start of [defaultStart, ...nightsOfWrongKeys(able)]) {
      const failures = await failuresOf(world, { start, select })
      if (failures.length > 0) return failures
    }
    if (!breaks.includes('logging.retention.3-days')) return []
    return await failuresOfSecondNight({ ...world, traffic: { rowsPerSecond: 0.2 } }, able)
  } catch (error) {
    if (error instanceof SetupError) return []
    throw error
  }
}

/** Returns the ids of the checks that pass in a live run on a conformant server, or that are deferred to other nights. */
export async function passingOnLive(): Promise<ReadonlySet<string>> {
  const { report } = await runLive({ name: 'right', traffic: 'planted' })
  const passed = report.checks.filter(({ outcome }) => outcome === 'pass')
  const later = checks.filter(({ id, wrongKey }) => wrongKey || isOfSecondNight(id))
  return new Set([...passed, ...later].map(({ id }) => id))
}

/** Whether a check passes only in a second run, which reads the notes of the first one. */
const isOfSecondNight = (id: string) => /retention.*noted/.test(id)

/** Returns the skipped checks with the reasons. All checks in `able` pass on the conformant server. */
async function skippedBy(world: World, able: readonly Check[]): Promise<string[]> {
  const { report } = await runLive(world, { allow, select: ({ id }) => able.some((check) => check.id === id) })
  const skipped = report.checks.filter(
    ({ id, outcome, deferred }) => outcome === 'skip' && !deferred && !isOfSecondNight(id),
  )
  return skipped.map(({ id, message }) => `${id}: ${message}`)
}

/** Returns the ids of the checks that fail. */
export async function failuresOf(world: World, options: LiveRunOptions): Promise<string[]> {
  const { report } = await runLive(world, { allow, ...options })
  return report.checks
    .filter(({ outcome, id }) => outcome === 'fail' && !id.startsWith('exchange.'))
    .map(({ id }) => id)
}

/** Runs the checks twice, 40 hours apart. The second run reads the notes of the first. Returns the failures of the second run. */
export async function failuresOfSecondNight(world: World, able: readonly Check[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-'))
  const file = join(folder, 'notes.json')
  const select = ({ id }: Check) => able.some((check) => check.id === id) && id.includes('retention')
  try {
    const first = openNotes(file)
    await failuresOf(world, { notes: first, select })
    await first.save()
    const start = new Date(defaultStart.getTime() + 40 * hourMs)
    return await failuresOf(world, { notes: openNotes(file), start, select })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns, for each check with a wrong key, the next night that runs the check. */
export function nightsOfWrongKeys(able: readonly Check[]): Date[] {
  const nights = Array.from({ length: 40 }, (_, day) => new Date(defaultStart.getTime() + day * 24 * hourMs))
  return able
    .filter(({ wrongKey }) => wrongKey)
    .flatMap(({ id }) => nights.find((night) => !withholdOnLive(liveChecks, allow, night).has(id)) ?? [])
}
