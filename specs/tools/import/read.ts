import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord } from '@cdn/kit/record'
import { bundleFile } from '../bundle.ts'
import { withScratch } from '../scratch.ts'
import { type ForeignFile, readFiles } from './files.ts'
import type { Json } from './json.ts'

/**
 * Reads a foreign contract with all files that it refers to.
 *
 * @param path OpenAPI 3.0 or 3.1, YAML or JSON
 * @returns one document without control characters, and a note about the other files
 * @throws RangeError if the file is not such a contract; the message is a clause without the name of the file
 */
export async function readForeign(
  path: string,
): Promise<{ readonly foreign: Json; readonly notes: readonly string[] }> {
  const status = await stat(path).catch(() => undefined)
  if (!status) throw new RangeError('the file does not exist')
  if (!status.isFile()) throw new RangeError('it is not a file')
  const files = readFiles(path)
  const document = files.length > 1 ? await bundleCopies(files) : files[0]?.document
  if (!isRecord(document)) throw new RangeError('it is not an object')
  if (document['swagger'] !== undefined) throw new RangeError('it is Swagger 2.0; convert it to OpenAPI 3 first')
  if (!/^3\.[01]\./.test(`${document['openapi']}.`)) throw new RangeError('it is not OpenAPI 3.0 or 3.1')
  if (!isRecord(document['info']) || !isRecord(document['paths'])) throw new RangeError('it needs `info` and `paths`')
  const others = files.slice(1).map(({ path: copy }) => copy.replace(/^\d+\//, ''))
  const notes = others.length > 0 ? [`It refers to other files, which are imported with it: ${others.join(', ')}.`] : []
  return { foreign: document, notes }
}

/** Bundles copies of the files in an empty folder, where Redocly has no other file to read. */
async function bundleCopies(files: readonly ForeignFile[]): Promise<Json> {
  return await withScratch(async (scratch) => {
    await writeFile(join(scratch, 'redocly.yaml'), 'extends: []\n')
    for (const { path, document } of files) {
      await mkdir(join(scratch, dirname(path)))
      await writeFile(join(scratch, path), JSON.stringify(document))
    }
    return await bundleFile(scratch, String(files[0]?.path)).catch((error: Error) => {
      const finding = error.message.split('\n').find((line) => line.startsWith('  - '))
      throw new RangeError(
        `its ${files.length} files cannot be bundled: ${finding?.slice(4) ?? 'they contradict each other'}`,
      )
    })
  })
}
