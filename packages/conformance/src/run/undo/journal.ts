import { createHmac, randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { appendFile, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toRecord } from '@cdn/kit/record'
import type { UndoStep } from '../check.ts'
import { ownerOnly } from '../files.ts'
import { parseOrUndefined, validatorOf } from '../read-json.ts'

const appendFlags = constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_WRONLY

/** A step that was not performed yet. */
export interface Pending {
  readonly key: string
  /** Id of the check that sent the write. */
  readonly check: string
  readonly step: UndoStep
  /** Whether the step was stored by a run with the same API key. A step of anyone else must not be sent. */
  readonly isOwn: boolean
}

/** Stores how to undo the writes of a run. */
export type UndoJournal = ReturnType<typeof openJournal>

/**
 * Opens a journal for writing. A line is a step, `{"add": KEY, ...}`, or the key of a performed one, `{"done": KEY}`. No line
 * holds a credential; the undo adds it when it is sent. A step is signed, because it gets the API key of the run that sends
 * it, and a journal may come from elsewhere.
 *
 * @param file path of the file. The first step creates it; only its owner can read it
 * @param accessKey API key of the run, which signs the steps
 */
export function openJournal(file: string, accessKey: string) {
  let isNew = true
  let turn: Promise<void> = Promise.resolve()
  const write = (line: object) => {
    turn = turn
      .catch(() => {})
      .then(async () => {
        // Only the owner can read the file, and a symbolic link is not followed. The text is on the disk when this resolves.
        await appendFile(file, `${JSON.stringify(line)}\n`, { flag: appendFlags, mode: ownerOnly, flush: true })
        if (isNew) await syncFolder(dirname(file))
        isNew = false
      })
    return turn
  }
  return {
    /**
     * Stores a step. When the promise resolves, the step is on the disk, and the write may be sent.
     *
     * @returns the key for `done`
     */
    async add(check: string, { text, method, url, headers, body, find }: UndoStep): Promise<string> {
      const key = randomUUID()
      const content = typeof body === 'string' ? { body } : body && { bytes: Buffer.from(body).toString('base64') }
      const line = { add: key, check, text, method, url, headers, ...(find && { find }), ...content }
      await write({ ...line, signature: signatureOf(line, accessKey) })
      return key
    },
    /** Notes that a step was performed. */
    done: (key: string): Promise<void> => write({ done: key }),
  }
}

/** Returns the HMAC of a line, so that only an owner of the API key can write a step that is sent. */
function signatureOf(line: object, accessKey: string): string {
  return createHmac('sha256', accessKey).update(JSON.stringify(line)).digest('base64')
}

/** Waits until the entries of a folder are on the disk, so that a new file survives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/**
 * Reads a journal. A missing file has no steps. A line that is not JSON was truncated and is ignored, because the run
 * ended before it sent the write of that line.
 *
 * @param accessKey API key that must have signed the steps
 * @returns the steps that were not performed yet, in the order of their addition; and the numbers, from 1, of the lines that
 *   are JSON, but not lines of a journal
 * @throws the file system's error
 */
export async function readJournal(file: string, accessKey: string) {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const pending = new Map<string, Pending>()
  const invalid: number[] = []
  for (const [index, value] of text.split('\n').map(parseOrUndefined).entries()) {
    if (value === undefined) continue
    const { done } = toRecord(value)
    const added = toPending(value, accessKey)
    if (typeof done === 'string') pending.delete(done)
    else if (added) pending.set(added.key, added)
    else invalid.push(index + 1)
  }
  return { pending: [...pending.values()], invalid }
}

/** Returns the step of a line; undefined if the line does not have the form that `openJournal` writes. */
function toPending(line: unknown, accessKey: string): Pending | undefined {
  if (!validatorOf('JournalStep')(line)) return undefined
  const { signature, ...signed } = line
  const { add, check, text, method, url, headers, find, bytes } = signed
  const body = bytes === undefined ? signed.body : new Uint8Array(Buffer.from(bytes, 'base64'))
  return {
    key: add,
    check: printable(check),
    step: { text: printable(text), method, url, headers, ...(find && { find }), ...(body !== undefined && { body }) },
    isOwn: signature === signatureOf(signed, accessKey),
  }
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
