/**
 * `node --import ./redirect.ts suite-child.ts NAME [MUTANT] --seed N [--record]` runs this suite live against a server, in simulated
 * time, and prints one line of JSON. `--record` also stores its requests for the replay.
 */
import { parseArgs } from 'node:util'
import { runLive } from '../../../packages/conformance/tests/support/live-run.ts'
import { recordRequests } from './recording.ts'
import { furnish, maxRequests, switchMutant } from './server.ts'
import type { Result } from './tool.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, record: { type: 'boolean' } },
})
const [name = 'right', mutant] = positionals
let writeRecording: (() => void) | undefined
switchMutant(mutant)
const begun = performance.now()
let result: Omit<Result, 'seconds'>
try {
  const { report, requests } = await runLive(
    {
      name,
      traffic: 'planted',
      break: (emulator) => {
        furnish(emulator, name)
        if (values.record) writeRecording = recordRequests(emulator, maxRequests)
      },
    },
    { caseSeed: Number(values.seed) },
  )
  const failed = report.checks.filter(({ outcome }) => outcome === 'fail')
  result = {
    problems: failed.map(({ id }) => id),
    // Without the supplement, the suite runs only the checks that rely on the spec alone.
    fromSpec: failed.filter(({ basis }) => basis === 'spec').map(({ id }) => id),
    requests,
  }
} catch (error) {
  // The preflight refuses to start a run, with a message and exit code 2.
  const problem = `preflight: ${String(error).slice(0, 200)}`
  result = { problems: [problem], fromSpec: [problem], requests: 0 }
}
writeRecording?.()
console.log(JSON.stringify({ ...result, seconds: (performance.now() - begun) / 1000 } satisfies Result))
process.exit()
