import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../../..')

/** Reads a text file. @param path from the root of the repository */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
