import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LedgerError, messageOf } from '../errors.ts'

/**
 * Locks a folder against other processes. The lock is a transaction on a separate file. However the process ends, the operating
 * system releases the transaction, so stale locks cannot occur.
 *
 * @returns a function that releases the lock
 * @throws LedgerError if another process holds the lock, or the folder is not writable
 */
export function lock(folder: string): () => void {
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: 0, open: false })
  try {
    file.open()
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    if (file.isOpen) file.close()
    const message = messageOf(cause)
    const why = /locked|busy/i.test(message) ? 'another exporter works with it' : message
    throw new LedgerError(`The ledger in ${folder} cannot be locked: ${why}.`, { cause })
  }
  return () => file.close()
}
