import { parseJson } from '@cdn/api/batches'
import { contracts } from '@cdn/api/contract'

const ending = /,"source":"v[12]"\}\n?$/
const lineFields = contracts.logging.operations
  .flatMap(({ responses }) => responses.flatMap(({ line }) => line ?? []))
  .map(({ name }) => name)

/** The identity of a line among lines of one source: a canonical line without its source (and its line feed). */
export function rowKey(line: string): string {
  return line.replace(ending, '')
}

/**
 * The identity of a line on the columns of version 1, its text stripped as version 1 strips it: the same for the line of a
 * request that was read by v1, and the one that was read by v2.
 */
export function v1Key(line: string): string {
  const row = parseJson(line) as Readonly<Record<string, unknown>>
  return lineFields.map((name) => keyOf(name, row[name])).join('|')
}

/** `-` is absence, and in the first field a cache status of its own; it reads the same. */
function keyOf(name: string, value: unknown): string {
  if (name === 'timestamp') return String(Date.parse(String(value)))
  return String(value ?? '').replaceAll(/[|\r\n]/g, '') || '-'
}
