import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createScratch, redocly } from './redocly.ts'

/** The folder of the specs, with one folder per interface. */
export const specsFolder: string = join(import.meta.dirname, '..')

export const interfaces = ['management', 'logging'] as const
export type InterfaceName = (typeof interfaces)[number]

/**
 * Bundles one interface into a single OpenAPI document with internal references only.
 *
 * @param name the interface
 * @param layer `spec`: only the spec. `full`: also the public facts of the supplement
 * @param folder the folder of the specs; tests use copies
 * @returns the document as parsed JSON
 * @throws Error with Redocly's findings if a file does not parse, a reference does not resolve, or an overlay is invalid
 */
export async function bundleContract(
  name: InterfaceName,
  layer: 'spec' | 'full',
  folder: string = specsFolder,
): Promise<Record<string, unknown>> {
  await using scratch = await createScratch()
  const output = join(scratch.path, 'bundle.json')
  const overlay = layer === 'full' ? ['--overlay', `${name}/supplement.overlay.yaml`] : []
  const { code, stderr } = await redocly(['bundle', `${name}/openapi.yaml`, ...overlay, '--output', output], folder)
  if (code !== 0) throw new Error(`Cannot bundle the ${name} interface of specs:\n${stderr.trim()}`)
  return JSON.parse(await readFile(output, 'utf8'))
}

/**
 * Bundles documents, all in one process of Redocly.
 *
 * @param apis the paths of each document and of its overlays. A reference that does not resolve is ignored (`--force`)
 * @returns the documents as parsed JSON, in the same order
 */
export async function bundleAll(
  apis: readonly { readonly root: string; readonly overlays: readonly string[] }[],
): Promise<unknown[]> {
  await using scratch = await createScratch()
  const { path: folder } = scratch
  const all = apis.map((api, index) => ({ ...api, output: `${index}.json` }))
  await writeFile(join(folder, 'redocly.yaml'), JSON.stringify({ apis: { ...all } }))
  await redocly(['bundle', '--force'], folder)
  return await Promise.all(all.map(async ({ output }) => JSON.parse(await readFile(join(folder, output), 'utf8'))))
}
