import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Says that a process is alive; the system lets go of it however that process ends. */
export interface Lock {
  release(): void
}

/**
 * Takes a lock, without waiting. It is SQLite's own lock on a file, since Node has no other that dies with its process: a
 * process id in a file may belong to somebody else by the time it is read.
 *
 * @param file made where it is missing, and removed on release
 * @returns nothing where another process holds it
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
