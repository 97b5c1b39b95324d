import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { LedgerError, messageOf } from '../errors.ts'
import type { Lines } from '../rows/encoder.ts'

export type Rejects = ReturnType<typeof openRejects>

/**
 * Stores rows that could not be encoded, in `<folder>/rejects/zone=<ID>.ndjson` or `delivery=<NAME>.ndjson`: one `{"text", "reason"}`
 * per line. The text is the received row. It may contain a visitor's credential, so only the owner can read the files. If a window is
 * read again later, its rows may be added again.
 */
export function openRejects(folder: string) {
  const directory = join(folder, 'rejects')
  return {
    /** @param origin who rejected the rows @returns when the rows are on disk @throws LedgerError */
    async add(origin: `zone=${string}` | `delivery=${string}`, rejects: Lines['rejects']): Promise<void> {
      const path = join(directory, `${origin}.ndjson`)
      const lines = rejects.map(({ text, reason }) => `${JSON.stringify({ text, reason })}\n`).join('')
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        await append(path, lines)
      } catch (cause) {
        throw new LedgerError(`Rejected rows cannot be stored in ${path}: ${messageOf(cause)}.`, { cause })
      }
    },
  }
}

/** Appends whole lines. If the disk takes only a part of them, removes that part, so that the next lines stay readable. */
async function append(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    try {
      await file.appendFile(lines)
      await file.sync()
    } catch (error) {
      await file.truncate(size)
      throw error
    }
  } finally {
    await file.close()
  }
}
