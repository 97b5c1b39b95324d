import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import { parse, stringify } from 'yaml'
import { specsFolder } from '../bundle.ts'
import { toolEnvironment } from '../redocly.ts'
import type { Json } from './json.ts'

/** The formatter ignores files above this size in bytes (`files.maxSize` of Biome). */
const maxFormatted = 1 << 20

/**
 * Writes a document as YAML in the format of this repository's formatter.
 *
 * @param comment text of the first line
 */
export function yamlDocument(document: unknown, comment: string): string {
  const text = `# ${comment}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`
  if (Buffer.byteLength(text) > maxFormatted) return text
  const root = join(specsFolder, '..')
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'format', '--stdin-file-path=specs/imported.yaml']
  return execFileSync(process.execPath, args, {
    cwd: root,
    input: text,
    env: toolEnvironment,
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  })
}

/** Reads a YAML file that one of these tools wrote. Returns undefined if the file is missing. */
export async function readYaml(path: string): Promise<Json | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const document: unknown = text === undefined ? undefined : parse(text, { maxAliasCount: 0 })
  return isRecord(document) ? document : undefined
}
