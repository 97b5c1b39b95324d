import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** A lock shows that a process is alive. The system releases the lock, however the process ends. */
export interface Lock {
  release(): void
}

/**
 * Takes a lock without waiting. It is SQLite's lock on a file, because Node has no other lock that ends with its process.
 * A file with a process id would not be reliable, because the system may give the id to another process later.
 *
 * @param file created if missing, and removed on release
 * @returns undefined if another process holds the lock
 */
export function acquire(file: string): Lock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    // SQLITE_BUSY
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
  return {
    release() {
      database.close()
      rmSync(file, { force: true })
    },
  }
}
