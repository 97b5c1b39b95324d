import { contracts } from '@cdn/api/contract'
import { parseRowFields } from './canonical.ts'

const ending = /,"source":"v[12]"\}\n?$/
const lineFields = contracts.logging.operations
  .flatMap(({ responses }) => responses.flatMap(({ line }) => line ?? []))
  .map(({ name }) => name)

/** The identity of a line among lines of the same source: the canonical line without its source and its line feed. */
export function rowKey(line: string): string {
  return line.replace(ending, '')
}

/**
 * The identity of a line by the columns of version 1. Characters that version 1 strips from texts are ignored. So both versions of
 * one request's row have the same key.
 */
export function v1Key(line: string): string {
  const row = parseRowFields(line)
  return lineFields.map((name) => keyOf(name, row[name])).join('|')
}

/** `-` means absent. In the first field `-` is also a cache status, and both meanings give the same key. */
function keyOf(name: string, value: unknown): string {
  if (name === 'timestamp') return String(Date.parse(String(value)))
  return String(value ?? '').replaceAll(/[|\r\n]/g, '') || '-'
}
