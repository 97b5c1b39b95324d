import { mkdtemp, readFile, rm } from 'node:fs/promises'
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
  const overlay = layer === 'full' ? ['--overlay', `${name}/supplement.overlay.yaml`] : []
  return await bundleFile(folder, `${name}/openapi.yaml`, ...overlay)
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

async function bundleFile(folder: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
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
