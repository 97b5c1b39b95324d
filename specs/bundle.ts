import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redocly } from './redocly.ts'

/** The two HTTP interfaces of the platform; each has a folder here. */
export const interfaces = ['management', 'logging'] as const
export type Interface = (typeof interfaces)[number]

/** `document`: the source document alone. `full`: with the supplement's overlay applied. */
export const layers = ['document', 'full'] as const
export type Layer = (typeof layers)[number]

export const specsFolder: string = import.meta.dirname

/**
 * Bundles one interface into a single OpenAPI document with internal references only.
 *
 * @param name which interface
 * @param layer with or without the supplement
 * @param folder the folder of the specs; another than this one for copies under test
 * @returns the document as parsed JSON
 * @throws Error with Redocly's findings when a file does not parse, a reference does not resolve or an overlay is not valid
 */
export async function bundle(
  name: Interface,
  layer: Layer,
  folder: string = specsFolder,
): Promise<Record<string, unknown>> {
  const overlays = layer === 'full' ? await overlaysOf(name, folder) : []
  return await bundleFile(folder, `${name}/openapi.yaml`, ...overlays.flatMap((overlay) => ['--overlay', overlay]))
}

/** The full layer as it would be without one of its overlays. */
export async function bundleWithout(name: Interface, left: string, folder: string): Promise<Record<string, unknown>> {
  const overlays = (await overlaysOf(name, folder)).filter((overlay) => overlay !== left)
  return await bundleFile(folder, `${name}/openapi.yaml`, ...overlays.flatMap((overlay) => ['--overlay', overlay]))
}

/** Where an imported contract stands, relative to the folder of the specs. */
export function importedName(name: Interface, contract: string): string {
  return `${name}/imported-${contract}.overlay.yaml`
}

/** The overlays that make the full layer: the supplement, then what was imported. Nothing else, such as what was observed. */
async function overlaysOf(name: Interface, folder: string): Promise<string[]> {
  const imported = (await readdir(join(folder, name))).filter((file) => /^imported-.*\.overlay\.yaml$/.test(file))
  return [`${name}/supplement.overlay.yaml`, ...imported.sort().map((file) => `${name}/${file}`)]
}

/** An action of an overlay; the actions apply in order. */
export interface Action {
  readonly target: string
  readonly 'x-source': string
  readonly update?: unknown
  readonly remove?: boolean
}

/** A supplement as parsed JSON. */
export interface Overlay {
  readonly overlay: string
  readonly info: Readonly<Record<string, string>>
  readonly actions: readonly Action[]
}

/**
 * Reads the supplement of one interface.
 *
 * @param name which interface
 * @param folder the folder of the specs
 * @returns the overlay as parsed JSON
 * @throws Error with Redocly's findings when the file does not parse
 */
export async function readOverlay(name: Interface, folder: string = specsFolder): Promise<Overlay> {
  return (await bundleFile(folder, `${name}/supplement.overlay.yaml`)) as unknown as Overlay
}

/**
 * Reads a file, with all that it refers to, as one JSON document.
 *
 * @param args the file, relative to `folder`, and Redocly's options
 * @throws Error with Redocly's findings
 */
export async function bundleFile(folder: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const scratch = await mkdtemp(join(tmpdir(), 'bundle-'))
  const output = join(scratch, 'bundle.json')
  try {
    const { code, stderr } = await redocly(['bundle', ...args, '--output', output], folder)
    if (code !== 0) throw new Error(`Cannot bundle ${args.join(' ')} of specs:\n${stderr.trim()}`)
    return JSON.parse(await readFile(output, 'utf8'))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
