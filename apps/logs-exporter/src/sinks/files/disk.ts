import { createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { codeOf } from '../../errors.ts'
import type { StoredFile } from '../../formats/index.ts'

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>
  /** Makes the written bytes survive a power failure. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** File system operations of the files sink. Errors have Node's codes. */
export interface Disk {
  /** @param mode permissions of the file @throws EEXIST */
  create(path: string, mode: number): Promise<NewFile>
  /** @throws EEXIST */
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** @throws EEXIST */
  makeDirectory(path: string): Promise<void>
  /** Makes the names in a directory survive a power failure. */
  syncDirectory(path: string): Promise<void>
  /** Names in a directory; empty if it does not exist. */
  list(path: string): Promise<string[]>
  input(path: string): Promise<StoredFile>
  /** Time of the last write, in ms since 1970. */
  changedAt(path: string): Promise<number>
}

/** The file system of the machine. */
export const disk: Disk = {
  async create(path, mode) {
    const file = await open(path, 'wx', mode)
    return { write: (bytes) => file.appendFile(bytes), sync: () => file.sync(), close: () => file.close() }
  },
  link,
  unlink,
  makeDirectory: (path) => mkdir(path),
  syncDirectory: (path) => using(path, (directory) => directory.sync()),
  list: (path) => readdir(path).catch((error) => (codeOf(error) === 'ENOENT' ? [] : Promise.reject(error))),
  async input(path) {
    const { size } = await stat(path)
    return {
      size,
      stream: () => createReadStream(path),
      slice: (from, to) =>
        using(path, async (file) => {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, to - from)), 0, undefined, from)
          return buffer.subarray(0, bytesRead)
        }),
    }
  },
  changedAt: async (path) => (await stat(path)).mtimeMs,
}

async function using<T>(path: string, act: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    return await act(file)
  } finally {
    await file.close()
  }
}
