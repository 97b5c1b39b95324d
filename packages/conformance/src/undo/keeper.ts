import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Credentials } from '../check.ts'
import { ConfigurationError } from '../failure.ts'
import { openJournal, type Pending, readJournal } from './journal.ts'
import { acquire } from './lock.ts'
import { takeBack } from './take-back.ts'

/** What became of the steps of a journal. */
export interface Undone {
  readonly taken: readonly Pending[]
  /** Stays in the journal, for the next run. */
  readonly left: readonly { readonly pending: Pending; readonly reason: string }[]
}

/** Looks after the writes of a run from outside the process that makes them. */
export interface Keeper {
  /** Where the checks write their steps. */
  readonly journal: string
  /** Takes back what is left of this run, when its checks have ended. */
  takeBackOwn(): Promise<Undone>
  /** Takes back what runs that were killed have left. */
  takeBackEarlier(): Promise<Undone>
  /** Steps of earlier runs that nobody has taken yet. */
  countEarlier(): Promise<number>
  /** Gives the journal up; one that still holds steps stays for the next run. */
  close(): Promise<void>
}

const patience = { attempts: 5, pauseMs: 250 }
/** An answer to an undo is awaited no longer than this, in milliseconds. */
const deadlineMs = 10_000
/** A target that is away is asked no longer than this for all steps together, in milliseconds. */
const enoughMs = 60_000

/**
 * Makes a keeper. Journals lie in the folder `undo` beside the folder of the reports, one a run, each with a lock that
 * tells whether its run is still going on.
 *
 * @param out folder of the reports
 * @param management base URL of the management interface; a credential is sent nowhere else, whatever a journal says
 */
export async function createKeeper(out: string, management: string, credentials: Credentials): Promise<Keeper> {
  const folder = join(dirname(resolve(out)), 'undo')
  const name = `${basename(resolve(out))}-${new Date().toISOString().replaceAll(/[-:.]/g, '')}-${process.pid}`
  const journal = join(folder, `${name}.ndjson`)
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError(
      `Cannot keep a journal of the writes in ${folder} (${error.code}), and without one nothing is written; name another --out.`,
    )
  })
  const lock = acquire(lockOf(journal))
  const perform = (file: string) => performAll(file, management, credentials)
  return {
    journal,
    takeBackOwn: () => perform(journal),
    takeBackEarlier: async () => {
      const results = await visitEarlier(folder, journal, perform)
      return { taken: results.flatMap(({ taken }) => taken), left: results.flatMap(({ left }) => left) }
    },
    countEarlier: async () => {
      const steps = await visitEarlier(folder, journal, async (file) => ownSteps(await readJournal(file), management))
      return steps.flat().length
    },
    close: async () => {
      if (await isSettled(journal)) await rm(journal, { force: true })
      lock?.release()
    },
  }
}

function lockOf(journal: string): string {
  return journal.replace(/ndjson$/, 'lock')
}

/** Visits the journals of runs that ended without closing them, and removes those that hold no step any more. */
async function visitEarlier<T>(folder: string, own: string, visit: (file: string) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (const file of await journalsIn(folder, own)) {
    const lock = acquire(lockOf(file))
    if (!lock) continue
    results.push(await visit(file))
    if (await isSettled(file)) await rm(file, { force: true })
    lock.release()
  }
  return results
}

/** The journals of other runs, also of those that were killed before they wrote anything and left a lock alone. */
async function journalsIn(folder: string, own: string): Promise<string[]> {
  const names = (await readdir(folder)).map((name) => name.replace(/lock$/, 'ndjson'))
  return [...new Set(names)]
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name))
    .filter((file) => file !== own)
}

async function isSettled(file: string): Promise<boolean> {
  return (await readJournal(file)).pending.length === 0
}

/** The steps of a journal that concern this platform. */
function ownSteps({ pending }: { readonly pending: readonly Pending[] }, management: string): Pending[] {
  const base = management.endsWith('/') ? management : `${management}/`
  return pending.filter(({ step }) => step.url.startsWith(base) && new URL(step.url).href === step.url)
}

/** Takes the steps of a journal, the last first; steps that are the same but for the check that wrote, once. */
async function performAll(file: string, management: string, credentials: Credentials): Promise<Undone> {
  const taken: Pending[] = []
  const left: { pending: Pending; reason: string }[] = []
  const steps = ownSteps(await readJournal(file), management).toReversed()
  const log = openJournal(file, management)
  const giveUp = Date.now() + enoughMs
  for (const same of Map.groupBy(steps, ({ step }) => JSON.stringify({ ...step, body: String(step.body) })).values()) {
    const [pending] = same
    if (!pending) continue
    // Once it has refused so often, the target is away: the others are asked for once each.
    const attempts = left.length === 0 ? patience.attempts : 1
    const reason =
      Date.now() < giveUp
        ? await takeBack(pending.step, withDeadline, credentials, { ...patience, attempts })
        : `could not ${pending.step.text}: the target is away`
    if (reason === undefined) {
      for (const { key } of same) await log.done(key)
      taken.push(pending)
    } else left.push({ pending, reason })
  }
  return { taken, left }
}

const withDeadline: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(deadlineMs) })
