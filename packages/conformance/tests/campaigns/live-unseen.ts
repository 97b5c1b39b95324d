/**
 * Starts a live run of the whole suite, with every permission, against each unseen mutant: with real sockets, simulated time, and
 * the preflight. Checks that are deferred run on their nights, and the check of noted entries runs on a second night. Prints one
 * line per mutant: its result, its id, and the checks that fail, or the checks that the mistake left undecided. Exit 2 if no
 * mutant is selected.
 *
 *     node packages/conformance/tests/campaigns/live-unseen.ts [--list unseen|reviewed] [--only TEXT]
 */
import { parseArgs } from 'node:util'
import { createPlan, SetupError } from '../../src/index.ts'
import { failuresOf, failuresOfSecondNight, nightsOfWrongKeys } from '../mutants/live-mutants.ts'
import type { ServerMutant } from '../mutants/mutant.ts'
import { unseenMutants } from '../mutants/unseen/list.ts'
import { reviewedMutants } from '../mutants/unseen/reviewed.ts'
import { runLive, type World } from '../support/live-run.ts'

type Result = 'killed' | 'undecided' | 'survived'

const allow = ['write', 'destructive', 'burst'] as const
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, list: { type: 'string', default: 'unseen' } },
})
const mutants = values.list === 'reviewed' ? reviewedMutants : unseenMutants
const selected = mutants.filter(({ id }) => id.includes(values.only))
if (selected.length === 0) {
  console.error(`No mutant of this list has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
const { report: right } = await runLive({ name: 'right', traffic: 'planted' }, { allow })
const passing = new Set(right.checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id))
const deferredIds = new Set(right.checks.filter(({ deferred }) => deferred).map(({ id }) => id))
const { checks } = createPlan()
const deferred = checks.filter(({ id }) => deferredIds.has(id))

const counts: Record<Result, number> = { killed: 0, undecided: 0, survived: 0 }
for (const mutant of selected) {
  const { result, by } = await judge(mutant)
  counts[result]++
  console.log(`${result.padEnd(9)}  ${mutant.id}  ${by.join(', ') || mutant.text}`)
}
console.log(
  `${selected.length} mutants: ${Object.entries(counts)
    .map(([result, count]) => `${count} ${result}`)
    .join(', ')}`,
)

async function judge(mutant: ServerMutant): Promise<{ result: Result; by: readonly string[] }> {
  const world: World = { name: mutant.id, traffic: 'planted', break: mutant.apply }
  try {
    return await judgeIn(world)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    // The preflight ended the run. The checks show what they see if the mistake begins after it.
    const late = await judgeIn({ ...world, breaksLate: true })
    return { ...late, by: [...late.by, `(preflight: ${firstLine(error.message)})`] }
  }
}

async function judgeIn(world: World): Promise<{ result: Result; by: readonly string[] }> {
  const { report } = await runLive(world, { allow })
  const failed = report.checks.filter(({ id, outcome }) => outcome === 'fail' && !isFailing(id)).map(({ id }) => id)
  if (failed.length > 0) return { result: 'killed', by: failed }
  const select = ({ id }: { readonly id: string }) => deferredIds.has(id)
  for (const start of nightsOfWrongKeys(deferred)) {
    const later = await failuresOf(world, { start, select })
    if (later.length > 0) return { result: 'killed', by: later }
  }
  const second = await failuresOfSecondNight({ ...world, traffic: { rowsPerSecond: 0.2 } }, checks)
  if (second.length > 0) return { result: 'killed', by: second }
  const undecided = report.checks.filter(({ id, outcome }) => passing.has(id) && outcome !== 'pass')
  const by = undecided.map(({ id, outcome, message }) => `${id} (${outcome}: ${firstLine(message)})`)
  return { result: by.length > 0 ? 'undecided' : 'survived', by }
}

/** Whether a check fails on the right server. */
function isFailing(id: string): boolean {
  return right.checks.some((check) => check.id === id && check.outcome === 'fail')
}

function firstLine(text: string | undefined): string {
  return text?.split('\n', 1)[0]?.slice(0, 120) ?? ''
}
