import { readFileSync } from 'node:fs'
import type { Note } from '../core/check.ts'
import { writeWhole } from '../core/files.ts'
import { parseOrUndefined, validatorOf } from '../core/read-json.ts'

/** Notes that runs write for later runs, by key. */
export type Notes = ReturnType<typeof openNotes>

/** Maximum age of useful notes, in ms: the retention of the logs (§8) plus one day. */
const maxAgeMs = 4 * 86_400_000

/**
 * Opens the notes of earlier runs. A run never reads its own. A missing or damaged file counts as empty, because notes are
 * optional.
 *
 * @param now returns milliseconds since 1970
 */
export function openNotes(file: string, now: () => number = Date.now) {
  const value = parseOrUndefined(textOf(file))
  const earlier = validatorOf('Notes')(value) ? value : {}
  const added: Record<string, Note[]> = {}
  return {
    recall: (key: string): readonly Note[] => earlier[key] ?? [],
    add(key: string, value: unknown) {
      added[key] = [...(added[key] ?? []), { at: now(), value }]
    },
    /** Writes all notes that are still useful. Does nothing without a new note. */
    async save() {
      if (Object.keys(added).length === 0) return
      const keys = Object.keys({ ...earlier, ...added })
      const useful = (key: string) =>
        [...(earlier[key] ?? []), ...(added[key] ?? [])].filter(({ at }) => at > now() - maxAgeMs)
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
