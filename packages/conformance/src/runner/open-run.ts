/** Sets up the target of a run. The command line, a user's vitest project and the tests run their checks with it. */
import { dirname, join, resolve } from 'node:path'
import type { Case } from '../core/case.ts'
import type { Check, Fixtures } from '../core/check.ts'
import { SuiteConfigurationError } from '../core/failure.ts'
import { readFixtures } from '../core/fixtures.ts'
import type { OperationLatency } from '../report/model.ts'
import { createLiveTarget, type LiveClock, realClock } from '../targets/live.ts'
import type { CheckTarget } from '../targets/target.ts'
import { checkFixtures } from './fixtures.ts'
import { timeResponses } from './latency.ts'
import { type Notes, openNotes } from './notes.ts'
import type { CheckPlan, Permission, Selection } from './plan.ts'
import { checkTarget, orThrow } from './preflight.ts'
import { createProber } from './prober.ts'
import { type CheckRun, runCheck, seedOf, type Withheld } from './run-check.ts'
import { casesFolder, readCases } from './stored-cases.ts'
import type { UndoJournal } from './undo/journal.ts'
import { createUndoRunner, type Undone } from './undo/undo-runner.ts'
import { withholdOnLive } from './withhold.ts'

/** What a run checks. */
export interface RunConfig extends Selection {
  readonly target: Case['target']
  /** Base URLs of both interfaces; for `live` only. */
  readonly managementUrl?: string | undefined
  readonly loggingUrl?: string | undefined
  /** Base URLs of imported interfaces by name; for `live` only. */
  readonly importedUrls?: Readonly<Record<string, string>> | undefined
  /** The fixtures, or the path of their file; for `live` only. */
  readonly fixtures?: Fixtures | string | undefined
  /** Effects that a live run may have; read only by default. */
  readonly allow?: readonly Permission[] | undefined
  /** Maximum number of requests; unlimited by default. */
  readonly budget?: number | undefined
  /** Seed of the random cases; the date (UTC) by default, such as 20260617. */
  readonly seed?: number | undefined
  /** Additional time for random cases, in minutes. */
  readonly minutes?: number | undefined
  /** Sends only this case. */
  readonly replay?: Case | undefined
  /**
   * Folder of the reports. The journal of writes, the notes for later runs and the failed cases are next to it. Without it,
   * the run stores nothing.
   */
  readonly out?: string | undefined
}

/** The surroundings of a run. Tests pass their own. */
export interface Surroundings {
  /** Interrupts the preflight. */
  readonly signal: AbortSignal
  /** Called with each sentence for the user. */
  readonly onNotice?: ((sentence: string) => void) | undefined
  readonly fetch?: typeof fetch
  readonly clock?: LiveClock
  readonly notes?: Notes | undefined
}

/** A run whose target is ready. */
export interface OpenRun {
  readonly seed: number
  /** Number of requests of the preflight. */
  readonly preflightRequests: number
  /** The checks in the order in which they start: those that failed in an earlier run come first. */
  readonly checks: readonly Check[]
  /** How many checks may start at once. Checks of a live target wait for each other. */
  readonly concurrency: number
  /** Time until the responses so far, by operation; live runs only. */
  readonly latency?: () => readonly OperationLatency[]
  /**
   * Runs one check in its own session. Errors of the check become outcomes.
   *
   * @throws the signal's reason if the check waits for a resource
   */
  run(check: Check, signal: AbortSignal): Promise<CheckRun>
  /**
   * Undoes the remaining writes, and closes everything. Call it in any case.
   *
   * @returns the writes that could not be undone
   */
  close(): Promise<Undone['left']>
}

interface OpenTarget {
  readonly target: CheckTarget
  readonly withheld?: ReadonlyMap<string, Withheld>
  readonly journal?: UndoJournal | undefined
  readonly requests?: number
  readonly latency?: OpenRun['latency']
  close?(): Promise<Undone['left']>
}

/**
 * Opens a run. A live run first sends a preflight, and undoes the writes of killed runs.
 *
 * @throws SetupError with one sentence per problem of a live target; SuiteConfigurationError for an invalid file
 */
export async function openRun(config: RunConfig, plan: CheckPlan, surroundings: Surroundings): Promise<OpenRun> {
  const { target: kind, seed = seedOf(new Date()), minutes = 0, replay, out } = config
  const { onNotice = () => {} } = surroundings
  const earlier =
    out === undefined || replay ? new Map<string, Case>() : await readCases(casesFolder(out), kind, onNotice)
  const stored = replay ? new Map([[replay.check, replay]]) : earlier
  // Prism and the emulator are loaded only by runs that need them.
  const open: OpenTarget =
    kind === 'mock'
      ? { target: await (await import('../targets/mock.ts')).createMockTarget(config.interfaces) }
      : kind === 'emulator'
        ? { target: (await import('../targets/emulator.ts')).createEmulatorTarget() }
        : await openLive(config, plan, surroundings)
  const { target, withheld, journal, requests = 0, latency } = open
  const budget = { left: (config.budget ?? Number.POSITIVE_INFINITY) - requests }
  return {
    seed,
    preflightRequests: requests,
    ...(latency && { latency }),
    checks: plan.checks.toSorted((one, other) => +stored.has(other.id) - +stored.has(one.id)),
    concurrency: kind === 'live' ? plan.checks.length : 8,
    async run(check, signal) {
      const reason = withheld?.get(check.id)
      // A withheld check sends nothing, so it need not wait for resources.
      const session = await target.open(reason ? { effect: 'read', needs: [] } : check, signal)
      const cases = { seed, minutes, stored: stored.get(check.id)?.calls, replay: replay !== undefined }
      try {
        return await runCheck(check, session, { ...cases, withheld: reason, signal, journal, budget })
      } finally {
        await session.close()
      }
    },
    async close() {
      await target.close()
      return (await open.close?.()) ?? []
    },
  }
}

async function openLive(
  { managementUrl, loggingUrl, importedUrls = {}, allow = [], out, ...config }: RunConfig,
  { checks }: CheckPlan,
  { signal, onNotice = () => {}, clock = realClock, fetch: send = fetch, ...surroundings }: Surroundings,
): Promise<OpenTarget> {
  if (!managementUrl || !loggingUrl || config.fixtures === undefined)
    throw new SuiteConfigurationError('A live run needs both URLs and fixtures.')
  const fixtures =
    typeof config.fixtures === 'string' ? await readFixtures(config.fixtures, process.env) : config.fixtures
  const imported = Object.fromEntries(Object.entries(importedUrls).map(([name, url]) => [name, new URL(url)]))
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl), imported }
  const prober = createProber({ urls, fixtures, now: clock.now }, send, signal)
  for (const notice of await checkTarget(prober)) onNotice(notice)
  const undo =
    out === undefined
      ? undefined
      : await createUndoRunner(out, managementUrl, fixtures.credentials.accessKey ?? '', onNotice)
  try {
    const earlier = (await undo?.undoEarlier(allow.includes('write') || allow.includes('destructive'))) ?? []
    orThrow(await checkFixtures(prober, allow))
    const file = out === undefined ? undefined : join(dirname(resolve(out)), 'notes.json')
    const notes = surroundings.notes ?? (file === undefined ? undefined : openNotes(file))
    const clockOffsetMs = prober.clockOffsetMs()
    const timing = timeResponses(send, urls, clock.now)
    return {
      target: createLiveTarget(urls, fixtures, { clock, fetch: timing.fetch, clockOffsetMs, notes }),
      latency: timing.latency,
      withheld: withholdOnLive(checks, allow, new Date(clock.now() + clockOffsetMs)),
      journal: undo?.journal,
      requests: prober.requests(),
      async close() {
        const own = (await undo?.close()) ?? []
        await notes?.save()
        return [...earlier, ...own]
      },
    }
  } catch (error) {
    await undo?.close()
    throw error
  }
}
