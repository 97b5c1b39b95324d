/**
 * Starts a live run, with every permission, against each unseen mutant of the state: with real sockets, simulated time, and the
 * preflight. Only the checks of the broken requirement, of effects and of ids run. Checks that are deferred run on their nights. Prints
 * one line per mutant: its result, its id, and the checks that fail. Exit 2 if no mutant is selected.
 *
 *     node packages/conformance/tests/campaigns/live-unseen-state.ts [--only TEXT]
 */
import { parseArgs } from 'node:util'
import { type Check, createPlan, SetupError } from '../../src/index.ts'
import { failuresOf, nightsOfWrongKeys } from '../mutants/live-mutants.ts'
import { unseenState } from '../mutants/unseen/state.ts'
import { runLive, type World } from '../support/live-run.ts'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const selected = unseenState.filter(({ id }) => id.includes(values.only))
if (selected.length === 0) {
  console.error(`No unseen mutant has ${JSON.stringify(values.only)} in its id.`)
  process.exit(2)
}
const all = unseenState.flatMap(({ breaks }) => breaks)
const selectFor =
  (breaks: readonly string[]) =>
  ({ id, requirements }: Check) =>
    /^management\..*(\.effect|one-per-call|-id|\.id)/.test(id) ||
    requirements.some((requirement) => breaks.includes(requirement))
const { report: right } = await runLive({ name: 'right', traffic: 'planted' }, { select: selectFor(all) })
const failing = new Set(right.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id))
const deferredIds = new Set(right.checks.filter(({ deferred }) => deferred).map(({ id }) => id))
const isDeferred = ({ id }: Check) => deferredIds.has(id)
const nights = nightsOfWrongKeys(createPlan().checks.filter(isDeferred))

let killed = 0
for (const mutant of selected) {
  const by = await killersOf({ name: mutant.id, traffic: 'planted', break: mutant.apply }, selectFor(mutant.breaks))
  if (by.length > 0) killed++
  console.log(`${by.length > 0 ? 'killed  ' : 'survived'}  ${mutant.id}  ${by.join(', ') || mutant.text}`)
}
console.log(`${selected.length} mutants: ${killed} killed`)

/** The checks that fail, on the first night on which one does. A mistake that ends the preflight begins after it. */
async function killersOf(world: World, select: (check: Check) => boolean): Promise<readonly string[]> {
  try {
    const failures = (await failuresOf(world, { select })).filter((id) => !failing.has(id))
    if (failures.length > 0) return failures
    for (const start of nights) {
      const later = await failuresOf(world, { start, select: isDeferred })
      if (later.length > 0) return later
    }
    return []
  } catch (error) {
    if (!(error instanceof SetupError) || world.breaksLate) throw error
    return killersOf({ ...world, breaksLate: true }, select)
  }
}
