import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Lines } from '../rows/encoder.ts'

/** Stores rows that could not be encoded. If their window is read again later, they may be added again. */
export interface Rejects {
  /** Resolves when the rows are on disk. */
  add(zone: string, rejects: Lines['rejects']): Promise<void>
}

/**
 * Stores rejects in `<folder>/rejects/zone=<ID>.ndjson`, one `{"text", "reason"}` per line. The text is the received row. It may
 * contain a visitor's credential, so only the owner can read the files.
 */
export function openRejects(folder: string): Rejects {
  const directory = join(folder, 'rejects')
  return {
    async add(zone, rejects) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const file = await open(join(directory, `zone=${zone}.ndjson`), 'a', 0o600)
      try {
        await file.write(rejects.map(({ text, reason }) => `${JSON.stringify({ text, reason })}\n`).join(''))
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}
