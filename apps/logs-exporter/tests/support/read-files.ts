import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { MemoryDisk } from './memory-disk.ts'
import type { Exported } from './oracle.ts'

/** Reads a folder of NDJSON segments by their names alone; any other file that a consumer would match is an error. */
export function readFiles(folder: string): Exported[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  return names
    .filter((name) => /ndjson/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      const plain = name.endsWith('.zst') ? zstdDecompressSync(bytes) : name.endsWith('.gz') ? gunzipSync(bytes) : bytes
      return { ...readName(name), lines: plain.toString().split('\n').filter(Boolean) }
    })
}

/** The same for a disk in memory, with uncompressed segments. */
export function readDisk(disk: MemoryDisk): Exported[] {
  const segments = [...disk.files()].filter(([path]) => path.includes('.ndjson'))
  return segments.map(([path, bytes]) => ({
    ...readName(path),
    lines: Buffer.from(bytes).toString().split('\n').filter(Boolean),
  }))
}

/** Parses the path of a segment; its times become valid for `Date.parse` after punctuation is restored. */
export function readName(path: string): Omit<Exported, 'lines'> {
  const [zone, date, hour, name = ''] = path.split('/').slice(-4)
  const [span = '', revision = ''] = name.split('.')
  const [from = Number.NaN, to = Number.NaN] = span.split('-').map((text) => {
    const [day, time = ''] = text.split('T')
    return Date.parse(
      `${day?.slice(0, 4)}-${day?.slice(4, 6)}-${day?.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`,
    )
  })
  const folder = `date=${new Date(from).toISOString().slice(0, 10)}/hour=${new Date(from).toISOString().slice(11, 13)}`
  if (folder !== `${date}/${hour}`) throw new Error(`${path} lies in the wrong folder`)
  return { zone: zone?.replace('zone=', '') ?? '', from, to, revision: Number(revision.replace('r', '')) }
}
