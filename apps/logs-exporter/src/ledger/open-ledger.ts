import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, lstatSync, openSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '@cdn/kit/error-message'
import { makeFolder } from '@cdn/kit/private-file'
import { codeOf } from '@cdn/kit/system-error'
import { LedgerError, LedgerInUseError } from '../errors.ts'
import { causeOf } from '../store-causes.ts'
import { createLedger, type Ledger } from './ledger.ts'

/**
 * Opens the ledger in a folder, and creates the folder if needed. The folder stays locked until `close` or the end of the process.
 *
 * @throws LedgerError if another exporter uses the folder, the folder is not writable, or the file is damaged
 */
export function openLedger(folder: string): Ledger {
  try {
    makeFolder(folder)
  } catch (cause) {
    throw new LedgerError(`The folder ${folder} of the ledger cannot be created: ${messageOf(cause)}.`, { cause })
  }
  const unlock = lock(folder)
  try {
    const ledger = open(folder, (path) => {
      closeSync(openSync(path, 'a', 0o600)) // SQLite gives the modes of this file to its other files
      return createLedger(new DatabaseSync(path))
    })
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
    (path) => statSync(path, { throwIfNoEntry: false }) && createLedger(new DatabaseSync(path, { readOnly: true })),
  )
}

/**
 * Tests whether the ledger in a folder can be opened. A new ledger is opened in a folder of its own: an exporter that starts meanwhile
 * keeps the files that it creates.
 *
 * @throws LedgerError as `openLedger`
 */
export async function tryLedger(folder: string): Promise<void> {
  if (lstatSync(fileIn(folder), { throwIfNoEntry: false })) return openLedger(folder).close()
  const trial = join(folder, `.check-${randomUUID()}`)
  try {
    await openLedger(trial).close()
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}

function fileIn(folder: string): string {
  return join(folder, 'ledger.sqlite')
}

function open<T>(folder: string, act: (path: string) => T): T {
  const path = fileIn(folder)
  try {
    return act(path)
  } catch (cause) {
    throw new LedgerError(
      `The ledger ${path} cannot be used (${messageOf(cause)}). If it is damaged, move it away: the exporter rebuilds it from the sink.`,
      { cause },
    )
  }
}

/** Refuses paths that are links: whoever can write into the folder could let the exporter write elsewhere. @throws Error */
export function refuseLinks(...paths: readonly string[]): void {
  for (const path of paths)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${path} is a symbolic link, which the exporter does not follow`)
}

/**
 * Locks a folder against other processes. The lock is a transaction on a separate file. However the process ends, the operating
 * system releases the transaction, so stale locks cannot occur.
 *
 * @returns a function that releases the lock
 * @throws LedgerError if another process holds the lock, or the folder is not writable
 */
export function lock(folder: string): () => void {
  const path = join(folder, 'lock')
  const file = new DatabaseSync(path, { timeout: 0, open: false })
  try {
    refuseLinks(path, fileIn(folder))
    // SQLite does not say why it cannot open a file.
    accessSync(folder, constants.W_OK | constants.X_OK)
    file.open()
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    if (file.isOpen) file.close()
    const { why = messageOf(cause) } = causeOf('files', codeOf(cause) ?? '') ?? {}
    const message = codeOf(cause)?.startsWith('E') ? `${why} (${codeOf(cause)})` : messageOf(cause)
    if (/locked|busy/i.test(message))
      throw new LedgerInUseError(`The ledger in ${folder} cannot be locked: another exporter works with it.`, { cause })
    throw new LedgerError(`The ledger in ${folder} cannot be locked: ${message}.`, { cause })
  }
  return () => file.close()
}
