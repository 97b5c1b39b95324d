/** Lets one run at a time use a memory. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '@cdn/kit/private-file'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import { minuteText } from '../exchange/format-text.ts'
import { runId } from '../exchange/own-names.ts'

/**
 * Locks the memory of the reports in a folder. The lock is a transaction on a file next to the memory, so the operating system ends it
 * however the process ends.
 *
 * @returns the previous run, if it was killed, the `runId` of each killed run, and a function that releases the lock
 * @throws SuiteConfigurationError in one sentence if another run holds the lock; SQLite's error if the file cannot be written
 */
export function lockMemory(out: string) {
  makeFolder(dirname(lockFile(out)))
  // A reader of the file delays a transaction only for a moment.
  const database = new DatabaseSync(lockFile(out), { timeout: 1_000 })
  const lock = () => {
    if (tryLock(database)) return
    const holder = holderIn(database)
    const who = holder ? ` (pid ${holder.pid}, since ${minuteText(holder.at)})` : ''
    throw new SuiteConfigurationError(`Another run${who} uses the reports in ${out}: wait until it ends.`)
  }
  try {
    lock()
    const killed = holderIn(database)
    database.exec('CREATE TABLE IF NOT EXISTS killed (run TEXT)')
    if (killed) database.prepare('INSERT INTO killed VALUES (?)').run(killed.run)
    const killedRuns = database.prepare('SELECT run FROM killed').all()
    database.exec('DROP TABLE IF EXISTS holder; CREATE TABLE holder (pid INTEGER, at TEXT, run TEXT)')
    database.prepare('INSERT INTO holder VALUES (?, ?, ?)').run(process.pid, new Date().toISOString(), runId)
    // Others can read the committed row while the second transaction holds the lock. `release` commits the deletion of the row.
    database.exec('COMMIT')
    lock()
    database.exec('DELETE FROM holder')
    return {
      killed,
      killedRuns: killedRuns.map(({ run }) => String(run)),
      release() {
        database.exec('COMMIT')
        database.close()
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Describes a run that holds the lock, or that was killed while it held the lock; undefined without one, or if the file is unreadable. */
export function unendedRun(out: string): { readonly isKilled: boolean; readonly sentence: string } | undefined {
  if (!existsSync(lockFile(out))) return undefined
  const database = new DatabaseSync(lockFile(out), { timeout: 0, open: false })
  try {
    database.open()
    const holder = holderIn(database)
    if (!holder) return undefined
    const began = `The run that began at ${minuteText(holder.at)}`
    if (!tryLock(database)) return { isKilled: false, sentence: `${began} is running (pid ${holder.pid}).` }
    if (isReadOnly(database))
      return {
        isKilled: false,
        sentence: `${began} is running or was killed: only a user who can write ${lockFile(out)} can tell.`,
      }
    return { isKilled: true, sentence: `${began} was killed: it left no result.` }
  } catch {
    return undefined
  } finally {
    if (database.isOpen) database.close()
  }
}

/** SQLite's codes of the errors SQLITE_BUSY and SQLITE_READONLY. */
const [busy, readOnly] = [5, 8]

/** Locks the file until the transaction or the connection ends. @returns whether no other connection holds the lock */
function tryLock(database: DatabaseSync): boolean {
  return !failsWith(busy, database, 'BEGIN IMMEDIATE')
}

/** Whether the file cannot be written. Then SQLite begins a transaction without a lock. */
function isReadOnly(database: DatabaseSync): boolean {
  return failsWith(readOnly, database, 'DELETE FROM holder')
}

function failsWith(code: number, database: DatabaseSync, statement: string): boolean {
  try {
    database.exec(statement)
    return false
  } catch (error) {
    if (Object(error).errcode === code) return true
    throw error
  }
}

/** The run that locked the file and has not released it; undefined without one, and while the first run creates the table. */
function holderIn(database: DatabaseSync) {
  try {
    const row = database.prepare('SELECT * FROM holder').get()
    return row && { pid: Number(row['pid']), at: String(row['at']), run: String(row['run']) }
  } catch {
    return undefined
  }
}

function lockFile(out: string): string {
  return `${out}.lock`
}
