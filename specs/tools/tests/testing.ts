/** Helpers of the tests of the specs. */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { interfaces, specsFolder } from '../bundle.ts'

/** Copies the text of the spec, the contract and the supplement into `folder`. */
export async function copySpecs(folder: string): Promise<void> {
  await cp(join(specsFolder, 'SPEC.md'), join(folder, 'SPEC.md'))
  for (const name of interfaces) await cp(join(specsFolder, name), join(folder, name), { recursive: true })
}

/**
 * Replaces one piece of text in a file.
 *
 * @param path the file
 * @param from text that must occur exactly once
 * @param to the replacement
 * @throws Error if `from` is missing or not unique; otherwise a test could pass although the replacement changed nothing
 */
export async function replaceIn(path: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(from)
  if (parts.length !== 2) throw new Error(`${path} holds ${JSON.stringify(from)} ${parts.length - 1} times, not once`)
  await writeFile(path, parts.join(to))
}
