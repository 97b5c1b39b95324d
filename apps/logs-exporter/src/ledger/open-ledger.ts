import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
    throw new LedgerError(`The folder ${folder} of the ledger cannot be created: ${messageOf(cause)}`, { cause })
  }
  const unlock = lock(folder)
  try {
    const ledger = createSqliteLedger(new DatabaseSync(join(folder, 'ledger.sqlite')))
    return {
      ...ledger,
      async close() {
        await ledger.close()
        unlock()
      },
    }
  } catch (cause) {
    unlock()
    throw new LedgerError(
      `The ledger ${join(folder, 'ledger.sqlite')} cannot be used (${messageOf(cause)}). If it is damaged, move it away: the exporter rebuilds it from the sink.`,
      { cause },
    )
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
