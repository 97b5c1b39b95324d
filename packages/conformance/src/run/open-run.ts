/** Sets up the target of a run. The command line, a user's vitest project and the tests run their checks with it. */

import { assertDefined } from '@cdn/kit/assert-defined'
import type { Case } from '../exchange/case.ts'
import type { Check } from '../exchange/check.ts'
import type { Send } from '../exchange/exchange.ts'
import { SetupError, SuiteConfigurationError } from '../exchange/failure.ts'
import { minuteText } from '../exchange/format-text.ts'
import { newMark, originOf, runId } from '../exchange/own-names.ts'
import { createRedactor } from '../exchange/redact.ts'
import { requestedOperation } from '../exchange/requested-operation.ts'
import { type CheckPlan, type CheckRun, type RunConfig, seedOf } from '../exchange/run-types.ts'
import { memoryFile, type Notes, openNotes, readMemory } from '../memory/memory.ts'
import { readFixtures } from './fixtures.ts'
import { preflight } from './preflight.ts'
import { createRecorder } from './recorder.ts'
import { contextOf, runCheck, type WithheldReason, withheldRun } from './run-check.ts'
import type { Swept } from './sweep/own-writes.ts'
import { createSweeper, type Sweeper } from './sweep/sweep.ts'
import { createLiveTarget, realClock } from './targets/live.ts'
import type { CheckTarget, LiveClock } from './targets/target.ts'
import { withholdOnLive } from './withhold.ts'

/** The environment of a run: interruption, variables, network and clock. Tests pass their own. */
export interface RunEnvironment {
  /** Interrupts the preflight. The run then has no checks. */
  readonly signal: AbortSignal
  /** Called with each sentence for the user. */
  readonly onNotice?: ((sentence: string) => void) | undefined
  /** Environment variables that a fixtures file may name; `process.env` by default. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly fetch?: typeof fetch
  readonly clock?: LiveClock
  readonly notes?: Notes | undefined
  /** The `runId` of each earlier run of this machine that was killed. Their names do not count as those of a running run. */
  readonly killedRuns?: readonly string[] | undefined
}

export type OpenRun = Awaited<ReturnType<typeof openRun>>

/**
 * Opens a run. For a live run, sends a preflight first. Call `begin` before the first check.
 *
 * @throws SetupError with one sentence per problem of a live target; SuiteConfigurationError for an invalid file
 */
export async function openRun(config: RunConfig, plan: CheckPlan, environment: RunEnvironment) {
  const startedAt = new Date()
  const { target: kind, managementUrl, loggingUrl, seed = seedOf(startedAt), replay, out } = config
  const { onNotice = () => {}, signal: interruption } = environment
  const file = out === undefined ? undefined : memoryFile(out)
  const cases = file && !replay ? readMemory(file, onNotice).cases : []
  const stored = new Map<string, Case>([...cases, ...(replay ? [replay] : [])].map((one) => [one.check, one]))
  const open = await openTarget(config, plan, environment).catch((error) => {
    if (interruption.aborted) return undefined
    throw error
  })
  const { withheld, sweeper, requests = 0 } = open ?? {}
  const notes = environment.notes ?? (kind === 'live' && file ? openNotes(file, onNotice) : undefined)
  const budget = { left: (config.budget ?? Number.POSITIVE_INFINITY) - requests }
  /** Set while this run uses the fixtures. Fixtures that another run uses are not swept. */
  let inUse: Sweeper | undefined
  const runs: CheckRun[] = []
  const keep = (run: CheckRun) => {
    runs.push(run)
    return run
  }
  const facts = () => ({
    ...{ plan, runs: [...runs], seed },
    startedAt: startedAt.toISOString(),
    // The difference is negative if the clock of the machine was set back.
    durationMs: Math.max(0, Date.now() - startedAt.getTime()),
    target: { kind, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
  })
  return {
    preflightRequests: requests,
    /** The checks in the order in which they start: those that failed in an earlier run come first. */
    checks: open ? plan.checks.toSorted((one, other) => +stored.has(other.id) - +stored.has(one.id)) : [],
    /** Number of checks that may run at once. On a live target, `target.open` delays a check that conflicts with another one. */
    concurrency: kind === 'live' ? plan.checks.length : 8,
    /**
     * Marks the fixtures as in use, and sweeps what killed runs left. Does nothing if the run only reads.
     *
     * @param limitMs time after which the checks end, in ms
     * @throws SetupError if another run uses the fixtures
     */
    async begin(limitMs: number): Promise<void> {
      if (!sweeper) return
      await claimFixtures(sweeper, Date.now() + limitMs, environment)
      inUse = sweeper
      const { changes, leaks } = await sweeper.sweep()
      if (changes.length > 0) onNotice(`Swept what an earlier run left: ${changes.join('; ')}.`)
      for (const leak of leaks) onNotice(`The sweep ${leak}.`)
    },
    /**
     * Runs one check in its own session. Errors of the check become outcomes.
     *
     * @throws the signal's reason if the run ends while the check waits for a resource
     */
    async run(check: Check, signal: AbortSignal): Promise<CheckRun> {
      const reason = withheld?.get(check.id)
      if (reason) return keep(withheldRun(check, reason))
      const session = await assertDefined(open).target.open(check, signal)
      const ofCase = { seed, stored: stored.get(check.id)?.calls, replay: replay !== undefined }
      try {
        return keep(await runCheck(check, session, { ...ofCase, signal, sweeper, notes, budget }))
      } finally {
        await session.close?.()
      }
    },
    /** Adds a result for each check without a result. @returns the number of these checks */
    skipRest(withheld: WithheldReason): number {
      const rest = plan.checks.filter(({ id }) => !runs.some(({ result }) => result.id === id))
      for (const check of rest) keep(withheldRun(check, withheld))
      return rest.length
    },
    facts,
    /**
     * Closes the target, sweeps it, and saves the notes. Call this function however the run ended.
     *
     * @returns the facts for the report, without its status
     */
    async close() {
      await open?.target.close?.()
      const { changes, leaks } = (await inUse?.sweep()) ?? { changes: [], leaks: [] }
      if (changes.length > 0) onNotice(`Swept after the checks: ${changes.join('; ')}.`)
      leaks.push(...((await inUse?.release()) ?? []))
      // Without the notes, the results still count.
      if (open) await notes?.save().catch((error: Error) => onNotice(error.message))
      return { ...facts(), leaks }
    },
  }
}

interface OpenTarget {
  readonly target: CheckTarget
  readonly withheld?: ReadonlyMap<string, WithheldReason>
  readonly sweeper?: Sweeper | undefined
  readonly requests?: number
}

/** Prism and the emulator are loaded only by runs that need them. */
async function openTarget(
  { allow = [], ...config }: RunConfig,
  { checks }: CheckPlan,
  environment: RunEnvironment,
): Promise<OpenTarget> {
  if (config.target === 'emulator') {
    const { createEmulatorTarget } = await import('./targets/emulator.ts')
    return { target: createEmulatorTarget(config.variants) }
  }
  const { onNotice = () => {}, clock = realClock } = environment
  if (config.target === 'mock') return { target: await (await import('./targets/mock.ts')).createMockTarget(onNotice) }
  const writes = allow.includes('write') || allow.includes('destructive')
  const { target, clockOffsetMs, requests } = await connect(config, writes, environment)
  const sweeper = writes ? await openSweeper(target) : undefined
  const withheld = withholdOnLive(checks, allow, new Date(clock.now() + clockOffsetMs))
  return { target, withheld, sweeper, requests }
}

/**
 * Sweeps a live target: brings the fixtures into their declared state, and deletes what runs of the suite left.
 *
 * @throws SetupError with one sentence per problem; SuiteConfigurationError for an invalid file
 */
export async function sweepLive(config: RunConfig, environment: RunEnvironment): Promise<Swept> {
  const { target } = await connect(config, true, environment)
  return (await openSweeper(target)).sweep()
}

/** A run may still be working this long after the time in one of its names, in ms: longer than any check and the last sweep take. */
const youngMs = 5 * 60_000

/**
 * Marks the fixtures as in use by this run until its checks end, or stops the run before its first write if another run uses them.
 *
 * @throws SetupError if the target shows a young name of another run that is not known to be killed
 */
async function claimFixtures(
  sweeper: Sweeper,
  until: number,
  { killedRuns = [], onNotice = () => {} }: RunEnvironment,
): Promise<void> {
  const { other, problems } = await sweeper.claim(newMark(until), (name) => {
    const { at, run } = originOf(name)
    return at > Date.now() - youngMs && run !== runId && !killedRuns.includes(run)
  })
  if (other !== undefined) {
    const end = minuteText(new Date(originOf(other).at + youngMs).toISOString())
    throw new SetupError([
      `Another run of the suite uses the fixtures, until ${end} at the latest: wait for its end, or run "conformance sweep" if it was killed.`,
      ...problems.map((problem) => `The sweep ${problem}.`),
    ])
  }
  for (const problem of problems)
    onNotice(`Make sure that no other run uses the fixtures: they could not be marked as in use: ${problem}.`)
}

async function connect(
  { managementUrl, loggingUrl, ...config }: RunConfig,
  writes: boolean,
  { signal, onNotice = () => {}, env = process.env, clock = realClock, fetch: send = fetch }: RunEnvironment,
) {
  if (!managementUrl || !loggingUrl || config.fixtures === undefined)
    throw new SuiteConfigurationError('A live run needs both URLs and fixtures.')
  const fixtures = typeof config.fixtures === 'string' ? await readFixtures(config.fixtures, env) : config.fixtures
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl) }
  const { notices, clockOffsetMs, requests } = await preflight({ urls, fixtures, clock, send, signal, writes })
  for (const notice of notices) onNotice(notice)
  return { target: createLiveTarget(urls, fixtures, { clock, fetch: send, clockOffsetMs }), clockOffsetMs, requests }
}

async function openSweeper(target: CheckTarget): Promise<Sweeper> {
  // An interruption ends the checks, but not the sweep.
  const { signal } = new AbortController()
  const session = await target.open({ effect: 'read', needs: [] }, signal)
  // The judges read what a sweep changed, too.
  const { record } = createRecorder(session, createRedactor(session.fixtures.credentials), 'sweep')
  const send: Send = (request, sent) => record(request, requestedOperation(request, session.bases), sent)
  const options = { signal, isSweep: true }
  return createSweeper(contextOf(session, { ...options, send }), contextOf(session, options))
}
