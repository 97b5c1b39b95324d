/** Helpers of the tests of the specs. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bundleAll, interfaces, specsFolder } from '../bundle.ts'
import { type Finding, lint } from '../lint/lint.ts'
import { createScratch } from '../redocly.ts'

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

/**
 * Lints interfaces with their supplement, each bundled into one document, because the rules also apply to operations of the supplement.
 *
 * @param folders folders of interfaces
 * @returns the findings of each, in the same order
 */
export async function lintFull(folders: readonly string[]): Promise<Finding[][]> {
  await using scratch = await createScratch()
  const contracts = await bundleAll(
    folders.map((folder) => ({
      root: join(folder, 'openapi.yaml'),
      overlays: [join(folder, 'supplement.overlay.yaml')],
    })),
  )
  const files = await Promise.all(
    contracts.map(async (contract, index) => {
      // The rule `requirement-id` takes the interface from the name of the folder.
      const folder = join(scratch.path, String(index), basename(folders[index] ?? ''))
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(contract))
      return join(folder, 'openapi.json')
    }),
  )
  // The skipped rules apply to the spec alone: its sections, areas without operations, and unused components.
  return await lint(files, ['rule/section', 'contract/area-shown', 'no-unused-components'])
}
