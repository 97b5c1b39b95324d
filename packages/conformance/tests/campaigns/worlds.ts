/**
 * Runs the whole suite, with all permissions except `wrong-keys`, as a live run on platforms without a fault: each world of
 * `tests/support/worlds.ts` with some seeds of the traffic and of the cases, in simulated time over real sockets. Prints a table,
 * and the reason of each requirement of the spec that a run left undecided. Exits with code 1 if a run had another exit code than 0, or did
 * not restore the platform.
 *
 *     node packages/conformance/tests/campaigns/worlds.ts [--only NAME] [--seeds N]
 */

import { scriptOptions } from '@cdn/kit/testing/script-options'
import { runLive, type World } from '../support/live-run.ts'
import { worlds } from '../support/worlds.ts'

const values = scriptOptions({
  seeds: { type: 'string', default: '5' },
  only: { type: 'string', default: '' },
})
const selected = worlds.filter(({ name }) => name.includes(values.only))

if (!/^[1-9]\d*$/.test(values.seeds) || selected.length === 0) {
  console.error('Expected --seeds with an integer from 1, and --only with a part of the name of a world.')
  process.exit(2)
}
process.exitCode = (await runAll(Number(values.seeds))) ? 0 : 1

type Figures = Awaited<ReturnType<typeof runOne>>

async function runOne(world: World, seed: number) {
  const { report, requests, durationMs, isRestored } = await runLive(world, { seed, caseSeed: seed })
  const ofOutcome = (outcome: string, source?: string) =>
    report.checks
      .filter((check) => check.outcome === outcome && (source === undefined || check.source === source))
      .map(({ id, message }) => `${id}: ${message}`)
  const ofSpec = report.requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  return {
    exitCode: report.exitCode,
    failedSpec: ofOutcome('fail', 'spec'),
    failedSupplement: ofOutcome('fail', 'supplement'),
    errors: ofOutcome('error'),
    undecided: ofSpec
      .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'fail')
      .map(({ id, reason }) => `${id}: ${reason}`),
    requests,
    durationMs,
    isRestored,
  }
}

async function runAll(seeds: number): Promise<boolean> {
  let isFine = true
  console.log('| world | exit | failed (spec / supplement) | errors | undecided of the spec | requests | duration |')
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const world of selected) {
    const all: Figures[] = []
    for (let seed = 1; seed <= seeds; seed++) all.push(await runOne(world, seed))
    const sum = (of: (figures: Figures) => readonly string[]) => all.flatMap(of).length
    const span = (of: (figures: Figures) => number, unit = '') => {
      const [min, max] = [Math.min(...all.map(of)), Math.max(...all.map(of))]
      return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`
    }
    const cells = [
      world.name,
      span(({ exitCode }) => exitCode),
      `${sum(({ failedSpec }) => failedSpec)} / ${sum(({ failedSupplement }) => failedSupplement)}`,
      sum(({ errors }) => errors),
      span(({ undecided }) => undecided.length),
      span(({ requests }) => requests),
      span(({ durationMs }) => Math.round(durationMs / 1_000), ' s'),
    ]
    console.log(`| ${cells.join(' | ')} |`)
    for (const { exitCode, failedSpec, failedSupplement, errors, undecided, isRestored } of all) {
      for (const line of [...failedSpec, ...failedSupplement, ...errors]) console.error(`  ${line.slice(0, 300)}`)
      for (const line of undecided) console.error(`  undecided: ${line.slice(0, 300)}`)
      if (!isRestored) console.error('  the platform is not in its initial state')
      if (exitCode !== 0 || !isRestored) isFine = false
    }
  }
  return isFine
}
