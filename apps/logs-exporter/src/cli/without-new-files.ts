import { lstatSync } from 'node:fs'
import { rmdir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { temporary } from '../sinks/files/index.ts'

/** Runs a check, then removes the files and empty folders that it created for the ledger and the files sink. */
export async function withoutNewFiles<T>({ ledger, sink }: Config, act: () => Promise<T>): Promise<T> {
  const files = ['ledger.sqlite-wal', 'ledger.sqlite-shm', 'ledger.sqlite', 'lock'].map((name) => join(ledger, name))
  const folders = sink.type === 'files' ? [ledger, join(sink.path, temporary)] : [ledger]
  const created = [...files.map((path) => resolve(path)), ...folders.flatMap(withParents)].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined,
  )
  try {
    return await act()
  } finally {
    // Other files that a program put there meanwhile stay, and so do their folders.
    for (const path of created) await unlink(path).catch(() => rmdir(path).catch(() => {}))
  }
}

function withParents(folder: string): string[] {
  const path = resolve(folder)
  return dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]
}
