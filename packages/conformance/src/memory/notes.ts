import type { Note } from '../run/check.ts'
import { writeWhole } from '../run/files.ts'
import { readKept } from '../run/read-json.ts'

/** Notes that runs write for later runs, by key. */
export type Notes = ReturnType<typeof openNotes>

/** Maximum age of useful notes, in ms: the retention of the logs (§8) plus one day. */
const maxAgeMs = 4 * 86_400_000

/**
 * Opens the notes of earlier runs. A run never reads its own.
 *
 * @param onNotice called with one sentence if the file has invalid notes, which are left out
 */
export function openNotes(file: string, onNotice: (sentence: string) => void = () => {}) {
  const earlier = readKept(file, 'Note', 'note', onNotice)
  const added: [key: string, note: Note][] = []
  return {
    recall: (key: string): readonly Note[] => earlier.flatMap(([of, note]) => (of === key ? [note] : [])),
    add: (key: string, value: unknown) => void added.push([key, { at: Date.now(), value }]),
    /** Writes all notes that are still useful. Does nothing without a new note. */
    async save() {
      if (added.length === 0) return
      const useful = [...earlier, ...added].filter(([, { at }]) => at > Date.now() - maxAgeMs)
      const byKey = [...Map.groupBy(useful, ([key]) => key)].map(([key, all]) => [key, all.map(([, note]) => note)])
      await writeWhole(file, `${JSON.stringify(Object.fromEntries(byKey))}\n`)
    },
  }
}
