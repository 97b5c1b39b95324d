/** Copies the specs for tests, with changes or with another area. */
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

/** An area of a test: its YAML, the keys of its path items by path, and its text in SPEC.md. */
export interface TestArea {
  readonly yaml: string
  readonly paths: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * Writes an area into a copy of the specs, links its paths, and adds its text to SPEC.md.
 *
 * @returns the path of the document to lint, relative to `folder`
 */
export async function writeArea(folder: string, { yaml, paths, text }: TestArea): Promise<string> {
  const entry = 'management/openapi.yaml'
  await writeFile(join(folder, 'management/region.yaml'), yaml)
  const open = '- { id: management.region.operations, section: "1", text: The operations of this area. }'
  await replaceIn(join(folder, entry), `  - name: Region\n    x-unspecified:\n      ${open}\n`, '  - name: Region\n')
  const links = Object.entries(paths).map(([path, key]) => `  ${path}:\n    $ref: region.yaml#/${key}\n`)
  await replaceIn(join(folder, entry), '\npaths:\n', `\npaths:\n${links.join('')}`)
  await replaceIn(join(folder, 'SPEC.md'), '## §5', `${text}## §5`)
  return entry
}

/** An area with valid facts in many forms. The lint and the suite accept all of them. */
export async function createVariedArea(): Promise<TestArea> {
  const read = (file: string) => readFile(join(import.meta.dirname, file), 'utf8')
  const paths = {
    '/gadget': 'gadgets',
    '/gadget/{id}': 'gadget',
    '/part': 'parts',
    '/part/{id}': 'part',
    '/part/{id}/labels': 'labels',
    '/part/{id}/unlabel': 'labelRemoval',
    '/job': 'jobs',
    '/job/{id}': 'job',
  }
  return { yaml: await read('valid-forms.yaml'), paths, text: await read('valid-forms.md') }
}
