import { readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contracts, type Item, isStated, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { parseJson } from '@cdn/kit/json'
import { pageIn } from '../../scenarios/state/items.ts'
import { type CreatedItem, idPlaceholder, type UndoStep } from '../check.ts'
import { reasonOf, SuiteConfigurationError } from '../failure.ts'
import { besideReports, makeFolder } from '../files.ts'
import { urlBelow } from '../requested-operation.ts'
import { acquire, openJournal, type Pending, printable, readJournal } from './journal.ts'

/** A step that could not be performed. It stays in its journal for the next run. */
export interface LeftStep {
  readonly pending: Pending
  readonly reason: string
}

/** Attempts per step, and the pause before the second one in milliseconds. */
const [maxAttempts, pauseMs] = [5, 250]
/** Maximum time for a response to an undo, in milliseconds. */
const deadlineMs = 10_000
/** Time after which no further step is attempted, in milliseconds, so that an unavailable target ends the work. */
const enoughMs = 60_000
/** How long after a creation without a response a list may not yet show the item, in milliseconds (unspecified). */
export const settleMs = 6_000

/**
 * Creates an undo runner. The folder `undo`, next to the folder of the reports, has one journal per run. Each journal has
 * a lock that shows whether its run is still active.
 *
 * @param out folder of the reports
 * @param management base URL of the management interface; credentials go only to this address, whatever a journal says
 * @param accessKey API key of the run; only steps that a run with the same key stored are sent
 * @param onNotice called with each sentence for the user; once for each part of a journal that is skipped
 */
export async function createUndoRunner(
  out: string,
  management: string,
  accessKey: string,
  onNotice: (sentence: string) => void,
) {
  const folder = besideReports(out, 'undo')
  const name = `${basename(resolve(out))}-${new Date().toISOString().replaceAll(/[-:.]/g, '')}-${process.pid}`
  const own = join(folder, `${name}.ndjson`)
  const base = urlBelow(new URL(management), '/').href
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SuiteConfigurationError(
      `Cannot keep a journal of the writes in ${folder} (${error.code}), so the run may not write; choose another --out.`,
    )
  })
  const release = acquire(lockOf(own))
  const said = new Set<string>()
  const skip = (sentence: string) => {
    if (!said.has(sentence)) onNotice(sentence)
    said.add(sentence)
  }

  /** Returns the pending steps of a journal that may be sent. The others stay in the file, and a sentence says so. */
  const read = async (file: string): Promise<Pending[]> => {
    const { pending, invalid } = await readJournal(file, accessKey)
    for (const line of invalid) skip(`Line ${line} of ${printable(file)} is skipped: it is not a line of a journal.`)
    return pending.filter(({ isOwn, step: { text, method, url, find } }) => {
      if (isOwn && [url, find?.list ?? url].every((each) => URL.parse(each)?.href.startsWith(base))) return true
      const reason = isOwn
        ? `it is not below ${base}, the management interface of this run`
        : 'it was changed, or stored by a run with another API key'
      skip(`The step "${text}" (${printable(`${method} ${url}`)}) of ${printable(file)} is not sent: ${reason}.`)
      return false
    })
  }
  /**
   * Visits the journals of runs that are no longer active. Removes a journal if it has nothing left. Skips a journal or a
   * lock that cannot be used.
   */
  const visitEarlier = async <T>(visit: (file: string) => Promise<T>): Promise<T[]> => {
    const results: T[] = []
    for (const file of await journalsIn(folder)) {
      let unlock: (() => void) | undefined
      try {
        unlock = file === own ? undefined : acquire(lockOf(file))
        if (!unlock) continue
        results.push(await visit(file))
        await removeSettled(file, accessKey)
      } catch (error) {
        // Errors of the file system and of SQLite have a code.
        if (!(error instanceof Error && 'code' in error)) throw error
        skip(`The journal ${printable(file)} or its lock cannot be used and is skipped: ${printable(reasonOf(error))}.`)
      } finally {
        unlock?.()
      }
    }
    return results
  }

  /**
   * Performs the steps of each visited journal in reverse order, and reports them. Steps that differ only in the check are
   * performed once. Those that have to find their items come last.
   */
  const undo = async (what: string, visitAll: (visit: (file: string) => Promise<void>) => Promise<unknown>) => {
    const undone: string[] = []
    const left: LeftStep[] = []
    await visitAll(async (file) => {
      const journal = openJournal(file, accessKey)
      const giveUp = Date.now() + enoughMs
      const earlier = left.length
      const keyOf = ({ step }: Pending) => JSON.stringify({ ...step, body: String(step.body) })
      const last = (await read(file)).toReversed()
      const ordered = last.toSorted((one, other) => Number(!!one.step.find) - Number(!!other.step.find))
      const firstUnknown = ordered.find(({ step }) => step.find)
      for (const same of Map.groupBy(ordered, keyOf).values()) {
        const pending = defined(same[0])
        if (pending === firstUnknown) await sleep(settleMs)
        // If one step fails on all attempts, the target is probably unavailable. So the other steps get one attempt each.
        const attempts = left.length === earlier ? maxAttempts : 1
        const reason =
          Date.now() < giveUp
            ? await performUndo(pending.step, withDeadline, accessKey, attempts, pauseMs)
            : `could not ${pending.step.text}: the target is unavailable`
        if (reason === undefined) {
          for (const { key } of same) await journal.done(key)
          undone.push(pending.step.text)
        } else left.push({ pending, reason })
      }
    })
    if (undone.length > 0) onNotice(`${what}: ${undone.join('; ')}.`)
    const reasons = left.map(({ reason }) => reason).join('; ')
    if (left.length > 0) onNotice(`${reasons}. The next run with the same parent folder of reports tries again.`)
    return left
  }
  return {
    journal: openJournal(own, accessKey),
    /**
     * Undoes the writes of killed runs.
     *
     * @param mayWrite otherwise, a sentence reports them
     */
    async undoEarlier(mayWrite: boolean): Promise<readonly LeftStep[]> {
      if (mayWrite) return undo('Undone from an earlier run that was killed', visitEarlier)
      const count = (await visitEarlier(read)).flat().length
      if (count > 0)
        onNotice(
          `An earlier run was killed before it could undo ${count} of its writes; a run with --allow write or destructive undoes them.`,
        )
      return []
    },
    /**
     * Undoes the remaining writes of this run, and closes its journal. A journal that still has steps is kept for the next
     * run.
     */
    async close() {
      try {
        const left = await undo('Undone after the checks', (visit) => visit(own))
        await removeSettled(own, accessKey)
        return left
      } finally {
        release?.()
      }
    },
  }
}

function lockOf(journal: string): string {
  return journal.replace(/ndjson$/, 'lock')
}

/** Returns all journals. A run that was killed before its first write left only a lock; its journal is listed, too. */
async function journalsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).map((name) => name.replace(/lock$/, 'ndjson'))
  return [...new Set(names)]
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name))
}

/** Removes a journal that has nothing left. */
async function removeSettled(file: string, accessKey: string): Promise<void> {
  const { pending, invalid } = await readJournal(file, accessKey)
  if (pending.length + invalid.length === 0) await rm(file, { force: true })
}

const withDeadline: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(deadlineMs) })

/**
 * Undoes one write.
 *
 * @param send a fetch with its own deadline
 * @param accessKey API key of the run, which the request gets; undefined for a server of somebody else
 * @param pauseMs pause before the second attempt, in milliseconds; it doubles for each further attempt
 * @returns the reason of a failure, or undefined
 */
export async function performUndo(
  { text, method, url, headers, body, find }: UndoStep,
  send: typeof fetch,
  accessKey: string | undefined,
  attempts: number,
  pauseMs: number,
): Promise<string | undefined> {
  const { header } = defined(contracts.management.schemes.find(({ kind }) => kind === 'key'))
  const withKey = {
    headers: { ...headers, ...(accessKey !== undefined && { [header]: accessKey }) },
    redirect: 'manual' as const,
  }
  const perform = async (target: string): Promise<string | undefined> => {
    const response = await send(target, { ...withKey, method, body: body ?? null })
    await response.body?.cancel()
    return isDone(method, target, response) ? undefined : `status ${response.status}`
  }
  const performAll = async () => {
    if (!find) return perform(url)
    const ids = await findItems(find, (list) => send(list, withKey))
    const failures = []
    for (const id of ids) failures.push(await perform(url.replace(idPlaceholder, encodeURIComponent(id))))
    return failures.find((each) => each !== undefined)
  }
  let failure: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1))
    try {
      failure = await performAll()
      if (failure === undefined) return undefined
    } catch (error) {
      failure = reasonOf(error)
    }
  }
  return `could not ${text}: ${failure}`
}

/** Maximum number of pages of a list in which an item is searched. */
const maxPages = 1_000

/**
 * Lists a collection, and returns the ids of the items that the suite created.
 *
 * @returns none if the item that contains the collection is gone
 * @throws Error if the target does not show a list, or its pages have no end
 */
async function findItems(
  { list, id, values, except }: CreatedItem,
  send: (url: string) => Promise<Response>,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; page <= maxPages; page++) {
    const response = await send(page === 1 ? list : `${list}?page=${page}`)
    // An item whose path the platform does not know, or refuses as an odd one of a check, contains nothing.
    const isRefused = response.status === 404 || (page === 1 && [400, 414, 431].includes(response.status))
    if (isRefused && !isHtml(response)) return ids
    const { entries, hasMore } = pageIn(response.ok ? parseJson(await response.text()) : undefined)
    if (!entries) throw new Error(response.ok ? 'the target shows no list' : `status ${response.status}`)
    const isMeant = (entry: Item) => {
      const has = ([field, text]: [string, string]) => entry[field] === text
      if (!except) return Object.entries(values).some(has)
      return Object.entries(values).every(has) && !except.includes(String(entry[id]))
    }
    ids.push(...entries.filter(isMeant).map((entry) => String(entry[id])))
    if (!hasMore || entries.length === 0) return ids
  }
  throw new Error(`the list has more than ${maxPages} pages`)
}

/** Whether a response is a page of a gateway, which proves nothing about the platform. */
function isHtml({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('html') === true
}

/** Ends of the URLs of operations that restore a value; every other undo removes one. */
const restoring = operations
  .filter(isStated)
  .filter(({ action }) => action.kind === 'add')
  .map(({ path }) => defined(path.split('/').at(-1)))

/**
 * Whether an undo had its effect. A removal may be refused, because the write may never have happened. A restore must be
 * accepted, except that the platform may refuse a value that is already there (unspecified).
 */
function isDone(method: string, url: string, response: Response): boolean {
  const { status, ok } = response
  if (isHtml(response)) return false
  if (ok || method === 'PUT') return ok
  return status === 400 || (status === 404 && !restoring.some((end) => url.endsWith(`/${end}`)))
}
