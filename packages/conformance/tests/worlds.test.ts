/** A small version of scripts/worlds.ts: live runs on platforms without a fault, over real sockets, in simulated time. */
import { expect, test } from 'vitest'
import { lacking } from './support/lacking.ts'
import { runLive } from './support/live-run.ts'
import { worlds } from './support/worlds.ts'

const names = ['no traffic', 'another caller, 1 request/s', 'proxy, path prefixes, one origin']

test.each(worlds.filter(({ name }) => names.includes(name)))(
  '$name: no check fails, and the state is restored',
  { timeout: 300_000 },
  async (world) => {
    const { report, isRestored, durationMs } = await runLive(world)
    expect(report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([])
    expect(isRestored).toBe(true)
    expect(report.checks.filter(({ outcome, message }) => outcome === 'skip' && !message)).toEqual([])
    const ofSpec = report.requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
    const open = ofSpec.filter(
      ({ id, outcome, reason = '' }) => outcome !== 'pass' && !lacking.some((name) => `${id} ${reason}`.includes(name)),
    )
    // Without traffic, the logs contain hardly anything to check.
    expect(open.length, JSON.stringify(open)).toBeLessThan(world.traffic ? 3 : 12)
    expect(open.filter(({ reason }) => !reason)).toEqual([])
    expect(durationMs).toBeLessThan(600_000)
  },
)
