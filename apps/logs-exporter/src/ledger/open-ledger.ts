import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../errors.ts'
import type { Ledger } from './ledger.ts'
import { LedgerError } from './ledger-error.ts'
import { lock } from './lock.ts'
import { createSqliteLedger } from './sqlite-ledger.ts'

/**
 * Opens the ledger in a folder, and creates the folder if needed. The folder stays locked until `close` or the end of the process.
 *
 * @throws LedgerError if another exporter uses the folder, the folder is not writable, or the file is damaged
 */
export function openLedger(folder: string): Ledger {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (cause) {
    throw new LedgerError(`The folder ${folder} of the ledger cannot be created: ${messageOf(cause)}.`, { cause })
  }
  const unlock = lock(folder)
  try {
    const ledger = open(folder, (path) => createSqliteLedger(new DatabaseSync(path)))
    return {
      ...ledger,
      async close() {
        await ledger.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Opens the ledger in a folder only to read it. An exporter may work with it at the same time.
 *
 * @returns undefined if the folder has no ledger
 * @throws LedgerError if the file cannot be read, or is damaged
 */
export function readLedger(folder: string): Ledger | undefined {
  return open(
    folder,
    (path) =>
      statSync(path, { throwIfNoEntry: false }) && createSqliteLedger(new DatabaseSync(path, { readOnly: true })),
  )
}

function open<T>(folder: string, act: (path: string) => T): T {
  const path = join(folder, 'ledger.sqlite')
  try {
    return act(path)
  } catch (cause) {
    throw new LedgerError(
      `The ledger ${path} cannot be used (${messageOf(cause)}). If it is damaged, move it away: the exporter rebuilds it from the sink.`,
      { cause },
    )
  }
}
