import { assertDefined } from '@cdn/kit/assert-defined'
import type { Disk } from '../../src/sinks/files/disk.ts'

/** What happens to unsynced data when the disk goes down. It is lost, kept (only the process died), or decided case by case. */
export type Fate = 'dropped' | 'kept' | ((what: string) => boolean)

/** A disk that tracks what would survive a power failure. Each change is a step. The disk goes down before a given step. */
export interface MemoryDisk extends Disk {
  /** Names of the changes so far: `write`, `sync`, `link`, ... */
  readonly steps: readonly string[]
  readonly isDown: boolean
  /** Counts a change of the ledger, which is outside the disk. @throws if the disk is down */
  step(name: string): void
  /** The disk after a restart. */
  restart(fate: Fate, downBefore?: number): MemoryDisk
  files(): Map<string, Uint8Array>
}

interface File {
  readonly kind: 'file'
  bytes: Buffer
  /** The part that survives a power failure. */
  synced: Buffer
}

interface Directory {
  readonly kind: 'directory'
  entries: Map<string, File | Directory>
  /** The names that survive a power failure, with their targets at the last sync of the directory. */
  synced: Map<string, File | Directory>
}

const emptyDirectory = (): Directory => ({ kind: 'directory', entries: new Map(), synced: new Map() })

/** @param downBefore number of the step before which the disk goes down; by default, it stays up */
export function createMemoryDisk(downBefore = Number.POSITIVE_INFINITY, root = emptyDirectory()): MemoryDisk {
  const steps: string[] = []
  let isDown = false

  function step(name: string): void {
    if (isDown || steps.length >= downBefore) {
      isDown = true
      throw new Error(`The disk is down before step ${steps.length}: ${name}`)
    }
    steps.push(name)
  }
  function up(): void {
    if (isDown) throw new Error('The disk is down')
  }
  function directoryOf(path: string): [Directory, string] {
    const names = path.split('/').filter(Boolean)
    const name = assertDefined(names.pop())
    return [directoryAt(names, path), name]
  }
  function directoryAt(names: readonly string[], path: string): Directory {
    let at: Directory = root
    for (const name of names) {
      const next = at.entries.get(name)
      if (next?.kind !== 'directory') throw failure('ENOENT', path)
      at = next
    }
    return at
  }
  function fileAt(path: string): File {
    const [directory, name] = directoryOf(path)
    const file = directory.entries.get(name)
    if (file?.kind !== 'file') throw failure('ENOENT', path)
    return file
  }
  function add(path: string, node: File | Directory): void {
    const [directory, name] = directoryOf(path)
    if (directory.entries.has(name)) throw failure('EEXIST', path)
    directory.entries.set(name, node)
  }

  return {
    steps,
    get isDown() {
      return isDown
    },
    step,
    async create(path) {
      step('create')
      const file: File = { kind: 'file', bytes: Buffer.alloc(0), synced: Buffer.alloc(0) }
      add(path, file)
      return {
        async write(bytes) {
          step('write')
          file.bytes = Buffer.concat([file.bytes, bytes])
        },
        async sync() {
          step('sync')
          file.synced = file.bytes
        },
        async close() {},
      }
    },
    async link(from, to) {
      step('link')
      add(to, fileAt(from))
    },
    async unlink(path) {
      step('unlink')
      fileAt(path)
      const [directory, name] = directoryOf(path)
      directory.entries.delete(name)
    },
    async makeDirectory(path) {
      up()
      const [directory, name] = directoryOf(path)
      if (directory.entries.has(name)) throw failure('EEXIST', path)
      step('makeDirectory')
      add(path, emptyDirectory())
    },
    async syncDirectory(path) {
      step('syncDirectory')
      const directory = directoryAt(path.split('/').filter(Boolean), path)
      directory.synced = new Map(directory.entries)
    },
    async list(path) {
      up()
      try {
        return [...directoryAt(path.split('/').filter(Boolean), path).entries.keys()]
      } catch {
        return []
      }
    },
    async input(path) {
      up()
      const { bytes } = fileAt(path)
      return {
        size: bytes.length,
        async *stream() {
          yield bytes
        },
        slice: async (from, to) => bytes.subarray(from, to),
      }
    },
    changedAt: async () => Number.POSITIVE_INFINITY,
    restart: (fate, next) => createMemoryDisk(next, survivor(root, fate, '', new Map())),
    files() {
      const files = new Map<string, Uint8Array>()
      const collect = (directory: Directory, path: string) => {
        for (const [name, node] of directory.entries) {
          if (node.kind === 'directory') collect(node, `${path}/${name}`)
          else files.set(`${path}/${name}`, node.bytes)
        }
      }
      collect(root, '')
      return files
    },
  }
}

function survivor(directory: Directory, fate: Fate, path: string, copies: Map<object, File | Directory>): Directory {
  const keeps = (what: string) => (typeof fate === 'function' ? fate(what) : fate === 'kept')
  const copy = emptyDirectory()
  const copyOf = (node: File | Directory, at: string): File | Directory => {
    const known = copies.get(node)
    if (known) return known
    const copy =
      node.kind === 'directory' ? survivor(node, fate, at, copies) : survivingFile(node, keeps(`bytes ${at}`), fate)
    copies.set(node, copy)
    return copy
  }
  for (const name of new Set([...directory.entries.keys(), ...directory.synced.keys()])) {
    const at = `${path}/${name}`
    const synced = directory.synced.get(name)
    const now = directory.entries.get(name)
    const left = now === synced || keeps(`name ${at}`) ? now : synced
    if (left) copy.entries.set(name, copyOf(left, at))
    // If only the process died, data that was not synced is still not synced.
    const still = fate === 'kept' ? synced : left
    if (still) copy.synced.set(name, copyOf(still, at))
  }
  return copy
}

function survivingFile({ bytes, synced }: File, isKept: boolean, fate: Fate): File {
  const left = isKept ? bytes : synced
  return { kind: 'file', bytes: left, synced: fate === 'kept' ? synced : left }
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
