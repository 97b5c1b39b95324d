import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SinkError } from './sink-error.ts'

/** Bytes that wait for their request: its headers name their length and digest, which are known at the end only. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** Ends the writing. */
  seal(): { readonly bytes: number; readonly sha256: string }
  /** From the first byte; may be asked for once more, for the next attempt. */
  stream(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

const pieceBytes = 256 * 1024

/** Opens a temporary file that has no name any more, so that not even a killed process leaves one behind. */
export async function openSpool(folder: string = tmpdir()): Promise<Spool> {
  const path = join(folder, `cdn-logs-exporter-${randomUUID()}.tmp`)
  const file = await told(folder, () => open(path, 'wx+', 0o600))
  await unlink(path)
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(piece) {
      hash.update(piece)
      await told(folder, () => writeAll(file, piece, bytes))
      bytes += piece.length
    },
    seal: () => ({ bytes, sha256: hash.digest('hex') }),
    async *stream() {
      for (let at = 0; at < bytes; ) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at)), 0, null, at)
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
        at += bytesRead
      }
    },
    close: () => file.close(),
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    done += (await file.write(piece, done, piece.length - done, at + done)).bytesWritten
  }
}

async function told<T>(folder: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const sentence = `Segments cannot be gathered in the temporary folder ${folder} (${code}); make room there, or name another one by TMPDIR.`
    throw new SinkError(code === 'ENOSPC' || code === 'EMFILE' ? 'transient' : 'permanent', sentence)
  }
}
