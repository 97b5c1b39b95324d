import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isRecord, toRecord } from '@cdn/kit/record'
import { bundleFile } from '../bundle.ts'
import { type Json, withoutControls } from './json.ts'

/**
 * Reads a foreign contract with all files that it refers to.
 *
 * @param path OpenAPI 3.0 or 3.1, YAML or JSON
 * @returns one document without control characters
 * @throws RangeError if the file is not such a contract; the message is a clause without the name of the file
 */
export async function readForeign(path: string): Promise<Json> {
  const file = resolve(path)
  const status = await stat(file).catch(() => undefined)
  if (!status) throw new RangeError('the file does not exist')
  if (!status.isFile()) throw new RangeError('it is not a file')
  const text = await readFile(file, 'utf8')
  if (/\$ref["']?\s*:\s*["']?https?:/.test(text))
    throw new RangeError('it refers to a URL; only files next to it are read')
  const bundled = await bundleFile(dirname(file), basename(file)).catch((error: Error) => {
    throw new RangeError(reasonIn(error.message))
  })
  const document = toRecord(withoutControls(bundled))
  if (document['swagger'] !== undefined) throw new RangeError('it is Swagger 2.0; convert it to OpenAPI 3 first')
  if (!/^3\.[01]\./.test(`${document['openapi']}.`)) throw new RangeError('it is not OpenAPI 3.0 or 3.1')
  if (!isRecord(document['info']) || !isRecord(document['paths'])) throw new RangeError('it needs `info` and `paths`')
  return document
}

/** Extracts the reason from Redocly's findings. */
function reasonIn(findings: string): string {
  const [, place = ''] = / (at #\S+)/.exec(findings) ?? []
  const [reason] = /(?<=^ {2}- ).+|Can't resolve \$ref|Maximum call stack/m.exec(findings) ?? ['it does not bundle']
  const isDeep = /Maximum call stack|maxDepth/.test(reason)
  const plain = isDeep ? 'it is nested too deeply' : reason.replace(/ in "[^"]*" \(/, ' (').replace(/\.$/, '')
  return `${plain} ${place}`.trim()
}
