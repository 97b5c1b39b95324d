import { contracts } from '@cdn/api/contract'
import { parseRowObject } from './canonical.ts'

const ending = /,"source":"v[12]"\}\n?$/
const lineFields = contracts.logging.operations
  .flatMap(({ responses }) => responses.flatMap(({ line }) => line ?? []))
  .map(({ name }) => name)

/** The identity of a line among lines of one source: the canonical line without its source and line feed. */
export function rowKey(line: string): string {
  return line.replace(ending, '')
}

/**
 * The identity of a line by the columns of version 1, its text stripped like in version 1: the same for both versions of the
 * row of a request.
 */
export function v1Key(line: string): string {
  const row = parseRowObject(line)
  return lineFields.map((name) => keyOf(name, row[name])).join('|')
}

/** `-` means absent. In the first field it is also a cache status; both give the same key. */
function keyOf(name: string, value: unknown): string {
  if (name === 'timestamp') return String(Date.parse(String(value)))
  return String(value ?? '').replaceAll(/[|\r\n]/g, '') || '-'
}
