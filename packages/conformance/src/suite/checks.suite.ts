/** The suite that vitest runs: one test a check, each in a session of its own. */
import { afterAll, inject, test } from 'vitest'
import { readFixtures } from '../fixtures.ts'
import { runCheck } from '../run-check.ts'
import type { Target } from '../targets/target.ts'
import { openJournal } from '../undo/journal.ts'
import { createBudget } from './budget.ts'
import { planOf } from './plan-of.ts'
import type { RunConfig } from './run-config.ts'
import { withholdOnLive } from './withhold.ts'

// A terminal sends its interrupt to the whole group; the parent process decides what it means.
process.on('SIGINT', () => {})

const config = inject('run')
const target = await openTarget(config)
const { checks } = planOf(config)
const withheld = target.kind === 'live' ? withholdOnLive(checks, config.allow) : new Map()
const journal = config.journal && config.managementUrl ? openJournal(config.journal, config.managementUrl) : undefined
const budget = createBudget(config.budget)

afterAll(() => target.close())

for (const check of checks) {
  // Sessions of a live target share its rate limit and its state.
  test(check.id, { concurrent: target.kind !== 'live' }, async ({ task, signal, skip }) => {
    const session = await target.open(check, signal)
    try {
      const run = await runCheck(check, session, { withheld: withheld.get(check.id), signal, journal, budget })
      task.meta.run = run
      const { outcome, message } = run.result
      if (outcome === 'fail' || outcome === 'error') throw new Error(message)
      if (outcome !== 'pass') skip(message)
    } finally {
      await session.close()
    }
  })
}

async function openTarget({ target: kind, managementUrl, loggingUrl, fixtures }: RunConfig): Promise<Target> {
  // Prism and the emulator are loaded by the runs that need them.
  if (kind === 'mock') return (await import('../targets/mock.ts')).createMockTarget()
  if (kind === 'emulator') return (await import('../targets/emulator.ts')).createEmulatorTarget()
  if (!managementUrl || !loggingUrl || !fixtures) throw new Error('a live run needs two URLs and a fixtures file')
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl) }
  const { createLiveTarget } = await import('../targets/live.ts')
  return createLiveTarget(urls, await readFixtures(fixtures, process.env))
}
