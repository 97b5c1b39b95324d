/**
 * Runs the whole suite with every permission as a live run on platforms without a fault: each world of
 * `tests/support/worlds.ts` with five seeds, in simulated time over real sockets. Prints a table. Exits with code 1 if a
 * check failed.
 *
 *     node packages/conformance/scripts/worlds.ts [--seeds N] [--world NAME]
 */

import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { runLive } from '../tests/support/live-run.ts'
import { worlds } from '../tests/support/worlds.ts'

interface Figures {
  readonly failedSpec: readonly string[]
  readonly failedSupplement: readonly string[]
  readonly errors: readonly string[]
  readonly undecided: number
  readonly decided: number
  readonly requests: number
  readonly durationMs: number
  readonly isRestored: boolean
  readonly peakMb: number
}

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5' }, world: { type: 'string' }, one: { type: 'string' } },
})

if (!/^[1-9]\d*$/.test(values.seeds) || !worlds.some(({ name }) => name.includes(values.world ?? ''))) {
  console.error('Expected --seeds with an integer from 1, and --world with a part of the name of a world.')
  process.exit(2)
}
if (values.one !== undefined) process.stdout.write(JSON.stringify(await runOne(values.one, Number(values.seeds))))
else process.exitCode = (await runAll(Number(values.seeds), values.world)) ? 0 : 1

/** Runs the suite once in this process, so that the peak memory is that of the suite and the emulator together. */
async function runOne(name: string, seed: number): Promise<Figures> {
  const world = worlds.find((candidate) => candidate.name === name)
  if (!world) throw new Error(`unknown world ${name}`)
  const { report, requests, durationMs, isRestored } = await runLive(world, { seed })
  const ofOutcome = (outcome: string, source?: string) =>
    report.checks
      .filter((check) => check.outcome === outcome && (source === undefined || check.source === source))
      .map(({ id, message }) => `${id}: ${message}`)
  const ofSpec = report.requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  const decided = ofSpec.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail').length
  return {
    failedSpec: ofOutcome('fail', 'spec'),
    failedSupplement: ofOutcome('fail', 'supplement'),
    errors: ofOutcome('error'),
    undecided: ofSpec.length - decided,
    decided,
    requests,
    durationMs,
    isRestored,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
  }
}

async function runAll(seeds: number, only: string | undefined): Promise<boolean> {
  let isFine = true
  const run = promisify(execFile)
  console.log(
    '| world | failed (spec / supplement) | errors | decided of the spec | requests | duration | peak memory |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const { name } of worlds.filter((world) => only === undefined || world.name.includes(only))) {
    const all: Figures[] = []
    for (let seed = 1; seed <= seeds; seed++) {
      const args = [import.meta.filename, '--one', name, '--seeds', String(seed)]
      const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })
      all.push(JSON.parse(stdout))
    }
    const sum = (of: (figures: Figures) => number) => all.map(of).reduce((a, b) => a + b, 0)
    const span = (of: (figures: Figures) => number, unit = '') => {
      const [min, max] = [Math.min(...all.map(of)), Math.max(...all.map(of))]
      return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`
    }
    const failed = `${sum(({ failedSpec }) => failedSpec.length)} / ${sum(({ failedSupplement }) => failedSupplement.length)}`
    const { decided: some, undecided } = defined(all[0])
    const decided = `${span((figures) => figures.decided)} of ${some + undecided}`
    const seconds = span(({ durationMs }) => Math.round(durationMs / 1_000), ' s')
    const peak = `${Math.max(...all.map(({ peakMb }) => peakMb))} MB`
    const errors = sum((figures) => figures.errors.length)
    console.log(`| ${name} | ${failed} | ${errors} | ${decided} | ${span((f) => f.requests)} | ${seconds} | ${peak} |`)
    for (const { failedSpec, failedSupplement, errors: wrong, isRestored } of all) {
      for (const line of [...failedSpec, ...failedSupplement, ...wrong]) console.error(`  ${line.slice(0, 300)}`)
      if (!isRestored) console.error('  the platform is not in its initial state')
      if (failedSpec.length + failedSupplement.length + wrong.length > 0 || !isRestored) isFine = false
    }
  }
  return isFine
}
