/** Reads the files that a user names: configurations, fixtures, secrets, bodies. */
import { close, constants, fstat, open, readFile, type Stats } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { errorWithCode } from './system-error.ts'

/** Maximum number of bytes that a pipe may give. */
const maxPipedBytes = 64 * 2 ** 20

/**
 * Reads a file, or a pipe such as `<(command)`. A signal ends the program while it waits for the pipe. Links are followed, because the user
 * may keep files elsewhere.
 *
 * @throws Error whose `code` is the reason: a code such as `ENOENT`, or words such as `it is a device`
 */
export async function readInputFile(path: string): Promise<Buffer> {
  // Without this flag, which Windows lacks, opening a pipe waits for its writer, and only SIGKILL ends the process.
  const file = await promisify(open)(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  let isOpen = true
  try {
    const status: Stats = await promisify(fstat)(file)
    if (status.isFile()) return await promisify(readFile)(file)
    if (status.isDirectory()) throw errorWithCode('EISDIR')
    if (!status.isFIFO() && !status.isSocket()) throw errorWithCode('it is a device')
    const pipe = new Socket({ fd: file, readable: true, writable: false })
    isOpen = false // the socket closes the file
    const pieces: Buffer[] = []
    let length = 0
    for await (const piece of pipe as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > maxPipedBytes) throw errorWithCode(`it gives more than ${maxPipedBytes / 2 ** 20} MiB`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  } finally {
    if (isOpen) await promisify(close)(file)
  }
}
