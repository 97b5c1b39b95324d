import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Note } from '../core/check.ts'
import { makeFolder, writeWhole } from '../core/files.ts'
import { parseOrUndefined, validatorOf } from '../core/read-json.ts'

/** Notes that runs write for later runs, by key. */
export interface Notes {
  recall(key: string): readonly Note[]
  add(key: string, value: unknown): void
  /** Writes all notes that are still useful. Does nothing without a new note. */
  save(): Promise<void>
}

/** Maximum age of useful notes, in ms: the retention of the logs (§8) plus one day. */
const maxAgeMs = 4 * 86_400_000

/**
 * Opens the notes of earlier runs. A run never reads its own. A missing or damaged file counts as empty, because notes are
 * optional.
 *
 * @param now returns milliseconds since 1970
 */
export function openNotes(file: string, now: () => number = Date.now): Notes {
  const value = parseOrUndefined(textOf(file))
  const earlier = validatorOf('Notes')(value) ? value : {}
  const added: Record<string, Note[]> = {}
  return {
    recall: (key) => earlier[key] ?? [],
    add(key, value) {
      added[key] = [...(added[key] ?? []), { at: now(), value }]
    },
    async save() {
      if (Object.keys(added).length === 0) return
      const keys = Object.keys({ ...earlier, ...added })
      const useful = (key: string) =>
        [...(earlier[key] ?? []), ...(added[key] ?? [])].filter(({ at }) => at > now() - maxAgeMs)
      await makeFolder(dirname(file))
      await writeWhole(file, `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, useful(key)])))}\n`)
    },
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
