import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Fixtures } from '../../core/check.ts'
import { reasonOf, SuiteConfigurationError } from '../../core/failure.ts'
import { makeFolder } from '../../core/files.ts'
import { acceptedStep } from './accepted-step.ts'
import { openJournal, type Pending, printable, readJournal } from './journal.ts'
import { acquire, type Lock } from './lock.ts'
import { performUndo } from './perform-undo.ts'

/** What happened to the steps of a journal. */
export interface Undone {
  readonly undone: readonly Pending[]
  /** Steps that stay in the journal for the next run. */
  readonly left: readonly { readonly pending: Pending; readonly reason: string }[]
}

/** Undoes the writes of runs. It works in another process than the one that sends the writes. */
export interface UndoRunner {
  /** File for the steps of the checks. */
  readonly journal: string
  /** Undoes the remaining writes of this run after its checks. */
  undoOwn(): Promise<Undone>
  /** Undoes the writes of killed runs. */
  undoEarlier(): Promise<Undone>
  /** Number of pending steps of earlier runs. */
  countEarlier(): Promise<number>
  /** Closes the journal. A journal that still has steps is kept for the next run. */
  close(): Promise<void>
}

const patience = { attempts: 5, pauseMs: 250 }
/** Maximum time for an answer to an undo, in milliseconds. */
const deadlineMs = 10_000
/** Time after which no further step is attempted, in milliseconds, so that an unavailable target ends the work. */
const enoughMs = 60_000

/**
 * Creates an undo runner. The folder `undo`, next to the folder of the reports, has one journal per run. Each journal has
 * a lock that shows whether its run is still active.
 *
 * @param out folder of the reports
 * @param management base URL of the management interface; credentials go only to this address, whatever a journal says
 * @param fixtures credentials, and the ids of the only resources that an undo may write to
 * @param onNotice called once with each sentence about a part of a journal that is skipped
 */
export async function createUndoRunner(
  out: string,
  management: string,
  fixtures: Fixtures,
  onNotice: (sentence: string) => void,
): Promise<UndoRunner> {
  const folder = join(dirname(resolve(out)), 'undo')
  const name = `${basename(resolve(out))}-${new Date().toISOString().replaceAll(/[-:.]/g, '')}-${process.pid}`
  const journal = join(folder, `${name}.ndjson`)
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SuiteConfigurationError(
      `Cannot keep a journal of the writes in ${folder} (${error.code}), so the run may not write; choose another --out.`,
    )
  })
  const lock = acquire(lockOf(journal))
  const said = new Set<string>()
  const skip = (sentence: string) => {
    if (!said.has(sentence)) onNotice(sentence)
    said.add(sentence)
  }
  const read = (file: string) => readSteps(file, management, fixtures, skip)
  const perform = async (file: string) => performAll(file, await read(file), management, fixtures)
  return {
    journal,
    undoOwn: () => perform(journal),
    undoEarlier: async () => {
      const results = await visitEarlier(folder, journal, skip, perform)
      return { undone: results.flatMap(({ undone }) => undone), left: results.flatMap(({ left }) => left) }
    },
    countEarlier: async () => {
      const steps = await visitEarlier(folder, journal, skip, read)
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

/**
 * Visits the journals of runs that are no longer active. Removes a journal if it has nothing left. Skips a journal or a
 * lock that cannot be used.
 */
async function visitEarlier<T>(
  folder: string,
  own: string,
  skip: (sentence: string) => void,
  visit: (file: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const file of await journalsIn(folder, own)) {
    let lock: Lock | undefined
    try {
      lock = acquire(lockOf(file))
      if (!lock) continue
      results.push(await visit(file))
      if (await isSettled(file)) await rm(file, { force: true })
    } catch (error) {
      // Errors of the file system and of SQLite have a code.
      if (!(error instanceof Error && 'code' in error)) throw error
      skip(`The journal ${printable(file)} or its lock cannot be used and is skipped: ${printable(reasonOf(error))}.`)
    } finally {
      lock?.release()
    }
  }
  return results
}

/**
 * Returns the journals of other runs. A run that was killed before its first write left only a lock; its journal is
 * listed, too.
 */
async function journalsIn(folder: string, own: string): Promise<string[]> {
  const names = (await readdir(folder)).map((name) => name.replace(/lock$/, 'ndjson'))
  return [...new Set(names)]
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name))
    .filter((file) => file !== own)
}

async function isSettled(file: string): Promise<boolean> {
  const { pending, invalid } = await readJournal(file)
  return pending.length + invalid.length === 0
}

/** Returns the pending steps of a journal that the suite may send. The others stay in the file, and a sentence says so. */
async function readSteps(
  file: string,
  management: string,
  fixtures: Fixtures,
  skip: (sentence: string) => void,
): Promise<Pending[]> {
  const { pending, invalid } = await readJournal(file)
  for (const line of invalid) skip(`Line ${line} of ${printable(file)} is skipped: it is not a line of a journal.`)
  return pending.flatMap((each) => {
    const step = acceptedStep(each.step, management, fixtures)
    if (step) return [{ ...each, step }]
    const { text, method, url } = each.step
    skip(
      `The step "${text}" (${printable(`${method} ${url}`)}) of ${printable(file)} is not sent: it is not an undo of this suite on the resources of the fixtures.`,
    )
    return []
  })
}

/** Performs the steps of a journal in reverse order. Steps that differ only in the check are performed once. */
async function performAll(
  file: string,
  pending: readonly Pending[],
  management: string,
  { credentials }: Fixtures,
): Promise<Undone> {
  const undone: Pending[] = []
  const left: { pending: Pending; reason: string }[] = []
  const steps = pending.toReversed()
  const log = openJournal(file, management)
  const giveUp = Date.now() + enoughMs
  for (const same of Map.groupBy(steps, ({ step }) => JSON.stringify({ ...step, body: String(step.body) })).values()) {
    const [pending] = same
    if (!pending) continue
    // If one step fails on all attempts, the target is probably unavailable. So the other steps get one attempt each.
    const attempts = left.length === 0 ? patience.attempts : 1
    const reason =
      Date.now() < giveUp
        ? await performUndo(pending.step, withDeadline, credentials, { ...patience, attempts })
        : `could not ${pending.step.text}: the target is unavailable`
    if (reason === undefined) {
      for (const { key } of same) await log.done(key)
      undone.push(pending)
    } else left.push({ pending, reason })
  }
  return { undone, left }
}

const withDeadline: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(deadlineMs) })
