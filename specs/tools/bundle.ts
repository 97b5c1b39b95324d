import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toRecord } from '@cdn/kit/record'
import { redocly } from './redocly.ts'
import { withScratch } from './scratch.ts'

/** The folder of the specs, with one folder per interface. */
export const specsFolder: string = join(import.meta.dirname, '..')

/** The two interfaces that the spec describes. All other interfaces were imported. */
export const specInterfaces = ['management', 'logging'] as const
export type SpecInterfaceName = (typeof specInterfaces)[number]

/**
 * Lists the interfaces: those of the spec first, then imported ones by name.
 *
 * @param folder the folder of the specs
 * @returns the names of all folders with an `openapi.yaml`
 */
export function interfacesIn(folder: string): string[] {
  const isInterface = (name: string) => existsSync(join(folder, name, 'openapi.yaml'))
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const all = names.map(({ name }) => name).filter(isInterface)
  const imported = all.filter((name) => !isSpecInterface(name)).sort()
  return [...specInterfaces.filter((name) => all.includes(name)), ...imported]
}

/** Whether the spec describes an interface of this name. */
export function isSpecInterface(name: string): name is SpecInterfaceName {
  return specInterfaces.some((one) => one === name)
}

/** All interfaces of this repository. */
export const interfaces: readonly string[] = interfacesIn(specsFolder)

/**
 * `document`: only the spec. `supplement`: the spec and the public facts in this repository. `full`: in addition, imported and
 * reviewed statements.
 */
export type Layer = 'document' | 'supplement' | 'full'

/**
 * Bundles one interface into a single OpenAPI document with internal references only.
 *
 * @param name the interface
 * @param layer which statements to include. The spec states nothing about an imported interface, so the layer `document` of an
 *   imported interface has no operations
 * @param folder the folder of the specs; tests use copies
 * @returns the document as parsed JSON
 * @throws Error with Redocly's findings if a file does not parse, a reference does not resolve, or an overlay is invalid
 */
export async function bundleContract(
  name: string,
  layer: Layer,
  folder: string = specsFolder,
): Promise<Record<string, unknown>> {
  if (!isSpecInterface(name) && layer === 'document')
    return withoutOperations(await bundleContract(name, 'full', folder))
  const overlays = overlaysOf(name, layer, folder)
  return await bundleFile(folder, `${name}/openapi.yaml`, ...overlays.flatMap((overlay) => ['--overlay', overlay]))
}

/**
 * Bundles the layer `full` without one of its overlays and without the decisions of reviewers.
 *
 * @param left the overlay to leave out
 */
export async function bundleWithout(name: SpecInterfaceName, left: string): Promise<Record<string, unknown>> {
  const overlays = overlaysOf(name, 'full', specsFolder).filter((file) => file !== left && file !== reviewFile(name))
  return await bundleFile(specsFolder, `${name}/openapi.yaml`, ...overlays.flatMap((file) => ['--overlay', file]))
}

/**
 * Removes the operations from an imported contract.
 *
 * @param full the layer `full` of the contract
 * @returns the contract with only title, server, areas and credentials
 */
export function withoutOperations(full: Record<string, unknown>): Record<string, unknown> {
  const { securitySchemes = {} } = toRecord(full['components'])
  return { ...full, paths: {}, components: { securitySchemes } }
}

/** Returns the path of the file with a reviewer's decisions. The decisions are kept when the contract is imported again. */
export function reviewFile(name: string): string {
  return `${name}/review.overlay.yaml`
}

/** Returns the path of the file for a contract that was imported into an interface of the spec. */
export function importedFile(name: SpecInterfaceName, contract: string): string {
  return `${name}/imported-${contract}.overlay.yaml`
}

/** The overlays of a layer in the order of their application. */
function overlaysOf(name: string, layer: Layer, folder: string): string[] {
  const files = readdirSync(join(folder, name))
  const imported = files.filter((file) => /^imported-.*\.overlay\.yaml$/.test(file)).sort()
  const overlays = {
    document: [],
    supplement: ['supplement.overlay.yaml'],
    full: ['supplement.overlay.yaml', ...imported, 'review.overlay.yaml'],
  }[layer]
  return overlays.filter((file) => files.includes(file)).map((file) => `${name}/${file}`)
}

/** An action of an overlay. The actions are applied in order. */
export interface Action {
  readonly target: string
  readonly 'x-source': string
  readonly update?: unknown
  readonly remove?: boolean
}

/** An overlay as parsed JSON. */
export interface Overlay {
  readonly overlay: string
  readonly info: Readonly<Record<string, string>>
  readonly actions: readonly Action[]
}

/**
 * Reads the supplement of an interface.
 *
 * @param name the interface
 * @param folder the folder of the specs
 * @returns the overlay as parsed JSON
 * @throws Error with Redocly's findings if the file does not parse
 */
export async function readOverlay(name: SpecInterfaceName, folder: string = specsFolder): Promise<Overlay> {
  const overlay: unknown = await bundleFile(folder, `${name}/supplement.overlay.yaml`)
  return overlay as Overlay // `pnpm lint` checks the structure of overlays
}

/**
 * Reads a file and all files that it refers to as one JSON document.
 *
 * @param folder working directory of Redocly
 * @param args the file, relative to `folder`, and Redocly's options
 * @throws Error with Redocly's findings
 */
export async function bundleFile(folder: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  return await withScratch(async (scratch) => {
    const output = join(scratch, 'bundle.json')
    const { code, stderr } = await redocly(['bundle', ...args, '--output', output], folder)
    if (code !== 0) throw new Error(`Cannot bundle ${args.join(' ')} of specs:\n${stderr.trim()}`)
    return JSON.parse(await readFile(output, 'utf8'))
  })
}
