import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Note } from '../core/check.ts'
import { makeFolder, writeWhole } from '../core/files.ts'

/** Notes that runs write for later runs, by key. */
export interface Notes {
  recall(key: string): readonly Note[]
  add(key: string, value: unknown): void
}

/** Notes in a file. */
export interface NotesFile extends Notes {
  /** Writes all notes that are still useful. Does nothing without a new note. */
  save(): Promise<void>
}

/** Maximum age of useful notes, in ms: the retention of the logs (§8) plus one day. */
const maxAgeMs = 4 * 86_400_000

/** Creates notes that are kept only in memory. */
export function createNotes(now: () => number = Date.now): Notes {
  return notesOf({}, now)
}

/**
 * Opens the notes of earlier runs. A missing or damaged file counts as empty, because notes are optional.
 *
 * @param file path of the file
 * @param now returns milliseconds since 1970
 */
export async function openNotes(file: string, now: () => number = Date.now): Promise<NotesFile> {
  const byKey = await read(file)
  let taken = 0
  const notes = notesOf(byKey, now, () => taken++)
  return {
    ...notes,
    async save() {
      if (taken === 0) return
      const recent = Object.entries(byKey).map(([key, list]) => [key, list.filter(({ at }) => at > now() - maxAgeMs)])
      await makeFolder(dirname(file))
      await writeWhole(file, `${JSON.stringify(Object.fromEntries(recent))}\n`)
    },
  }
}

function notesOf(byKey: Record<string, Note[]>, now: () => number, onAdd = () => {}): Notes {
  // A run reads the notes of earlier runs, never its own.
  const earlier = structuredClone(byKey)
  return {
    recall: (key) => earlier[key] ?? [],
    add(key, value) {
      byKey[key] = [...(byKey[key] ?? []), { at: now(), value }]
      onAdd()
    },
  }
}

async function read(file: string): Promise<Record<string, Note[]>> {
  try {
    const value: Record<string, Note[]> = JSON.parse(await readFile(file, 'utf8'))
    const isNote = (note: Note) => typeof note?.at === 'number'
    return Object.fromEntries(
      Object.entries(value).map(([key, list]) => [key, Array.isArray(list) ? list.filter(isNote) : []]),
    )
  } catch {
    return {}
  }
}
