import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toRecord } from '@cdn/kit/record'
import type { UndoStep } from '../../core/check.ts'
import { append } from '../../core/files.ts'
import { parseOrUndefined } from '../../core/read-json.ts'

/** A step that was not performed yet. */
export interface Pending {
  readonly key: string
  /** Id of the check that sent the write. */
  readonly check: string
  readonly step: UndoStep
}

/** Stores how to undo the writes of a run. */
export interface UndoJournal {
  /**
   * Stores a step. When the promise resolves, the step is on the disk, and the write may be sent.
   *
   * @returns the key for `done`
   */
  add(check: string, step: UndoStep): Promise<string>
  /** Notes that a step was performed. */
  done(key: string): Promise<void>
}

/**
 * Opens a journal for writing. A line is a step, `{"add": KEY, ...}`, or the key of a performed one, `{"done": KEY}`. No line
 * holds a credential; the undo adds it when it is sent.
 *
 * @param file path of the file. The first step creates it; only its owner can read it
 */
export function openJournal(file: string): UndoJournal {
  let isNew = true
  let turn: Promise<void> = Promise.resolve()
  const write = (line: object) => {
    turn = turn
      .catch(() => {})
      .then(async () => {
        await append(file, `${JSON.stringify(line)}\n`)
        if (isNew) await syncFolder(dirname(file))
        isNew = false
      })
    return turn
  }
  return {
    async add(check, { text, method, url, body }) {
      const key = randomUUID()
      const content = typeof body === 'string' ? { body } : body && { bytes: Buffer.from(body).toString('base64') }
      await write({ add: key, check, text, method, url, ...content })
      return key
    },
    done: (key) => write({ done: key }),
  }
}

/** Waits until the entries of a folder are on the disk, so that a new file survives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The content of a journal file. */
export interface JournalFile {
  /** The steps that were not performed yet, in the order of their addition. */
  readonly pending: readonly Pending[]
  /** Numbers of the lines that are JSON, but not lines of a journal. The first is 1. */
  readonly invalid: readonly number[]
}

/**
 * Reads a journal. A missing file has no steps. A line that is not JSON was truncated and is ignored, because the run
 * ended before it sent the write of that line.
 *
 * @throws the file system's error
 */
export async function readJournal(file: string): Promise<JournalFile> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const pending = new Map<string, Pending>()
  const invalid: number[] = []
  for (const [index, value] of text.split('\n').map(parseOrUndefined).entries()) {
    if (value === undefined) continue
    const { done } = toRecord(value)
    const added = toPending(value)
    if (typeof done === 'string') pending.delete(done)
    else if (added) pending.set(added.key, added)
    else invalid.push(index + 1)
  }
  return { pending: [...pending.values()], invalid }
}

/** Returns the step of a line; undefined if the line does not have the form that `openJournal` writes. */
function toPending(value: unknown): Pending | undefined {
  const { add, check, text, method, url, body, bytes } = toRecord(value)
  const line = { key: add, check, text, method, url, body: body ?? '', bytes: bytes ?? '' }
  if (!isOfTexts(line)) return undefined
  const content = bytes === undefined ? line.body : new Uint8Array(Buffer.from(line.bytes, 'base64'))
  const step = { text: printable(line.text), method: line.method, url: line.url, headers: {} }
  return {
    key: line.key,
    check: printable(line.check),
    step: body === undefined && bytes === undefined ? step : { ...step, body: content },
  }
}

function isOfTexts<Key extends string>(record: Readonly<Record<Key, unknown>>): record is Record<Key, string> {
  return Object.values(record).every((value) => typeof value === 'string')
}

/** Replaces control characters, line breaks and marks of direction, so that a text of a journal stays in its sentence. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
}

/**
 * Takes a lock, which shows that the process of a journal is alive, without waiting. The system releases it, however the
 * process ends. It is SQLite's lock on a file, because Node has no other lock that ends with its process.
 * A file with a process id would not be reliable, because the system may give the id to another process later.
 *
 * @param file created if missing, and removed on release
 * @returns a function that releases the lock; undefined if another process holds it
 */
export function acquire(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    // SQLITE_BUSY
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
  return () => {
    database.close()
    rmSync(file, { force: true })
  }
}
