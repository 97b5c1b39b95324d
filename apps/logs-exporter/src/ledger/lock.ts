import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LedgerError } from './ledger-error.ts'

/**
 * Keeps every other process out of a folder. The lock is a transaction on a file of its own: the system drops it with the
 * process, however that ends, so no stale lock is ever left.
 *
 * @returns gives it back
 * @throws LedgerError where another one holds it, or the folder cannot be written
 */
export function lock(folder: string): () => void {
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: 0, open: false })
  try {
    file.open()
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    if (file.isOpen) file.close()
    const isBusy = cause instanceof Error && /locked|busy/i.test(cause.message)
    const why = isBusy ? 'another exporter works with it' : cause instanceof Error ? cause.message : String(cause)
    throw new LedgerError(`The ledger in ${folder} cannot be locked: ${why}.`, { cause })
  }
  return () => file.close()
}
