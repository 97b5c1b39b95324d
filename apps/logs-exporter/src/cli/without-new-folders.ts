import { lstatSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { unfinishedFolder } from '../sinks/files/index.ts'

/** Runs a check, then removes the empty folders that it created for the ledger and the files sink. */
export async function withoutNewFolders<T>({ ledger, sink }: Config, act: () => Promise<T>): Promise<T> {
  const folders = sink.type === 'files' ? [ledger, join(sink.path, unfinishedFolder)] : [ledger]
  const created = folders.flatMap(withParents).filter((path) => !lstatSync(path, { throwIfNoEntry: false }))
  try {
    return await act()
  } finally {
    // A folder in which a program put files meanwhile stays.
    for (const path of created) await rmdir(path).catch(() => {})
  }
}

function withParents(folder: string): string[] {
  const path = resolve(folder)
  return dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]
}
