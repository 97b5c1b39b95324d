import { randomUUID } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { UndoStep } from '../check.ts'

/** A step that has not been taken yet. */
export interface Pending {
  readonly key: string
  /** Id of the check that wrote. */
  readonly check: string
  readonly step: UndoStep
}

/** Where the checks of a run keep how to take their writes back (design §5). */
export interface UndoJournal {
  /**
   * Keeps a step. A write may be sent once this has settled: then the step is on the disk.
   *
   * @returns the key for `done`
   */
  add(check: string, step: UndoStep): Promise<string>
  /** Notes that a step was taken. */
  done(key: string): Promise<void>
}

/** One line of the file. Bytes of a body are base64; no line holds a credential, which the one who undoes adds. */
type Line =
  | { readonly management: string }
  | { readonly add: string; readonly check: string; readonly step: Omit<UndoStep, 'body'>; readonly body?: Body }
  | { readonly done: string }

type Body = { readonly text: string } | { readonly base64: string }

/** What a journal's file holds. */
export interface JournalFile {
  /** Base URL of the management interface that the writes went to. */
  readonly management: string | undefined
  /** In the order in which they were added. */
  readonly pending: readonly Pending[]
}

/**
 * Opens a journal for writing.
 *
 * @param file made by the first step, readable by its owner alone
 * @param management base URL that the writes go to
 */
export function openJournal(file: string, management: string): UndoJournal {
  let opened = false
  let turn: Promise<void> = Promise.resolve()
  const write = (line: Line) => {
    turn = turn
      .catch(() => {})
      .then(async () => {
        if (!opened) await append(file, { management }, true)
        opened = true
        await append(file, line)
      })
    return turn
  }
  return {
    async add(check, { body, ...step }) {
      const key = randomUUID()
      await write({ add: key, check, step, ...(body !== undefined && { body: toBody(body) }) })
      return key
    },
    done: (key) => write({ done: key }),
  }
}

/** Appends a line and waits until the disk has it; the entry of a new file in its folder, too. */
async function append(file: string, line: Line, isNew = false): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    await handle.appendFile(`${JSON.stringify(line)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (isNew) await syncFolder(dirname(file))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads a journal; no file holds no steps, and a last line that was cut is one before whose write the run ended. */
export async function readJournal(file: string): Promise<JournalFile> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const pending = new Map<string, Pending>()
  let management: string | undefined
  for (const line of text.split('\n').flatMap(parse)) {
    if ('management' in line) management = line.management
    else if ('done' in line) pending.delete(line.done)
    else pending.set(line.add, { key: line.add, check: line.check, step: { ...line.step, ...fromBody(line.body) } })
  }
  return { management, pending: [...pending.values()] }
}

function parse(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line]
  } catch {
    return []
  }
}

function toBody(body: NonNullable<UndoStep['body']>): Body {
  return typeof body === 'string' ? { text: body } : { base64: Buffer.from(body).toString('base64') }
}

function fromBody(body: Body | undefined): Pick<UndoStep, 'body'> {
  if (!body) return {}
  return { body: 'text' in body ? body.text : new Uint8Array(Buffer.from(body.base64, 'base64')) }
}
