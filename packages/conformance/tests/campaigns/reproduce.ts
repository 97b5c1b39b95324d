/**
 * Chooses failures of mutants at random, in turn one of the logs, of the input and of the state, and reproduces each of them several
 * times: by the stored case and its seed, and by the commands of its evidence. Exit 1 if a failure was not seen each time.
 *
 *     node packages/conformance/tests/campaigns/reproduce.ts [--failures N] [--times N] [--seed N]    10 failures, 10 times, seed 1
 */
import { parseArgs } from 'node:util'
import { applicableMutants } from '../mutants/all.ts'
import { failureOf, isForged, type Kind, kindOf, reproduce } from '../mutants/reproduce.ts'

const { values } = parseArgs({
  options: {
    failures: { type: 'string', default: '10' },
    times: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
})
const times = Number(values.times)
let state = Number(values.seed)
const draw = (below: number) => {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}
const kinds: readonly Kind[] = ['logs', 'input', 'state']
const left = [...applicableMutants]
let missed = 0
for (let found = 0; found < Number(values.failures) && left.length > 0; ) {
  const [mutant] = left.splice(draw(left.length), 1)
  const failure =
    mutant &&
    (await failureOf(mutant, (failed) => {
      const ofKind = failed.filter((check) => kindOf(check) === kinds[found % kinds.length])
      return ofKind[draw(Math.max(1, ofKind.length))]
    }))
  if (!failure) continue
  found++
  const { check, seed, replays, commands } = await reproduce(failure, times)
  const forged = isForged(failure.check)
  if (replays < times || (commands < times && !forged)) missed++
  console.log(
    `${mutant.id}  ${check}  seed ${seed}: stored case ${replays} of ${times}, ${forged ? 'a forged credential is in no command' : `commands ${commands} of ${times}`}`,
  )
  console.log(`  ${failure.check.message}\n  ${JSON.stringify(failure.check.evidence?.calls ?? [])}`)
}
process.exitCode = missed > 0 ? 1 : 0
