import { createHash, randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withSystemFailures } from '../errors.ts'

/** Temporary storage for a request body. The headers contain its length and digest, which are known only at the end. */
export type TemporaryFile = Awaited<ReturnType<typeof openTemporaryFile>>

const pieceBytes = 256 * 1024

/** Opens an unlinked temporary file. So even a killed process leaves no file behind. */
export async function openTemporaryFile(folder: string = tmpdir()) {
  const path = join(folder, `cdn-logs-exporter-${randomUUID()}.tmp`)
  const collect = <T>(act: () => Promise<T>) =>
    withSystemFailures(
      (why) => `Segments cannot be collected in the temporary folder ${folder}: ${why}. Set TMPDIR to another folder.`,
      act,
    )
  const file = await collect(async () => {
    const opened = await open(path, 'wx+', 0o600)
    await unlink(path)
    return opened
  })
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(piece: Uint8Array): Promise<void> {
      hash.update(piece)
      await collect(() => file.appendFile(piece))
      bytes += piece.length
    },
    seal: () => ({ bytes, sha256: hash.digest('hex') }),
    /** All bytes. Can be called again for the next attempt. */
    async *stream() {
      // A stream of Node that is destroyed before its end would close the file, which the next attempt needs.
      for (let at = 0; at < bytes; ) {
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at))
        const { bytesRead, buffer } = await collect(() => file.read(piece, 0, null, at))
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
        at += bytesRead
      }
    },
    close: () => file.close(),
  }
}
