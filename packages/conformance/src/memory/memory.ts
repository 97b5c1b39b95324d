/** The memory of a target: one file of JSON lines with the runs, the notes and the stored cases, next to the folder of the reports. */

import { resolve } from 'node:path'
import { readPrivateFile, writeWhole } from '@cdn/kit/private-file'
import { dayMs } from '@cdn/kit/time'
import type { Note } from '../exchange/check.ts'
import { toConfigurationError, withFileErrors } from '../exchange/file-errors.ts'
import { validatorOf } from '../exchange/read-json.ts'
import type { RememberedRun } from '../exchange/report-model.ts'
import { parseOrUndefined } from '../exchange/response.ts'
import type { Schemas } from '../gen/schemas.ts'

/** The seed and the calls of a failed check, which `conformance replay` sends again. */
export type StoredCase = Schemas['StoredCase']

/** Data of earlier runs, in the order in which they wrote it. */
export interface Memory {
  readonly runs: readonly RememberedRun[]
  readonly notes: readonly (readonly [key: string, note: Note])[]
  readonly cases: readonly StoredCase[]
}

/** Maximum age of a run compared with the newest one, in ms: a year. */
const maxAgeMs = 366 * dayMs
/** Maximum age of useful notes, in ms: the retention of the logs (§8) plus one day. */
const maxNoteAgeMs = 4 * dayMs

/** Returns the path of the memory of the reports in a folder: `reports/live.jsonl` for `reports/live`. */
export function memoryFile(out: string): string {
  return `${resolve(out)}.jsonl`
}

/**
 * Reads a memory. A missing file counts as empty, and invalid lines are left out.
 *
 * @param onNotice called with one sentence if lines are left out
 * @throws SuiteConfigurationError in one sentence if the file cannot be read, for example because it is a symbolic link
 */
export function readMemory(file: string, onNotice: (sentence: string) => void = () => {}): Memory {
  const lines = textOf(file).split('\n').filter(Boolean)
  const validate = validatorOf('MemoryLine')
  const valid = lines.flatMap((line) => {
    const value = parseOrUndefined(line)
    return validate(value) ? [value] : []
  })
  const invalid = lines.length - valid.length
  if (invalid > 0)
    onNotice(`${file}: ${invalid} invalid line${invalid === 1 ? ' is' : 's are'} left out; the others count.`)
  return {
    runs: valid.flatMap((line) => (line.kind === 'run' ? [line.run] : [])),
    notes: valid.flatMap((line) => (line.kind === 'note' ? [[line.key, line.note] as const] : [])),
    cases: valid.flatMap((line) => (line.kind === 'case' ? [line.case] : [])),
  }
}

function textOf(file: string): string {
  try {
    return readPrivateFile(file) ?? ''
  } catch (error) {
    throw toConfigurationError('read the memory', file, error)
  }
}

/**
 * The runs in the memory of a folder; none if it cannot be read, which the end of a run reports.
 *
 * @param onError called with the error of a memory that cannot be read
 */
export function earlierRuns(
  out: string,
  onNotice?: (sentence: string) => void,
  onError: (error: Error) => void = () => {},
): readonly RememberedRun[] {
  try {
    return readMemory(memoryFile(out), onNotice).runs
  } catch (error) {
    onError(error as Error)
    return []
  }
}

/**
 * Changes a memory, and drops old runs and notes. The file is written completely or not at all.
 *
 * @throws SuiteConfigurationError in one sentence if the file cannot be read or written
 */
export async function changeMemory(file: string, change: (memory: Memory) => Partial<Memory>): Promise<void> {
  return withFileErrors('write the memory', file, async () => {
    const before = readMemory(file)
    const after = { ...before, ...change(before) }
    // The last run is the newest one, because the clock of an earlier run may have been ahead.
    const newest = Date.parse(after.runs.at(-1)?.at ?? '')
    const recent: Memory = {
      runs: after.runs.filter(({ at }) => Date.parse(at) > newest - maxAgeMs),
      notes: after.notes.filter(([, { at }]) => at > Date.now() - maxNoteAgeMs),
      cases: after.cases,
    }
    const lines = [
      ...recent.runs.map((run) => ({ kind: 'run', run })),
      ...recent.notes.map(([key, note]) => ({ kind: 'note', key, note })),
      ...recent.cases.map((stored) => ({ kind: 'case', case: stored })),
    ]
    await writeWhole(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
}

/** Notes that runs write for later runs, by key. */
export type Notes = ReturnType<typeof openNotes>

/**
 * Opens the notes of earlier runs. A run does not read the notes that it adds.
 *
 * @param onNotice called with one sentence if invalid lines are left out
 */
export function openNotes(file: string, onNotice?: (sentence: string) => void) {
  const { notes } = readMemory(file, onNotice)
  const added: [key: string, note: Note][] = []
  return {
    recall: (key: string): readonly Note[] => notes.flatMap(([of, note]) => (of === key ? [note] : [])),
    add: (key: string, value: unknown) => void added.push([key, { at: Date.now(), value }]),
    /** Adds the new notes to the file, and drops old ones. Does nothing without a new note. */
    async save() {
      if (added.length > 0) await changeMemory(file, (memory) => ({ notes: [...memory.notes, ...added] }))
    },
  }
}
