import { randomUUID } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import type { UndoStep } from '../../core/check.ts'
import { append } from '../../core/files.ts'

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

/** One line of the file. A body of bytes is base64. No line holds a credential; the undo adds it when it is sent. */
type Line =
  | { readonly management: string }
  | { readonly add: string; readonly check: string; readonly step: Omit<UndoStep, 'body'>; readonly body?: Body }
  | { readonly done: string }

type Body = { readonly text: string } | { readonly base64: string }

/** The content of a journal file. */
export interface JournalFile {
  /** Base URL of the management interface that received the writes. */
  readonly management: string | undefined
  /** The steps that were not performed yet, in the order of their addition. */
  readonly pending: readonly Pending[]
  /** Numbers of the lines that are JSON, but not lines of a journal. The first is 1. */
  readonly invalid: readonly number[]
}

/**
 * Opens a journal for writing.
 *
 * @param file path of the file. The first step creates it; only its owner can read it
 * @param management base URL for the writes
 */
export function openJournal(file: string, management: string): UndoJournal {
  let opened = false
  let turn: Promise<void> = Promise.resolve()
  const write = (line: Line) => {
    turn = turn
      .catch(() => {})
      .then(async () => {
        if (!opened) {
          await append(file, toText({ management }))
          await syncFolder(dirname(file))
        }
        opened = true
        await append(file, toText(line))
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

function toText(line: Line): string {
  return `${JSON.stringify(line)}\n`
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
  let management: string | undefined
  const invalid: number[] = []
  for (const [index, value] of text.split('\n').map(parse).entries()) {
    if (value === undefined) continue
    const line = toLine(value)
    if (!line) invalid.push(index + 1)
    else if ('management' in line) management = line.management
    else if ('done' in line) pending.delete(line.done)
    else pending.set(line.add, { key: line.add, check: line.check, step: { ...line.step, ...fromBody(line.body) } })
  }
  return { management, pending: [...pending.values()], invalid }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Returns a line if it has the form that `openJournal` writes. The headers of a step are not read: an undo has its own. */
function toLine(value: unknown): Line | undefined {
  if (!isRecord(value)) return undefined
  const { management, done, add, check, step, body } = value
  if (typeof management === 'string') return { management }
  if (typeof done === 'string') return { done }
  if (typeof add !== 'string' || typeof check !== 'string' || !isRecord(step)) return undefined
  const { text, method, url } = step
  if (typeof text !== 'string' || typeof method !== 'string' || typeof url !== 'string') return undefined
  const request = { add, check: printable(check), step: { text: printable(text), method, url, headers: {} } }
  if (body === undefined) return request
  if (!isRecord(body)) return undefined
  if (typeof body['text'] === 'string') return { ...request, body: { text: body['text'] } }
  return typeof body['base64'] === 'string' ? { ...request, body: { base64: body['base64'] } } : undefined
}

/** Replaces control characters, line breaks and marks of direction, so that a text of a journal stays in its sentence. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
}

function toBody(body: NonNullable<UndoStep['body']>): Body {
  return typeof body === 'string' ? { text: body } : { base64: Buffer.from(body).toString('base64') }
}

function fromBody(body: Body | undefined): Pick<UndoStep, 'body'> {
  if (!body) return {}
  return { body: 'text' in body ? body.text : new Uint8Array(Buffer.from(body.base64, 'base64')) }
}
