import { readFile } from 'node:fs/promises'
import { isRecord } from '@cdn/kit/record'
import { parse, stringify } from 'yaml'

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Returns the value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Maps the values of an object. A key `__proto__` stays an ordinary key. */
export function mapValues(node: Json, to: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, to(value, key)]))
}

/** Control characters that could affect a terminal: all except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes control characters from a text. */
export function withoutControls(text: string): string {
  return text.replace(control, '')
}

/**
 * Writes a document as YAML.
 *
 * @param comment text of the first line
 */
export function yamlDocument(document: unknown, comment: string): string {
  return `# ${comment}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`
}

/** Reads a YAML file that one of these tools wrote. Returns undefined if the file is missing. */
export async function readYaml(path: string): Promise<Json | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const document: unknown = text === undefined ? undefined : parse(text, { maxAliasCount: 0 })
  return isRecord(document) ? document : undefined
}
