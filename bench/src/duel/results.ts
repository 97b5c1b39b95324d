import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from './tool.ts'
import type { Visibility } from './visibility.ts'

/** What the campaign has measured so far. A server is known by its name, so that a later run goes on. */
export interface Results {
  /** By server. */
  readonly replay: Record<string, Visibility>
  /** By tool, seed and server. */
  readonly tools: Record<string, Record<string, Record<string, Result | { readonly error: string }>>>
}

const file = join(import.meta.dirname, 'results.json')

export function readResults(): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { replay: {}, tools: {} }
  }
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`)
}
