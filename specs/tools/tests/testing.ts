/** Helpers of the tests of the specs. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleContract, type InterfaceName, interfaces, specsFolder } from '../bundle.ts'
import { type Finding, lint } from '../lint/lint.ts'
import { createScratch } from '../redocly.ts'

/** Copies the files of the spec and its supplement into `folder`. */
export async function copySpecs(folder: string): Promise<void> {
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

/**
 * Lints interfaces with their supplement, as documents without files of areas. The operations of the supplement obey the same rules.
 *
 * @param copies folders of specs, each with the interface to lint
 * @returns the findings of each copy, in the same order
 */
export async function lintFull(
  copies: readonly (readonly [folder: string, name: InterfaceName])[],
): Promise<Finding[][]> {
  await using scratch = await createScratch()
  const files = await Promise.all(
    copies.map(async ([folder, name], index) => {
      const contract = await bundleContract(name, 'full', folder)
      const place = join(scratch.path, String(index), name)
      await mkdir(place, { recursive: true })
      await writeFile(join(place, 'openapi.json'), JSON.stringify(contract))
      return join(place, 'openapi.json')
    }),
  )
  // These rules are about the spec: its sections, areas without operations, and components without use.
  return await lint(files, ['rule/section', 'contract/area-shown', 'no-unused-components'])
}
