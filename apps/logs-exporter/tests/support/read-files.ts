import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { MemoryDisk } from './memory-disk.ts'
import type { Exported } from './oracle.ts'

/** Reads a folder of NDJSON segments by their names alone. Any other file that a consumer would match is an error. */
export function readFiles(folder: string): Exported[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  return names
    .filter((name) => /ndjson/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      const plain = name.endsWith('.zst') ? zstdDecompressSync(bytes) : name.endsWith('.gz') ? gunzipSync(bytes) : bytes
      return { ...parseSegmentPath(name), lines: plain.toString().split('\n').filter(Boolean) }
    })
}

/** Reads the uncompressed segments of a disk in memory. @param zone by default, all zones */
export function readDisk(disk: MemoryDisk, zone = ''): Exported[] {
  const segments = [...disk.files()].filter(([path]) => path.includes('.ndjson') && path.includes(`zone=${zone}`))
  return segments.map(([path, bytes]) => ({
    ...parseSegmentPath(path),
    lines: Buffer.from(bytes).toString().split('\n').filter(Boolean),
  }))
}

/** Parses the path of a segment. Its times have no punctuation, which is restored for `Date.parse`. */
export function parseSegmentPath(path: string): Omit<Exported, 'lines'> {
  const part = (pattern: RegExp) => assertDefined(pattern.exec(path)?.[1])
  const timeAt = (pattern: RegExp) =>
    Date.parse(part(pattern).replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:'))
  const [from, to] = [timeAt(/([^/-]+)-[^/]+$/), timeAt(/-([^/-]+)\.r[^/]+$/)]
  const start = new Date(from).toISOString()
  const folder = `date=${start.slice(0, 10)}/hour=${start.slice(11, 13)}`
  if (folder !== part(/([^/]+\/[^/]+)\/[^/]+$/)) throw new Error(`${path} lies in the wrong folder`)
  return { zone: part(/zone=(\d+)\//), from, to, revision: Number(part(/\.r(\d+)\.[^/]+$/)) }
}
