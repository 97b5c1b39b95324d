import { constants, createReadStream } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '@cdn/kit/error-message'
import { makeFolder, privateFileFlags } from '@cdn/kit/private-file'
import { codeOf } from '@cdn/kit/system-error'
import { LedgerError } from '../errors.ts'
import { countLines } from '../formats/format.ts'
import type { Lines } from '../rows/encoder.ts'
import { refuseLinks } from './open-ledger.ts'

/** The file of dead letters. @param origin `zone=ID` or `stdout` */
export function deadLetterPath(folder: string, origin: string): string {
  return join(folder, 'rejects', `${origin}.ndjson`)
}

export type DeadLetters = ReturnType<typeof openDeadLetters>

/**
 * Stores rows that could not be encoded in `<folder>/rejects/zone=<ID>.ndjson`, and segments that standard output left out in
 * `stdout.ndjson`: one `{"text", "reason"}` per line. The text is the row after the privacy rules. It may still contain
 * personal data, so only the owner can read the files. If a window is read again later, its rows may be added again.
 */
export function openDeadLetters(folder: string) {
  return {
    /** @returns when the rows are on disk @throws LedgerError */
    async add(origin: `zone=${string}` | 'stdout', rejects: Lines['rejects']): Promise<void> {
      const path = deadLetterPath(folder, origin)
      const lines = rejects.map(({ text, reason }) => `${JSON.stringify({ text, reason })}\n`).join('')
      try {
        makeFolder(dirname(path), 0o700)
        await append(path, lines)
      } catch (cause) {
        throw new LedgerError(`Dead letters cannot be stored in ${path}: ${messageOf(cause)}.`, { cause })
      }
    },
  }
}

/** Counts the dead letters on the disk by origin, for example `zone=123`. Reads the files. @throws LedgerError */
export async function countDeadLetters(folder: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  try {
    const names = await readdir(join(folder, 'rejects')).catch((error) =>
      codeOf(error) === 'ENOENT' ? [] : Promise.reject(error),
    )
    for (const name of names.filter((name: string) => name.endsWith('.ndjson')).sort()) {
      let lines = 0
      for await (const bytes of createReadStream(join(folder, 'rejects', name))) lines += countLines(bytes)
      counts.set(name.slice(0, -'.ndjson'.length), lines)
    }
  } catch (cause) {
    throw new LedgerError(`The dead letters in ${join(folder, 'rejects')} cannot be read: ${messageOf(cause)}.`, {
      cause,
    })
  }
  return counts
}

/** Appends whole lines. If the disk takes only a part of them, removes that part, so that the next lines stay readable. */
async function append(path: string, lines: string): Promise<void> {
  refuseLinks(dirname(path), path)
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | privateFileFlags, 0o600)
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
