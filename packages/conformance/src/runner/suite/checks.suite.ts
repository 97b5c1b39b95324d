/** The suite that vitest runs: one test per check, each in its own session. */
import { afterAll, inject, test } from 'vitest'
import { readFixtures } from '../../core/fixtures.ts'
import type { CheckTarget } from '../../targets/target.ts'
import { openNotes } from '../notes.ts'
import { runOnTarget } from '../run-on-target.ts'
import { openJournal } from '../undo/journal.ts'
import { createRequestBudget } from './budget.ts'
import { runPlan } from './plan-of.ts'
import type { RunConfig } from './run-config.ts'
import { withholdOnLive } from './withhold.ts'

// A terminal sends SIGINT to the whole process group. This process ignores it, because the parent process handles it.
process.on('SIGINT', () => {})

const config = inject('run')
const notes = config.notes === undefined ? undefined : await openNotes(config.notes)
const target = await openTarget(config)
const { checks } = runPlan(config)
const withheld =
  target.kind === 'live'
    ? withholdOnLive(checks, config.allow, new Date(Date.now() + (config.clockOffsetMs ?? 0)))
    : new Map()
const journal = config.journal && config.managementUrl ? openJournal(config.journal, config.managementUrl) : undefined
const budget = createRequestBudget(config.budget)

afterAll(async () => {
  await target.close()
  await notes?.save()
})

for (const check of checks) {
  test.concurrent(check.id, async ({ task, signal, skip }) => {
    const run = await runOnTarget(check, target, { withheld: withheld.get(check.id), signal, journal, budget })
    task.meta.run = run
    const { outcome, message } = run.result
    if (outcome === 'fail' || outcome === 'error') throw new Error(message)
    if (outcome !== 'pass') skip(message)
  })
}

async function openTarget({
  target: kind,
  interfaces,
  managementUrl,
  loggingUrl,
  importedUrls = {},
  fixtures,
  clockOffsetMs = 0,
}: RunConfig): Promise<CheckTarget> {
  // Prism and the emulator are loaded only by runs that need them.
  if (kind === 'mock') return (await import('../../targets/mock.ts')).createMockTarget(interfaces)
  if (kind === 'emulator') return (await import('../../targets/emulator.ts')).createEmulatorTarget()
  if (!managementUrl || !loggingUrl || !fixtures) throw new Error('a live run needs two URLs and a fixtures file')
  const imported = Object.fromEntries(Object.entries(importedUrls).map(([name, url]) => [name, new URL(url)]))
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl), imported }
  const { createLiveTarget } = await import('../../targets/live.ts')
  return createLiveTarget(urls, await readFixtures(fixtures, process.env), { clockOffsetMs, ...(notes && { notes }) })
}
