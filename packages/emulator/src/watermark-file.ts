import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A PNG image of 16 by 16 pixels. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAPElEQVR42mP4//8/AyUYl8QCHJgoAxYQwHgNWEAkxmrAAhIxigELyMSjBlDTAIqjkSoJiSpJmSqZiSQMAEsHXq5oXpveAAAAAElFTkSuQmCC'

let file: string | undefined

/**
 * Returns the path of a small PNG image. The first call writes the image to a temporary folder, so that the file exists even if
 * the emulator is part of a bundle. The folder is deleted when the process exits.
 */
export function watermarkFile(): string {
  if (file !== undefined) return file
  const folder = mkdtempSync(join(tmpdir(), 'cdn-emulator-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'watermark.png')
  writeFileSync(file, Buffer.from(image, 'base64'))
  return file
}
