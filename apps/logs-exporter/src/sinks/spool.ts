import { createHash, randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf, messageOf } from '../errors.ts'
import { SinkError } from './sink-error.ts'
import { systemFailure } from './system-failure.ts'

/** Temporary storage for a request body. The headers contain its length and digest, which are known only at the end. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** Finishes writing. */
  seal(): { readonly bytes: number; readonly sha256: string }
  /** All bytes. Can be called again for the next attempt. */
  stream(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const pieceBytes = 256 * 1024

/** Opens an unlinked temporary file. So even a killed process leaves no file behind. */
export async function openSpool(folder: string = tmpdir()): Promise<Spool> {
  const path = join(folder, `cdn-logs-exporter-${randomUUID()}.tmp`)
  const file = await withSinkErrors(folder, () => open(path, 'wx+', 0o600))
  await unlink(path)
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(piece) {
      hash.update(piece)
      await withSinkErrors(folder, () => file.appendFile(piece))
      bytes += piece.length
    },
    seal: () => ({ bytes, sha256: hash.digest('hex') }),
    stream: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceBytes }),
    close: () => file.close(),
  }
}

async function withSinkErrors<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    const { kind, why } = systemFailure(code, messageOf(error))
    const sentence = `Segments cannot be collected in the temporary folder ${folder}: ${why} (${code}). Set TMPDIR to another folder.`
    throw new SinkError(kind, sentence)
  }
}
